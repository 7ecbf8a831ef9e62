// The routes that create, list and delete studies.

#include "canopy/clock.hpp"
#include "canopy/study.hpp"

#include "files/document_reader.hpp"
#include "files/json.hpp"
#include "journal/command_text.hpp"
#include "journal/event_document.hpp"
#include "service/body.hpp"
#include "service/catalogue.hpp"
#include "service/request_bodies.hpp"
#include "service/service.hpp"
#include "stores/memory_store.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::uint64_t kMostStudies = 1000;  // per page

/// Returns a text in a specification, or "" if it is not there.
std::string text_at(const Document& document, std::initializer_list<std::string_view> path) {
  const Document* place = &document;
  for (const std::string_view key : path) {
    place = place->find(key);
    if (place == nullptr) return "";
  }
  return place->as_text() != nullptr ? *place->as_text() : "";
}

}  // namespace

namespace {

/// Finds the command in force of a study that is not open here.
void set_order(PhaseFacts& facts, bool has_system, const std::vector<PostedCommand>& commands) {
  for (const PostedCommand& posted : commands) {
    // A tuner that was active long after the command has accepted it, or began later.
    if (has_system && facts.last && facts.last->at > posted.at + kActiveSeconds) continue;
    try {
      const WantedCommand wanted = command_from(posted.text);
      if (wanted.command == RunnerCommand::confirm) continue;
      facts.order = wanted.command;
      facts.ordered_by = wanted.by;
    } catch (const SpecificationError&) {
      continue;  // written by a later version
    }
  }
}

}  // namespace

Service::Standing Service::standing_of(const StudyRecord& record, const Document& specification,
                                       const std::optional<StudyState>& here, Store& store) const {
  Standing standing{.is_open = here || store.is_locked(record.id)};
  const bool has_system = specification.contains("system");
  PhaseFacts facts{
      .is_open = standing.is_open, .created = record.created, .now = machine_clock().wall_time()};
  if (record.events > 0) {
    store.read(record.id, {record.events - 1, 1},
               [&](const JournalEntry& entry) { facts.last = entry; });
  }
  if (here) {
    standing.state = here->text;
    facts.is_at_work = here->in_flight > 0;
    facts.tuner_began = here->tuner_began;
    facts.tuner_lives = !here->runner.empty();
    facts.order = here->order;
    facts.ordered_by = here->ordered_by;
  } else {
    standing.state = standing.is_open ? "open" : "idle";
    facts.tuner_began = has_system;
    facts.tuner_lives = has_system && standing.is_open;
    set_order(facts, has_system, store.commands(record.id, 0));
  }
  standing.report = phase_of(facts);
  standing.last = std::move(facts.last);
  return standing;
}

Document Service::item(const StudyRecord& record, Store& store) const {
  const std::optional<StudyState> here = host_.state_of(record.name);
  const Document specification = parse_json(record.specification, record.name);
  const Standing standing = standing_of(record, specification, here, store);
  Document last;
  if (standing.last) {
    last = Document::Table{{"kind", kind_name(standing.last->event)}, {"at", standing.last->at}};
  }
  Document table = Document::Table{{"name", record.name},
                                   {"state", standing.state},
                                   {"phase", name_of(standing.report.phase)},
                                   {"is_over", is_over(standing.report.phase)},
                                   {"events", record.events},
                                   {"pulls", record.pulls},
                                   {"created", record.created},
                                   {"updated", record.updated},
                                   {"last", std::move(last)},
                                   {"direction", text_at(specification, {"direction"})},
                                   {"optimizer", text_at(specification, {"optimizer", "name"})}};
  if (!standing.report.why.empty()) table.set("why", standing.report.why);
  if (!record.forked_from.empty()) table.set("forked_from", record.forked_from);
  const bool has_runner = here && !here->runner.empty();
  const std::string& holder = has_runner ? here->runner : record.holder;
  if (standing.is_open && !holder.empty()) table.set("open_by", holder);
  return table;
}

Document Service::full_item(const StudyRecord& record, Store& store) const {
  Document table = item(record, store);
  table.set("id", record.id);
  table.set("specification", parse_json(record.specification, record.name));
  return table;
}

void Service::list(const Request& request, Done done) {
  Query query(request);
  const std::uint64_t limit = *query.whole("limit");
  std::string after = query.text("after");
  query.check();
  host_.run(
      request,
      [this, limit, after, token = request.may_see](Store& store) mutable {
        Document::List studies;
        Document next;
        while (studies.size() < limit) {
          const std::vector<StudyRecord> page = store.list({after, limit});
          for (const StudyRecord& record : page) {
            after = record.name;
            if (token && !token->covers(record.name)) continue;
            studies.push_back(item(record, store));
            if (studies.size() == limit) break;
          }
          if (page.size() < limit) break;
        }
        if (studies.size() == limit && !store.list({after, 1}).empty()) next = after;
        return json_answer(Document::Table{
            {"studies", std::move(studies)}, {"next", next}, {"now", machine_clock().wall_time()}});
      },
      std::move(done));
}

void Service::show(const Request& request, Done done) {
  Query(request).check();
  host_.run(
      request,
      [this, name = study_of(request)](Store& store) {
        return json_answer(full_item(record_of(store, name), store));
      },
      std::move(done));
}

namespace {

/// A study to be created, from the body of a request.
struct Wanted {
  std::string name;
  std::optional<StudySpecification> specification;
  std::string fork_of;
  bool whole = false;
  std::optional<double> created;
  std::string forked_from, copied_from;
  std::vector<JournalEntry> journal;
  std::uint64_t pulls = 0;
};

Wanted wanted_in(const Request& request) {
  Body body(request);
  const Document& document = body.document();
  Wanted wanted;
  wanted.name = body.text(request::kName).value_or("");
  wanted.fork_of = body.text(request::kForkOf).value_or("");
  wanted.whole = body.flag(request::kWhole);
  wanted.created = body.number(request::kCreated);
  wanted.forked_from = body.text(request::kForkedFrom).value_or("");
  wanted.copied_from = body.text(request::kCopiedFrom).value_or("");
  wanted.pulls = body.whole(request::kPullsInJournal).value_or(0);
  const Document::List& journal = body.list(request::kJournal);
  for (const RequestField& field : request::kOfWholeStudy) {
    if (document.contains(field.name) && !wanted.whole) {
      body.complain(std::string(field.name), "malformed_request", R"(needs "whole": true)");
    }
  }
  const auto toml = body.text(request::kToml);
  const Document* given = document.find("specification");
  try {
    if (toml) wanted.specification = parse_study(*toml, "toml");
    if (given != nullptr) {
      wanted.specification = parse_study_json(json_text(*given), "specification");
    }
  } catch (const SpecificationError& error) {
    body.complain(toml ? "toml" : "specification", "bad_specification", error.what());
  }
  body.check();
  DocumentReader reader("journal");
  for (std::size_t i = 0; i < journal.size() && !reader.is_full(); ++i) {
    const Names names(wanted.specification->space, wanted.specification->contexts);
    auto entry = entry_from(journal[i], names, reader, fmt::format("journal[{}].", i));
    if (entry) wanted.journal.push_back(std::move(*entry));
  }
  reader.throw_if_any();
  for (std::size_t i = 0; i < wanted.journal.size(); ++i) {
    if (wanted.journal[i].number == i + 1) continue;
    throw Problem({{fmt::format("journal[{}].number", i), "wrong_type", "must be 1, 2, 3, ..."}});
  }
  return wanted;
}

/// Throws Problem if the journal cannot be replayed with this specification.
void require_replayable(const NewStudy& study) {
  MemoryStore memory(std::make_shared<MemoryStudies>());
  try {
    const StudyRecord record = *memory.create(study);
    const LoadedOptimizer loaded = load_optimizer(memory, record, specification_of(record));
    const std::uint64_t pulls = loaded.optimizer->summary().t - 1;
    if (loaded.warning.empty() && pulls != study.pulls) {
      throw Problem({{"pulls", "wrong_type", fmt::format("the journal has {}", pulls)}});
    }
  } catch (const StudyError& error) {
    throw Problem({{"journal", "does_not_fit", error.what()}});
  }
}

/// Returns the study if an identical request has created it before. Throws StudyError if a study of
/// that name has other settings.
std::optional<StudyRecord> made_before(Store& store, const Wanted& wanted) {
  auto existing = wanted.fork_of.empty() ? store.find(wanted.name) : std::nullopt;
  if (!existing) return std::nullopt;
  if (wanted.whole) {
    const bool is_same = wanted.created == existing->created &&
                         existing->forked_from == wanted.forked_from &&
                         existing->specification == json_of(resolved(*wanted.specification));
    return is_same ? std::move(existing) : std::nullopt;
  }
  const StudySpecification before = specification_of(*existing);
  StudySpecification now = *wanted.specification;
  if (now.optimizer == Selection{}) now.optimizer = before.optimizer;
  const std::string differences = learning_differences(before, resolved(now));
  if (differences.empty()) return existing;
  throw StudyError(
      StudyError::Fault::differs,
      fmt::format("the study {} was created with other settings: {}", wanted.name, differences));
}

StudyRecord make_study(Store& store, const Wanted& wanted) {
  check_study_name(wanted.name);
  if (!wanted.fork_of.empty()) {
    (void)Study::open(store, *wanted.specification,
                      {.name = wanted.fork_of, .fork = wanted.name, .fold = tuner_fold});
    return record_of(store, wanted.name);
  }
  const StudySpecification specification = resolved(*wanted.specification);
  (void)make_optimizer(specification);
  NewStudy study{.name = wanted.name,
                 .specification = json_of(specification),
                 .created = wanted.created.value_or(machine_clock().wall_time()),
                 .forked_from = wanted.forked_from};
  if (!wanted.copied_from.empty()) study.copied = record_of(store, wanted.copied_from).id;
  study.journal = wanted.journal;
  study.pulls = wanted.pulls;
  if (!study.journal.empty()) require_replayable(study);
  if (const auto made = store.create(study)) return *made;
  throw StudyError(StudyError::Fault::taken, "there already is a study " + wanted.name);
}

/// Throws Problem if the token may not have more studies.
void refuse_more_studies(Store& store, const Token& token) {
  double studies = 0.0;
  std::string after;
  for (;;) {
    const std::vector<StudyRecord> page = store.list({after, kMostStudies});
    for (const StudyRecord& record : page) {
      after = record.name;
      if (token.covers(record.name)) ++studies;
    }
    if (studies >= *token.max_studies) {
      throw Problem(429, "too_many_studies",
                    fmt::format("this token is limited to {:g} studies", *token.max_studies))
          .retry_after(60);
    }
    if (page.size() < kMostStudies) return;
  }
}

}  // namespace

void Service::create(const Request& request, Done done) {
  auto wanted = std::make_shared<Wanted>(wanted_in(request));
  const bool has_commands =
      std::any_of(wanted->journal.begin(), wanted->journal.end(), [](const JournalEntry& entry) {
        return std::holds_alternative<CommandAccepted>(entry.event);
      });
  if (has_commands && request.may_see && request.may_see->role < Role::admin) {
    throw Problem(403, "forbidden", "a journal with commands needs the role admin");
  }
  if (request.may_see) {
    for (const std::string& name : {wanted->name, wanted->fork_of, wanted->copied_from}) {
      if (name.empty() || request.may_see->covers(name)) continue;
      throw Problem(403, "forbidden", "the token does not cover the study " + name);
    }
  }
  host_.run(
      request,
      [this, wanted, token = request.may_see](Store& store) {
        if (const auto made = made_before(store, *wanted)) {
          return json_answer(full_item(*made, store));
        }
        if (token && token->max_studies) refuse_more_studies(store, *token);
        try {
          return json_answer(full_item(make_study(store, *wanted), store), 201);
        } catch (const StudyError& error) {
          if (error.fault() != StudyError::Fault::taken) throw;
          // An identical request may have arrived at the same time.
          const auto made = made_before(store, *wanted);
          if (!made) throw;
          return json_answer(full_item(*made, store));
        }
      },
      std::move(done));
}

// NOLINTNEXTLINE(readability-make-member-function-const): routes are not
void Service::catalogue(const Request& request, Done done) {
  Query(request).check();
  const Done answer = std::move(done);
  answer(json_answer(catalogue_document()));
}

void Service::erase(const Request& request, Done done) {
  Query query(request);
  query.check();
  host_.run_alone(
      study_of(request), request, query.text("tuner"),
      [this, name = study_of(request)](Store& store) {
        const StudyId study = record_of(store, name).id;
        store.erase(study);
        looks_.forget(study);
        host_.forget(study);
        return no_content();
      },
      std::move(done));
}

void Service::specification(const Request& request, Done done) {
  Query(request).check();
  host_.run(
      request,
      [name = study_of(request)](Store& store) {
        const StudyRecord record = record_of(store, name);
        return json_answer(
            Document::Table{{"specification", parse_json(record.specification, record.name)},
                            {"toml", toml_of(specification_of(record))},
                            {"options", options_of(record.specification)}});
      },
      std::move(done));
}

void Service::set_specification(const Request& request, Done done) {
  Body body(request);
  const auto tuner = body.text(request::kTunerIfAny);
  const Document* given = body.required(request::kSpecification);
  body.check();
  const StudySpecification specification = parse_study_json(json_text(*given), "specification");
  host_.reopen(study_of(request), request, specification, tuner.value_or(""), std::move(done));
}

}  // namespace canopy::service
