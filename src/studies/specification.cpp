#include "canopy/adaptive.hpp"
#include "canopy/contextual.hpp"
#include "canopy/contextual_with_baseline.hpp"
#include "canopy/detail/reward_map.hpp"
#include "canopy/errors.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/study_specification.hpp"
#include "canopy/with_baseline.hpp"

#include "core/text.hpp"
#include "files/document_reader.hpp"
#include "files/json.hpp"
#include "files/parameter_document.hpp"
#include "files/read_file.hpp"
#include "files/toml.hpp"
#include "studies/contexts_document.hpp"
#include "studies/http_document.hpp"
#include "studies/stored_specification.hpp"
#include "studies/system_document.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Increased when an older version of canopy would misunderstand a new specification.
constexpr std::int64_t kFormat = 3;

constexpr std::array<std::string_view, 13> kTopKeys{
    "format", "name",     "direction", "reward_range", "hard_range", "confidence", "optimizer",
    "space",  "baseline", "system",    "budget",       "limit",      "context"};

/// Null if this version of canopy does not know the optimizer.
const OptimizerEntry* entry_of(const StudySpecification& study) {
  const std::string& name = study.optimizer.name;
  return optimizers().find(name.empty() ? kDefaultOptimizer : name);
}

// --- reading ---------------------------------------------------------------------------------

void check_format(const Document& root, const std::string& source) {
  const Document* format = root.find("format");
  if (format == nullptr) return;
  const auto number = format->as_whole();
  if (number && *number >= 1 && *number <= kFormat) return;
  if (number && *number > kFormat) {
    throw SpecificationError(source + ": was written by a newer version of canopy (format " +
                             std::to_string(*number) + ", this one reads " +
                             std::to_string(kFormat) + ")");
  }
  throw SpecificationError(source + ": format = " + format->excerpt() + ": must be at most " +
                           std::to_string(kFormat));
}

Objective read_objective(DocumentReader& reader, const Document& root) {
  Objective objective;
  reader.read(root, "", "direction", objective.direction);
  reader.read(root, "", "reward_range", objective.reward_range);
  reader.read(root, "", "hard_range", objective.hard_range);
  reader.read(root, "", "confidence", objective.confidence);
  reader.complain(violations(objective));
  return objective;
}

/// Options of an unknown optimizer.
OptionValues plain_values(const Document& table) {
  OptionValues values;
  for (const auto& [name, value] : *table.as_table()) {
    if (name == "name" || name == "revision" || name == "partition") continue;
    if (const std::string* text = value.as_text()) {
      values.set(name, *text);
    } else if (const auto whole = value.as_whole(); whole && *whole >= 0) {
      values.set(name, static_cast<std::uint64_t>(*whole));
    } else if (const auto number = value.as_number()) {
      values.set(name, *number);
    }
  }
  return values;
}

/// Reports options that the default optimizer does not have, but another one has, with a hint. They
/// are then accepted as keys.
void complain_of_other_optimizers(DocumentReader& reader, const Document& table,
                                  std::vector<std::string_view>& known) {
  for (const OptimizerEntry& entry : optimizers()) {
    for (const OptionField& field : entry.fields) {
      const Document* value = table.find(field.name);
      if (value == nullptr || std::find(known.begin(), known.end(), field.name) != known.end()) {
        continue;
      }
      known.push_back(field.name);
      reader.complain(
          "optimizer." + field.name, value,
          fmt::format("is an option of {0}; add name = \"{0}\", since the default is {1}",
                      entry.name, kDefaultOptimizer));
    }
  }
}

void read_partition(DocumentReader& reader, const Document& table, PartitionRule& partition) {
  const Document* value = table.find("partition");
  if (value == nullptr) return;
  const std::string* text = value->as_text();
  if (const auto rule = text != nullptr ? partition_rule_from(*text) : std::nullopt) {
    partition = *rule;
  } else {
    reader.complain("optimizer.partition", value, std::string(kPartitionMustBe));
  }
}

/// Reads the optimizer's name, options, revision and partition.
void read_optimizer(DocumentReader& reader, const Document& root, StudySpecification& study,
                    bool may_be_unknown) {
  const Document* table = reader.read_table(root, "optimizer");
  if (table == nullptr) return;
  reader.read(*table, "optimizer.", "name", study.optimizer.name);
  std::uint64_t revision = 0;
  reader.read(*table, "optimizer.", "revision", revision);
  if (revision > UINT32_MAX) {
    reader.complain("optimizer.revision", table->find("revision"), "must be a small whole number");
  }
  study.revision = static_cast<std::uint32_t>(revision);
  const OptimizerEntry* entry = entry_of(study);
  if (entry == nullptr && may_be_unknown) {
    read_partition(reader, *table, study.partition);
    study.optimizer.options = plain_values(*table);
    return;
  }
  if (entry == nullptr) {
    reader.complain("optimizer.name", table->find("name"),
                    unknown_name("optimizer", study.optimizer.name, optimizers().names()));
    return;
  }
  std::vector<std::string_view> keys{"name", "revision"};
  for (const OptionField& field : entry->fields) keys.push_back(field.name);
  if (entry->has_tree) {
    keys.emplace_back("partition");
    read_partition(reader, *table, study.partition);
  }
  study.optimizer.options = reader.read_options(*table, "optimizer.", entry->fields);
  if (study.optimizer.name.empty()) complain_of_other_optimizers(reader, *table, keys);
  reader.check_keys(*table, "optimizer.", keys);
}

/// Returns none if there were mistakes.
std::optional<Space> read_space(DocumentReader& reader, const Document& root) {
  const Document* node = root.find("space");
  const Document::List* tables = node != nullptr ? node->as_tables() : nullptr;
  if (tables == nullptr) {
    reader.complain("space", node, "must be one or more [[space]] tables");
    return std::nullopt;
  }
  const std::size_t complaints = reader.complaints();
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < tables->size(); ++i) {
    parameters.push_back(read_parameter(reader, (*tables)[i], i));
  }
  if (reader.complaints() != complaints) return std::nullopt;
  try {
    return Space(std::move(parameters));
  } catch (const ConfigurationError& error) {
    reader.complain(error.violations());
    return std::nullopt;
  }
}

/// Checks that there is a baseline if other keys require one.
void check_baseline(DocumentReader& reader, const Document& root, const StudySpecification& study) {
  if (study.baseline) {
    if (study.baseline->every > 0 && study.system &&
        study.system->options.max_changes_per_hour.value_or(changes_of_round(1)) <
            changes_of_round(1)) {
      reader.complain(
          "system.max_changes_per_hour", root.find("system")->find("max_changes_per_hour"),
          fmt::format("must be {} or more with a baseline, because a pair of visits takes "
                      "that many, unless baseline.every = 0",
                      changes_of_round(1)));
    }
    return;
  }
  if (study.budget.confirm_pulls) {
    reader.complain("budget.confirm_pulls", root.find("budget")->find("confirm_pulls"),
                    "requires a [baseline] to compare the best setting with");
  }
  if (!study.system) return;
  const SystemOptions& options = study.system->options;
  const bool wants_baseline =
      options.on_exit == OnExit::baseline || options.on_exit == OnExit::confirmed || options.floor;
  if (wants_baseline) {
    reader.complain("baseline", nullptr,
                    R"(is required by on_exit = "baseline" and "confirmed", and by floor)", &root);
  }
}

/// Checks the limits on loss. Mistakes are reported with the value of their key.
void check_cap(DocumentReader& reader, const Document& root, const StudySpecification& study) {
  const Document* table = root.find("budget");
  for (const Violation& wrong : violations_of_cap(study)) {
    const std::string key = wrong.field.substr(wrong.field.find('.') + 1);
    reader.complain(wrong.field, table != nullptr ? table->find(key) : nullptr, wrong.expected,
                    table);
  }
}

StudySpecification study_from(const Document& root, const std::string& source,
                              bool may_be_unknown = false) {
  check_format(root, source);
  DocumentReader reader(source);
  reader.check_keys(root, "", kTopKeys);
  const std::optional<Space> space = read_space(reader, root);
  StudySpecification study{.space = space.value_or(Space{{"none", Real{}}})};
  reader.read(root, "", "name", study.name);
  study.objective = read_objective(reader, root);
  study.objective.limits = read_limits(reader, root);
  read_optimizer(reader, root, study, may_be_unknown);
  if (space) study.baseline = read_baseline(reader, root, *space);
  if (space) study.system = read_system(reader, root, *space);
  if (study.system && study.system->options.warmup_pulls != 0 && settle_of(study.optimizer) != 0) {
    reader.complain("system.warmup_pulls", root.find("system")->find("warmup_pulls"),
                    "cannot be combined with optimizer.settle; leave one of them out");
  }
  study.budget = read_budget(reader, root);
  check_baseline(reader, root, study);
  check_cap(reader, root, study);
  read_contexts(reader, root, study);
  for (const char* table : {"baseline", "limit"}) {
    if (const Document* given = root.find(table)) reader.note_line(table, *given);
  }
  reader.complain(violations_of_contexts(study));
  reader.throw_if_any();
  return study;
}

// --- writing ---------------------------------------------------------------------------------

Document optimizer_document(const StudySpecification& study) {
  const OptimizerEntry* entry = entry_of(study);
  Document table;
  if (!study.optimizer.name.empty()) table.set("name", study.optimizer.name);
  if (study.revision != 0) table.set("revision", study.revision);
  if (entry != nullptr && entry->has_tree) table.set("partition", text_of(study.partition));
  const Document options = document_of(
      study.optimizer.options, entry != nullptr ? entry->fields : std::vector<OptionField>{});
  if (const Document::Table* values = options.as_table()) {
    for (const auto& [name, value] : *values) table.set(name, value);
  }
  return table;
}

Document document_of(const StudySpecification& study) {
  Document root;
  root.set("format", kFormat);
  if (!study.name.empty()) root.set("name", study.name);
  root.set("direction", name_of(study.objective.direction));
  const std::optional<RewardRange>& range = study.objective.reward_range;
  root.set("reward_range",
           range ? Document(Document::List{range->front(), range->back()}) : Document("auto"));
  if (study.objective.hard_range) root.set("hard_range", true);
  root.set("confidence", study.objective.confidence);
  root.set("optimizer", optimizer_document(study));
  Document::List parameters;
  for (const Parameter& parameter : study.space.parameters()) {
    parameters.push_back(parameter_document(parameter));
  }
  root.set("space", std::move(parameters));
  if (!study.contexts.empty()) root.set("context", contexts_document(study));
  if (study.baseline) root.set("baseline", baseline_document(*study.baseline, study.space));
  if (study.system) root.set("system", system_document(*study.system));
  if (!study.objective.limits.empty()) {
    root.set("limit", limits_document(study.objective.limits));
  }
  if (study.budget != Budget{}) root.set("budget", budget_document(study.budget));
  return root;
}

// --- what learning depends on ----------------------------------------------------------------

/// All fields that learning depends on, by name. Two studies with equal fields choose the same arms
/// for the same rewards.
std::map<std::string, std::string> learning_fields(const StudySpecification& given) {
  const StudySpecification study = resolved(given);
  std::map<std::string, std::string> fields;
  const Document document = document_of(study);
  fields["direction"] = document.find("direction")->excerpt();
  fields["hard_range"] = study.objective.hard_range ? "true" : "false";
  for (const auto& [name, value] : *document.find("optimizer")->as_table()) {
    fields["optimizer." + name] = value.excerpt();
  }
  for (const Limit& limit : study.objective.limits) {
    fields["limit " + limit.metric] = limit.text();
  }
  if (study.baseline) {
    fields["baseline.setting"] = study.space.describe(study.baseline->setting);
  }
  for (std::size_t i = 0; i < study.space.dimension(); ++i) {
    const Parameter& parameter = study.space.parameters()[i];
    fields["space." + parameter.name] =
        "parameter " + std::to_string(i + 1) + ", " + parameter.domain.description();
  }
  for (std::size_t i = 0; i < study.contexts.size(); ++i) {
    const auto& [name, domain, period] = study.contexts[i];
    fields["context." + name] =
        fmt::format("variable {}, {}{}", i + 1, domain.description(),
                    period != 0.0 ? fmt::format(" with period {}", period) : "");
  }
  return fields;
}

}  // namespace

StudySpecification parse_study(std::string_view toml, const std::string& source) {
  return study_from(parse_toml(toml, source), source);
}

StudySpecification parse_study_json(std::string_view json, const std::string& source) {
  return study_from(parse_json(json, source), source);
}

StudySpecification parse_stored_study(const std::string& json, const std::string& source) {
  return study_from(parse_json(json, source), source, true);
}

StudySpecification load_study(const std::string& path) {
  const std::string text = read_file(path);
  StudySpecification study =
      path.ends_with(".json") ? parse_study_json(text, path) : parse_study(text, path);
  if (study.system) {  // relative paths refer to the folder of the study file
    const auto file = std::filesystem::absolute(path);
    const auto given = std::filesystem::path(study.system->folder.value_or(""));
    const auto folder = (file.parent_path() / given).lexically_normal();
    study.system->folder = folder.has_filename() ? folder : folder.parent_path();
  }
  return study;
}

std::string toml_of(const StudySpecification& study) {
  return toml_text(document_of(study));
}

std::string json_of(const StudySpecification& study) {
  return json_text(document_of(study));
}

StudySpecification resolved(StudySpecification study) {
  if (study.optimizer.name.empty()) study.optimizer.name = kDefaultOptimizer;
  OptionValues& options = study.optimizer.options;
  // With settling by distance, the distance from the baseline to an arm is not known.
  const bool goes_elsewhere = study.system || study.baseline;
  if (goes_elsewhere && settle_of(study.optimizer) != 0 && options.find("settle_rule") == nullptr) {
    options.set("settle_rule", std::string(name_of(SettleRule::strict)));
  }
  const OptimizerEntry* entry = entry_of(study);
  const bool is_in_contexts =
      !study.contexts.empty() && entry != nullptr && entry->make_in_contexts;
  if (is_in_contexts && options.find("drift") == nullptr) {
    options.set("drift", std::string(name_of(Drift::none)));
  }
  study.optimizer = resolved(study.optimizer, study.space.dimension());
  if (study.revision == 0) study.revision = optimizers().at(study.optimizer.name).revision;
  return study;
}

Selection inherited_optimizer(const StudySpecification& from, const StudySpecification& by) {
  if (from.contexts.empty() == by.contexts.empty()) return from.optimizer;
  Selection optimizer{from.optimizer.name, {}};
  for (const auto& [name, value] : from.optimizer.options) {
    if (name != "drift") optimizer.options.set(name, value);
  }
  return optimizer;
}

bool settles_by_distance(const Selection& optimizer) {
  const OptionValue* rule = optimizer.options.find("settle_rule");
  const auto* name = rule != nullptr ? std::get_if<std::string>(rule) : nullptr;
  return name == nullptr || *name == name_of(SettleRule::by_distance);
}

std::uint64_t settle_of(const Selection& optimizer) {
  const OptionValue* settle = optimizer.options.find("settle");
  const auto* pulls = settle != nullptr ? std::get_if<std::uint64_t>(settle) : nullptr;
  return pulls != nullptr ? *pulls : 0;
}

namespace {

using Fields = std::map<std::string, std::string>;

/// Describes the differences: `optimizer.rho was 0.5 and is 0.7; ...`
std::string differences_of(const Fields& was, const Fields& is) {
  std::string text;
  const auto add = [&](const std::string& field, const std::string& old, const std::string& now) {
    text += (text.empty() ? "" : "; ") + field + " was " + old + " and is " + now;
  };
  for (const auto& [field, old] : was) {
    const auto now = is.find(field);
    if (now == is.end()) {
      add(field, old, "absent");
    } else if (now->second != old) {
      add(field, old, now->second);
    }
  }
  for (const auto& [field, now] : is) {
    if (!was.contains(field)) add(field, "absent", now);
  }
  return text;
}

Fields command_fields(const StudySpecification& study) {
  const SystemSpecification& system = *study.system;
  Fields fields;
  const auto add = [&](const std::string& key, const auto& action) {
    if (!action) return;
    if (const auto* command = std::get_if<std::string>(&*action)) {
      fields[key] = '"' + *command + '"';
    } else {
      add_differing_fields(fields, key + ".", std::get<1>(*action));
    }
  };
  add("system.apply", system.apply);
  add("system.measure", system.measure);
  if (system.process) fields["system.process"] = '"' + *system.process + '"';
  for (std::size_t i = 0; i < study.context_sources.size(); ++i) {
    visit_fields_of(study.context_sources[i], [&](const Field& field, const std::string& text) {
      const std::string key = fmt::format("context.{}.{}", study.contexts[i].name, field.name);
      if (!text.empty()) fields[key] = '"' + text + '"';
    });
    if (const auto& source = study.context_sources[i].prometheus) {
      add_differing_fields(fields, fmt::format("context.{}.source.", study.contexts[i].name),
                           *source);
    }
  }
  return fields;
}

}  // namespace

std::string learning_differences(const StudySpecification& before,
                                 const StudySpecification& after) {
  const Fields was = learning_fields(before);
  Fields is = learning_fields(after);
  if (!before.baseline) is.erase("baseline.setting");  // a baseline may be added later
  return differences_of(was, is);
}

std::string command_differences(const StudySpecification& before, const StudySpecification& after) {
  if (!before.system || !after.system) return "";
  return differences_of(command_fields(before), command_fields(after));
}

std::vector<Violation> violations_of_contexts(const StudySpecification& study) {
  std::vector<Violation> wrong;
  if (study.contexts.empty()) return wrong;
  const auto refuse = [&](bool is_given, std::string key, std::string value) {
    if (!is_given) return;
    wrong.push_back({std::move(key), std::move(value),
                     "cannot be combined with [[context]] yet; leave it out"});
  };
  const OptimizerEntry* entry = entry_of(study);
  if (entry != nullptr && !entry->make_in_contexts) {
    wrong.push_back(
        {"optimizer.name", study.optimizer.name,
         fmt::format("does not support [[context]]; the default, {}, does", kDefaultOptimizer)});
  }
  const std::uint64_t settle = settle_of(study.optimizer);
  refuse(settle != 0, "optimizer.settle", std::to_string(settle));
  const OptionValue* drift = study.optimizer.options.find("drift");
  const auto* follows = drift != nullptr ? std::get_if<std::string>(drift) : nullptr;
  refuse(follows != nullptr && *follows != name_of(Drift::none), "optimizer.drift",
         follows != nullptr ? *follows : "");
  refuse(study.budget.max_loss.has_value(), "budget.max_loss", "");
  refuse(study.budget.max_loss_per_pull.has_value(), "budget.max_loss_per_pull", "");
  if (!study.system) return wrong;
  const SystemOptions& options = study.system->options;
  refuse(options.warmup_pulls != 0, "system.warmup_pulls", std::to_string(options.warmup_pulls));
  refuse(options.min_pulls_per_change > 1, "system.min_pulls_per_change",
         std::to_string(options.min_pulls_per_change));
  refuse(options.max_changes_per_hour.has_value(), "system.max_changes_per_hour",
         std::to_string(options.max_changes_per_hour.value_or(0)));
  return wrong;
}

std::vector<Violation> violations_of_cap(const StudySpecification& study) {
  const Budget& budget = study.budget;
  std::vector<Violation> wrong;
  const auto complain = [&](const std::string& key, const char* what) {
    wrong.push_back({"budget." + key, "", what});
  };
  if (!budget.caps_loss()) {
    if (budget.worst_loss) complain("worst_loss", "requires max_loss");
    if (budget.worst_loss_per_pull) {
      complain("worst_loss_per_pull", "requires max_loss_per_pull");
    }
    return wrong;
  }
  const char* cap = budget.max_loss ? "max_loss" : "max_loss_per_pull";
  if (!study.baseline) {
    complain(cap, "requires a [baseline], whose rewards the loss is compared with");
  } else if (study.baseline->every == 0) {
    complain(cap, "requires a baseline that is measured: baseline.every must not be 0");
  }
  if (budget.max_loss && budget.max_loss_per_pull) {
    complain("max_loss_per_pull", "cannot be combined with max_loss; leave one of them out");
  } else if (budget.max_loss_per_pull && !budget.worst_loss_per_pull) {
    complain("max_loss_per_pull",
             "requires worst_loss_per_pull: how much less than the baseline a pull of an untried "
             "setting may earn at worst");
  } else if (budget.max_loss && !budget.worst_loss &&
             study.objective.direction == Direction::minimize) {
    complain("max_loss",
             "requires worst_loss when minimizing, because a cost can be many times that of the "
             "baseline: 9 if an untried setting may cost ten times as much");
  }
  return wrong;
}

std::uint64_t visit_of(const StudySpecification& study) {
  const std::uint64_t fewest = study.system ? study.system->options.min_pulls_per_change : 1;
  return std::max<std::uint64_t>(fewest, 1);
}

std::uint64_t warmup_of(const StudySpecification& study) {
  const std::uint64_t warmup = study.system ? study.system->options.warmup_pulls : 0;
  return std::max(warmup, settle_of(study.optimizer));
}

std::uint64_t pairs_of_round(const StudySpecification& study) {
  std::uint64_t pairs = study.baseline->pulls / visit_of(study);
  if (study.system && study.system->options.max_changes_per_hour) {
    const std::uint64_t half = *study.system->options.max_changes_per_hour / 2;
    pairs = std::min(pairs, (half - std::min<std::uint64_t>(half, changes_of_round(0))) / 2);
  }
  return std::max<std::uint64_t>(pairs, 1);
}

namespace {

/// Rounds take at most two of nine pulls from the search, counting rewards of the baseline and
/// pulls during which the system settles on either side of a pair.
std::uint64_t pulls_between_rounds(const StudySpecification& study) {
  if (study.baseline->every == 0) return 0;
  const std::uint64_t pairs = pairs_of_round(study);
  const std::uint64_t visit = visit_of(study);
  const std::uint64_t taken = pairs * (visit + 2 * warmup_of(study));
  // Rewards of the challenger, from which the search learns.
  const std::uint64_t given = pairs * visit;
  const std::uint64_t enough = taken * 7 / 2;
  return std::max(study.baseline->every, enough - std::min(enough, given));
}

}  // namespace

BaselineRule baseline_rule(const StudySpecification& study, std::uint64_t seed) {
  const std::uint64_t quarter = study.budget.pulls.value_or(320) / 4;
  BaselineRule rule{.every = pulls_between_rounds(study),
                    .pulls = std::max(study.baseline->pulls, visit_of(study)),
                    .pairs = pairs_of_round(study),
                    .visit = visit_of(study),
                    // a tuner measures settling pulls, but does not tell them
                    .settle = study.system ? 0 : settle_of(study.optimizer),
                    .search_settle = settle_of(study.optimizer),
                    .first = std::clamp<std::uint64_t>(quarter, 20, 100),
                    .seed = study.baseline->seed.value_or(seed)};
  if (study.budget.caps_loss()) {
    rule.loss = LossRule{.share = study.budget.max_loss,
                         .per_pull = study.budget.max_loss_per_pull.value_or(0.0),
                         .worst_share = study.budget.worst_loss.value_or(1.0),
                         .worst_per_pull = study.budget.worst_loss_per_pull.value_or(0.0)};
  }
  return rule;
}

std::unique_ptr<Optimizer> make_optimizer(const StudySpecification& study, std::uint64_t seed) {
  throw_if_any(violations_of_contexts(study));
  const StudySpecification complete = resolved(study);
  return compared(make_optimizer(complete.optimizer, complete.space, complete.partition,
                                 complete.objective, complete.contexts),
                  complete, seed);
}

std::unique_ptr<Optimizer> compared(std::unique_ptr<Optimizer> optimizer,
                                    const StudySpecification& study, std::uint64_t seed) {
  if (!study.baseline) return optimizer;
  if (!study.contexts.empty()) {
    auto* contextual = dynamic_cast<Contextual*>(optimizer.get());
    if (contextual == nullptr) {
      throw ConfigurationError({{"baseline", "",
                                 "requires the adaptive tree (optimizer.name = \"adaptive\") if "
                                 "there are contexts"}});
    }
    (void)optimizer.release();
    return std::make_unique<ContextualWithBaseline>(
        std::unique_ptr<Contextual>(contextual), study.space, study.objective,
        study.baseline->setting, baseline_rule(study, seed));
  }
  if (!study.system && settle_of(study.optimizer) != 0 && settles_by_distance(study.optimizer)) {
    throw ConfigurationError({{"optimizer.settle_rule", "by_distance",
                               "the distance from the baseline to an arm is not known: must be "
                               "\"strict\" in a study with a baseline and without [system]"}});
  }
  auto* ticketed = dynamic_cast<TicketedOptimizer*>(optimizer.get());
  if (ticketed == nullptr) throw std::logic_error("an optimizer without tickets has no baseline");
  (void)optimizer.release();
  return std::make_unique<WithBaseline>(std::unique_ptr<TicketedOptimizer>(ticketed), study.space,
                                        study.objective, study.baseline->setting,
                                        baseline_rule(study, seed));
}

}  // namespace canopy
