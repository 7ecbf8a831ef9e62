#include "studies/first_journal.hpp"

#include "canopy/study.hpp"

#include "files/document_reader.hpp"
#include "files/json.hpp"
#include "files/toml.hpp"
#include "studies/stored_specification.hpp"
#include "studies/system_document.hpp"

namespace canopy::first_format {
namespace {

/// The number of each kind of event in the first format.
enum Kind {
  kAsk,
  kTell,
  kTellList,
  kTellSums,
  kDrop,
  kFinish,
  kStart,
  kStop,
  kApply,
  kWarmUp,
  kHold,
  kBaseline,
  kFailure,
};

void set_if_missing(Document& table, std::string_view key, Document value) {
  if (!table.contains(key)) table.set(key, std::move(value));
}

/// The setting that was applied; empty where the text is not one of the space.
std::vector<double> arm_in(const std::string& json, const Space& space) {
  try {
    return arm_from(space, parse_json(json, "journal")).value_or(std::vector<double>());
  } catch (const SpecificationError&) {
    return {};
  }
}

}  // namespace

StudySpecification specification_from(const std::string& toml, const std::string& name) {
  Document root = parse_toml(toml, name);
  set_if_missing(root, "direction", "maximize");
  set_if_missing(root, "reward_range", Document::List{0.0, 1.0});
  if (!root.contains("optimizer")) root.set("optimizer", Document::Table{});
  if (Document& optimizer = *root.find("optimizer"); optimizer.as_table() != nullptr) {
    set_if_missing(optimizer, "name", "hct");
  }
  if (Document* system = root.find("system"); system != nullptr && system->as_table() != nullptr) {
    set_if_missing(*system, "warmup_pulls", 0);
    set_if_missing(*system, "timeout_seconds", 30.0);
    set_if_missing(*system, "on_failure", "retry");
    set_if_missing(*system, "on_exit", "best");
    set_if_missing(*system, "baseline_every", 0);
    set_if_missing(*system, "baseline_pulls", 10);
    set_if_missing(*system, "min_pulls_per_change", 1);
    set_if_missing(*system, "floor_window", 20);
  }
  StudySpecification study = parse_study(toml_text(root), name);
  study.revision = 1;  // of every optimizer at that time
  study.optimizer.options =
      completed_options(study.optimizer.name, study.optimizer.options, study.space.dimension());
  return study;
}

Translator::Translator(const StudySpecification& study)
    : space_(study.space),
      player_(make_player(study.optimizer.name, study.optimizer.options, study.space,
                          study.partition.split, study.objective.direction == Direction::minimize,
                          study.objective.reward_range.value())) {}

Event Translator::ask(const Line& line) {
  Asked asked{line.ticket, line.count, 1, {}};
  if (lost_) return asked;
  const Played played = player_->ask(line.count == 0 ? UINT64_MAX : line.count);
  check(played.ticket == line.ticket);
  if (lost_) return asked;
  asked.length = played.length;
  asked.arm = played.arm;
  return asked;
}

Event Translator::translate(const Line& line) {
  switch (line.kind) {
    case kAsk:
      return ask(line);
    case kTell:
      check(lost_ || player_->tell(line.ticket, {&line.value, 1}));
      return Told{line.ticket, line.value};
    case kTellList: {
      Event event = from_columns({.kind = line.kind, .ticket = line.ticket, .data = line.text});
      check(lost_ || player_->tell(line.ticket, std::get<ToldList>(event).rewards));
      return event;
    }
    case kTellSums:
      check(lost_ || player_->tell_sums(line.ticket, line.count, line.value, line.squares));
      return ToldSums{line.ticket, Rewards::from_sums(line.count, line.value, line.squares)};
    case kDrop:
      check(lost_ || player_->drop(line.ticket));
      return Dropped{line.ticket};
    case kFinish:
      if (!lost_) player_->finish();
      return Finished{};
    case kStart:
      return TunerStarted{line.value};
    case kStop:
      return TunerStopped{line.text, line.value == 1.0};
    case kApply:
      return Applied{line.ticket, arm_in(line.text, space_)};
    case kWarmUp:
      return WarmedUp{line.ticket, line.value};
    case kHold:
      return Held{line.ticket, line.value};
    case kBaseline:
      return BaselineMeasured{line.value};
    case kFailure:
      return Failed{line.ticket, line.text};
    default:
      throw StudyError(StudyError::Fault::damaged,
                       "there was no event of kind " + std::to_string(line.kind));
  }
}

}  // namespace canopy::first_format
