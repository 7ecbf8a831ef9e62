// The routes for commands, and for tuners that run in another process.

#include "canopy/clock.hpp"
#include "canopy/study.hpp"

#include "files/document_reader.hpp"
#include "journal/command_text.hpp"
#include "journal/event_document.hpp"
#include "service/body.hpp"
#include "service/request_bodies.hpp"
#include "service/service.hpp"
#include "tuning/tuner_state.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy::service {

namespace {

/// The number of the command that was posted before with this key, if there is one.
std::optional<std::uint64_t> posted_with(Store& store, const StudyRecord& record,
                                         const WantedCommand& wanted) {
  for (const PostedCommand& posted : store.commands(record.id, 0)) {
    try {
      const WantedCommand before = command_from(posted.text);
      if (before.key != wanted.key) continue;
      if (before == wanted) return posted.number;
      throw StudySession::ReusedKey();
    } catch (const SpecificationError&) {
      continue;  // written by a later version
    }
  }
  return std::nullopt;
}

}  // namespace

void Service::command(const Request& request, Done done) {
  Body body(request);
  const auto command = static_cast<RunnerCommand>(body.word(request::kCommand).value_or(0));
  const std::uint64_t pulls = body.whole(request::kPullsOfComparison).value_or(0);
  body.check();
  host_.run(
      request,
      [this, command, pulls, by = request.by, key = request.idempotency_key,
       study = study_of(request)](Store& store) {
        const StudyRecord record = record_of(store, study);
        const StudySpecification specification = specification_of(record);
        const bool has_baseline = specification.system && specification.baseline;
        if (!has_baseline &&
            (command == RunnerCommand::confirm || command == RunnerCommand::baseline)) {
          throw Problem(409, "no_baseline", "the study has no baseline");
        }
        const WantedCommand wanted{command, by.empty() ? "anonymous" : by, pulls, key};
        const std::lock_guard lock(commands_mutex_);
        if (const auto before = key.empty() ? std::nullopt : posted_with(store, record, wanted)) {
          return json_answer(Document::Table{{"number", *before}}, 201);
        }
        const std::uint64_t number =
            store.post_command(record.id, machine_clock().wall_time(), command_text(wanted));
        host_.tick_soon(study);
        return json_answer(Document::Table{{"number", number}}, 201);
      },
      std::move(done));
}

void Service::commands(const Request& request, Done done) {
  Query query(request);
  const std::uint64_t after = query.whole("after").value_or(0);
  query.check();
  host_.run(
      request,
      [after, study = study_of(request)](Store& store) {
        Document::List list;
        for (const PostedCommand& posted : store.commands(record_of(store, study).id, after)) {
          Document table = Document::Table{{"number", posted.number}, {"at", posted.at}};
          try {
            const WantedCommand wanted = command_from(posted.text);
            table.set("command", name_of(wanted.command));
            table.set("by", wanted.by);
            table.set("pulls", wanted.pulls);
          } catch (const SpecificationError&) {
            continue;  // invalid text in the store
          }
          list.push_back(std::move(table));
        }
        return json_answer(Document::Table{{"commands", std::move(list)}});
      },
      std::move(done));
}

// --- tuners in other processes ---------------------------------------------------------------

void Service::take_tuner(const Request& request, Done done) {
  Body body(request);
  const std::string tuner = body.text(request::kTuner).value_or("");
  const std::string holder = body.text(request::kHolder).value_or("a tuner");
  body.check();
  host_.write(
      study_of(request), request,
      [tuner, holder](Study& study, Runner& runner) {
        require_no_other_tuner(runner, tuner);
        if (!runner.is_alive() && study.summary().in_flight > 0 && study.has_leases()) {
          throw Problem(409, "open_elsewhere", "workers hold leased tickets of this study");
        }
        runner = {tuner, holder, Runner::SteadyClock::now() + Runner::kLease};
        return json_answer(
            Document::Table{{"seconds", Runner::kLease.count()}, {"events", study.events()}});
      },
      std::move(done));
}

void Service::release_tuner(const Request& request, Done done) {
  Query query(request);
  query.check();
  host_.write(
      study_of(request), request,
      [tuner = query.text("tuner")](Study& /*study*/, Runner& runner) {
        if (runner.id == tuner) runner = {};
        return no_content();
      },
      std::move(done));
}

namespace {

/// Throws Problem if an event accepts a command that was not posted, or accepts one twice: a tuner
/// must not bypass the access control of commands.
void require_given(Study& study, const Event& event) {
  const auto* accepted = std::get_if<CommandAccepted>(&event);
  if (accepted == nullptr) return;
  const WantedCommand said{accepted->command, accepted->by, accepted->pulls};
  if (accepted->number > tuner_state_of(study).last_command() && accepted->number <= INT64_MAX) {
    const std::vector<PostedCommand> given =
        study.store().commands(study.record().id, accepted->number - 1);
    const bool is_there = !given.empty() && given.front().number == accepted->number;
    WantedCommand wanted = is_there ? command_from(given.front().text) : WantedCommand{};
    wanted.key.clear();
    if (is_there && wanted == said) return;
  }
  throw Problem(409, "does_not_fit",
                fmt::format("the command {} with number {} was not posted",
                            name_of(accepted->command), accepted->number));
}

/// Whether the journal continues with exactly these events.
bool has_after(Study& study, std::uint64_t after, const std::vector<Event>& events) {
  std::size_t same = 0;
  study.store().read(study.record().id, {after, events.size()}, [&](const JournalEntry& entry) {
    if (same < events.size() && entry.event == events[same]) ++same;
  });
  return same == events.size();
}

}  // namespace

void Service::tuner_events(const Request& request, Done done) {
  auto body = std::make_shared<Body>(request);
  const std::string tuner = body->text(request::kTuner).value_or("");
  const std::uint64_t after = body->whole(request::kAfter).value_or(0);
  (void)body->list(request::kEvents);
  body->check();
  host_.write_all_or_nothing(
      study_of(request), request,
      [body, tuner, after](Study& study, Runner& runner) {
        require_no_other_tuner(runner, tuner);
        DocumentReader reader("events");
        std::vector<Event> events;
        std::size_t i = 0;
        for (const Document& each : body->list(request::kEvents)) {
          const Names names(study.specification().space, study.specification().contexts);
          auto event = event_from(each, names, reader, fmt::format("events[{}].", i++));
          if (event) events.push_back(std::move(*event));
          if (reader.is_full()) break;
        }
        reader.throw_if_any();
        if (study.events() != after) {
          if (study.events() >= after + events.size() && has_after(study, after, events)) {
            return json_answer(Document::Table{{"events", after + events.size()}});
          }
          throw Problem(409, "moved_on",
                        fmt::format("the journal has {} events, not {}", study.events(), after));
        }
        // After a restart the server knows no tuner: the first one that writes holds the study.
        if (!runner.is_alive()) runner = {tuner, "a tuner", {}};
        runner.until = Runner::SteadyClock::now() + Runner::kLease;
        try {
          for (const Event& event : events) {
            require_given(study, event);
            study.replay(event);
          }
        } catch (const StudyError& error) {
          throw Problem(409, "does_not_fit", error.what());
        }
        return json_answer(Document::Table{{"events", study.events()}});
      },
      std::move(done));
}

void Service::snapshot(const Request& request, Done done) {
  Query(request).check();
  host_.run(
      request,
      [study = study_of(request)](Store& store) {
        const auto snapshot = store.snapshot(record_of(store, study).id);
        if (!snapshot) throw Problem(404, "no_snapshot", "the study has no snapshot yet");
        return json_answer(Document::Table{{"events", snapshot->events},
                                           {"optimizer", snapshot->optimizer},
                                           {"tuner", snapshot->tuner}});
      },
      std::move(done));
}

/// Does nothing: the server makes its own snapshots of the same state.
void Service::set_snapshot(const Request& request, Done done) {
  Query(request).check();
  host_.write(
      study_of(request), request,
      [](Study& study, Runner& /*runner*/) {
        study.snapshot();
        return no_content();
      },
      std::move(done));
}

}  // namespace canopy::service
