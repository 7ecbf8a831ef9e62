// The routes that show what a study has learnt.

#include "canopy/clock.hpp"
#include "canopy/study.hpp"

#include "core/comma_list.hpp"
#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/json.hpp"
#include "files/record.hpp"
#include "insight/arms_document.hpp"
#include "insight/best_answer.hpp"
#include "insight/estimate_picture.hpp"
#include "insight/history_document.hpp"
#include "insight/knob_effects.hpp"
#include "insight/possible_commands.hpp"
#include "insight/tree_picture.hpp"
#include "journal/event_document.hpp"
#include "service/body.hpp"
#include "service/request_bodies.hpp"
#include "service/service.hpp"
#include "studies/answers.hpp"
#include "studies/policy_document.hpp"
#include "studies/request_reader.hpp"
#include "tuning/comparing.hpp"
#include "tuning/comparison.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::size_t kSparkPoints = 40;
constexpr const char* kGlance = "glance";  // the part that depends only on the journal

/// The commands that make sense now, as they would be posted, and the minimum pulls of a
/// comparison.
Document commands_now(const StudyView& study, StudyPhase phase) {
  const auto& system = study.specification.system;
  const bool has_baseline = system && study.specification.baseline;
  const CommandFacts facts{.order = study.tuner.order(),
                           .phase = phase,
                           .has_system = system.has_value(),
                           .has_baseline = has_baseline,
                           .has_best = has_baseline && study.optimizer.best().has_value()};
  Document::List commands;
  for (const RunnerCommand command : possible_commands(facts)) {
    Document each = Document::Table{{"command", name_of(command)}};
    if (command == RunnerCommand::confirm) {
      each.set("pulls", study.specification.budget.confirm_pulls.value_or(kConfirmPulls));
      each.set("least_pulls", 2 * Pairs::fewest(1.0 - study.specification.objective.confidence) *
                                  visit_of(study.specification));
    }
    commands.push_back(std::move(each));
  }
  return commands;
}

/// The context given in the query. Throws Problem.
std::vector<double> context_in(const std::optional<Document>& given, const ContextSpace& contexts,
                               bool may_be_missing) {
  Document table = Document::Table{};
  if (given) table.set(request::kContext.name, *given);
  RequestReader reader(std::move(table), RequestReader::Tickets::by_name);
  std::vector<double> context = reader.context(reader.document(), "?", contexts, may_be_missing);
  if (!reader.mistakes().empty()) throw Problem(reader.mistakes());
  return context;
}

/// Reads entries of a study's journal.
ReadEntries entries_of(Store& store, const StudyRecord& record) {
  return [&store, id = record.id](std::uint64_t after, std::uint64_t limit, const auto& visit) {
    store.read(id, {after, limit}, visit);
  };
}

}  // namespace

/// Serves an answer that depends only on the journal and the specification, from the cache if
/// possible.
void Service::look(const Request& request, StudyHost::Read make, Done done) {
  host_.read(
      study_of(request), request,
      [this, target = request.target, make = std::move(make)](StudyView& study) {
        if (target.empty()) return make(study);  // not a request from the network
        if (auto kept = looks_.find(study.record, target)) return Response{200, *std::move(kept)};
        Response answer = make(study);
        if (answer.status == 200) looks_.keep(study.record, target, answer.body);
        return answer;
      },
      std::move(done));
}

void Service::best(const Request& request, Done done) {
  // A stream has no query and therefore no context: it shows the context of the last ask.
  const bool is_for_stream = request.target.empty();
  std::optional<Document> context;
  if (!is_for_stream) {
    Query query(request);
    context = query.json(request::kContext.name);
    query.check();
  }
  look(
      request,
      [context, is_for_stream](StudyView& study) {
        const std::vector<double> seen =
            context_in(context, study.specification.contexts, is_for_stream);
        const auto best = seen.empty() ? study.optimizer.best() : study.optimizer.best_in(seen);
        if (!best) {
          throw Problem(409, "no_best",
                        no_best_text(study.specification.space, study.optimizer, seen));
        }
        BestAnswer answer = best_answer(study.optimizer, *best, study.specification, study.tuner);
        answer.warning = study.warning;
        return json_answer(record_of(study.specification.space, answer));
      },
      std::move(done));
}

void Service::policy(const Request& request, Done done) {
  Query(request).check();
  look(
      request,
      [](StudyView& study) {
        const std::optional<Policy> policy = study.optimizer.policy();
        if (!policy) throw Problem(409, "no_contexts", std::string(kNoContexts));
        Document document =
            policy_document({study.specification.space, study.specification.contexts}, *policy);
        if (!study.warning.empty()) document.set("warning", study.warning);
        return json_answer(document);
      },
      std::move(done));
}

void Service::summary(const Request& request, Done done) {
  Query(request).check();
  host_.read(
      study_of(request), request,
      [this](StudyView& study) {
        Document document = record_of(study.specification.space, study.optimizer.summary());
        const auto range = study.optimizer.reward_range();
        document.set("reward_range",
                     range ? Document(Document::List{range->front(), range->back()}) : "auto");
        if (const auto worth = study.optimizer.failure_reward()) {
          document.set("failure_reward", *worth);
        }
        const TunerState& tuner = study.tuner;
        document.set("stopped_by", stopped_by(tuner.order(), tuner.ordered_by()));
        document.set("failures", tuner.failures());
        document.set("setting_changes", tuner.changes());
        if (tuner.setting().size() == study.specification.space.dimension()) {
          document.set("setting", arm_document(study.specification.space, tuner.setting()));
        }
        if (const auto learnt = study.optimizer.learnt()) {
          document.set("learnt", record_of(study.specification.space, *learnt));
        }
        document.set("now", machine_clock().wall_time());
        document.set("events", study.record.events);
        document.set("pulls", study.record.pulls);
        document.set("updated", study.record.updated);
        const Standing standing =
            standing_of(study.record, parse_json(study.record.specification, study.record.name),
                        study.here, *store_);
        document.set("state", standing.state);
        document.set("phase", name_of(standing.report.phase));
        document.set("is_over", is_over(standing.report.phase));
        if (!standing.report.why.empty()) document.set("why", standing.report.why);
        document.set("commands", commands_now(study, standing.report.phase));
        if (!study.open_by.empty()) document.set("open_by", study.open_by);
        if (!study.warning.empty()) document.set("warning", study.warning);
        return json_answer(document);
      },
      std::move(done));
}

/// Returns the data that lists show of a study. The part that depends on the journal is computed
/// once for each number of events; the best arm is computed where the study is open.
void Service::glance(const Request& request, Done done) {
  Query(request).check();
  auto glance = std::make_shared<Document>();
  const auto begin = [this, glance, name = study_of(request)](Store& store) {
    const StudyRecord record = record_of(store, name);
    const Document specification = parse_json(record.specification, record.name);
    const Standing standing =
        standing_of(record, specification, host_.state_of(record.name), store);
    *glance = Document::Table{{"name", record.name},
                              {"direction", *specification.find("direction")},
                              {"phase", name_of(standing.report.phase)}};
    if (!standing.report.why.empty()) glance->set("why", standing.report.why);
    glance->set("pulls", record.pulls);
    glance->set("events", record.events);
    glance->set("updated", record.updated);
    glance->set("now", machine_clock().wall_time());
    if (const auto known = kept_glance(record)) {
      for (const auto& each : *known->as_table()) glance->set(each.first, each.second);
      return json_answer(*glance);
    }
    (void)host_.histories().look(store, record, [&](const RewardHistory& history) {
      const HistoryPicture picture =
          picture_of(history, {.buckets = kSparkPoints}, entries_of(store, record));
      Document::List spark;
      for (const HistoryPart& part : picture.rewards) spark.emplace_back(part.rewards.mean());
      const Rewards& baseline = history.baseline();
      glance->set("spark", std::move(spark));
      glance->set("baseline_mean", baseline.count > 0 ? Document(baseline.mean()) : Document());
      return Response{};
    });
    return no_content();  // all of it but the best arm
  };
  host_.run(request, begin, [this, glance, request, done = std::move(done)](Response answer) {
    if (answer.status != 204) return done(std::move(answer));
    host_.read(
        study_of(request), request,
        [this, glance](StudyView& study) {
          const auto best = study.optimizer.best();
          glance->set("best", best ? record_of(study.specification.space,
                                               best_answer(study.optimizer, *best,
                                                           study.specification, study.tuner))
                                   : Document());
          keep_glance(study.record, *glance);
          return json_answer(*glance);
        },
        done);
  });
}

std::optional<Document> Service::kept_glance(const StudyRecord& record) {
  const auto kept = looks_.find(record, kGlance);
  return kept ? std::optional(parse_json(*kept, kGlance)) : std::nullopt;
}

/// Keeps the glance unless the study has new events since it was computed.
void Service::keep_glance(const StudyRecord& record, const Document& glance) {
  const auto events = glance.find("events")->as_whole();
  if (!events || !std::cmp_equal(*events, record.events)) return;
  Document known;
  for (const char* key : {"spark", "baseline_mean", "best"}) known.set(key, *glance.find(key));
  looks_.keep(record, kGlance, json_text(known));
}

void Service::tree(const Request& request, Done done) {
  Query query(request);
  const TreeChoice choice{.most = query.whole("limit").value_or(SIZE_MAX),
                          .cells = query.flag("cells")};
  query.check();
  look(
      request,
      [choice](StudyView& study) {
        return json_answer(tree_picture(study.specification, study.optimizer, choice));
      },
      std::move(done));
}

void Service::arms(const Request& request, Done done) {
  Query query(request);
  const std::uint64_t most = *query.whole("limit");
  query.check();
  look(
      request,
      [most](StudyView& study) {
        return json_answer(arms_document(study.specification.space, study.optimizer, most));
      },
      std::move(done));
}

void Service::knobs(const Request& request, Done done) {
  Query(request).check();
  look(
      request,
      [](StudyView& study) {
        return json_answer(knobs_document(study.specification, study.optimizer));
      },
      std::move(done));
}

void Service::estimate(const Request& request, Done done) {
  Query query(request);
  const std::uint64_t points = query.whole("points").value_or(0);
  const std::string x = query.text("x");
  const std::string y = query.text("y");
  query.check();
  look(
      request,
      [points, x, y](StudyView& study) {
        const EstimateAxes axes{.x = x, .y = y, .points = points};
        if (const auto wrong = wrong_axis(study.specification.space, axes)) {
          throw Problem({{"?" + wrong->parameter, "unknown_key", wrong->message}});
        }
        return json_answer(estimate_picture(study.specification, study.optimizer, axes));
      },
      std::move(done));
}

void Service::history(const Request& request, Done done) {
  Query query(request);
  const HistoryRange range{.by_time = query.word("by") == "time",
                           .from = query.number("from"),
                           .to = query.number("to"),
                           .buckets = *query.whole("buckets")};
  if (range.from && range.to && *range.from > *range.to) {
    query.complain("to", "wrong_type", "must not be less than from");
  }
  query.check();
  host_.run(
      request,
      [this, range, name = study_of(request)](Store& store) {
        const StudyRecord record = record_of(store, name);
        const Space space = specification_of(record).space;
        return host_.histories().look(store, record, [&](const RewardHistory& history) {
          const HistoryPicture picture = picture_of(history, range, entries_of(store, record));
          return json_answer(history_document(space, history, range, picture));
        });
      },
      std::move(done));
}

namespace {

/// A bit mask of the event kinds in a comma-separated list.
std::uint32_t kinds_in(Query& query, const std::string& text) {
  const std::span<const std::string_view> names = event_kinds();
  std::uint32_t kinds = 0;
  for (const std::string& name : words_between_commas(text)) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      query.complain("kinds", "wrong_type", unknown_name("kind", name, names));
    } else {
      kinds |= 1U << static_cast<unsigned>(found - names.begin());
    }
  }
  return kinds;
}

/// Visits the newest entries below a number, of all kinds.
void visit_all_newest(std::uint64_t before, std::uint64_t limit, const ReadEntries& read,
                      const std::function<bool(const JournalEntry&)>& visit) {
  std::vector<JournalEntry> entries;
  const std::uint64_t after = before - 1 - std::min(before - 1, limit);
  read(after, before - 1 - after, [&](const JournalEntry& entry) { entries.push_back(entry); });
  for (auto entry = entries.rbegin(); entry != entries.rend() && visit(*entry);) ++entry;
}

}  // namespace

void Service::events(const Request& request, Done done) {
  Query query(request);
  const bool newest_first = query.word("order") == "newest";
  const std::uint64_t after = query.whole("after").value_or(0);
  const std::uint64_t before = query.whole("before").value_or(INT64_MAX);
  const std::uint64_t limit = *query.whole("limit");
  const bool some_kinds = request.query.contains("kinds");
  const std::uint32_t kinds = kinds_in(query, query.text("kinds"));
  if (newest_first && request.query.contains("after")) {
    query.complain("after", "malformed_request",
                   "is for the default order; use `before` with order=newest");
  }
  if (!newest_first && request.query.contains("before")) {
    query.complain("before", "malformed_request",
                   "is for order=newest; use `after` with the default order");
  }
  query.check();
  host_.run(
      request,
      [=, this, name = study_of(request)](Store& store) {
        const StudyRecord record = record_of(store, name);
        const StudySpecification specification = specification_of(record);
        const ReadEntries read = entries_of(store, record);
        Document::List events;
        std::uint64_t last_seen = 0;
        const auto visit = [&](const JournalEntry& entry) {
          events.push_back(entry_document({specification.space, specification.contexts}, entry));
          last_seen = entry.number;
          return events.size() < limit;
        };
        const std::uint64_t end = std::min(before, record.events + 1);
        if (some_kinds) {
          (void)host_.histories().look(store, record, [&](const RewardHistory& history) {
            if (newest_first) {
              visit_newest(history, kinds, end, read, visit);
            } else {
              visit_oldest(history, kinds, after, read, visit);
            }
            return Response{};
          });
        } else if (newest_first) {
          visit_all_newest(end, limit, read, visit);
        } else {
          read(after, limit, visit);
        }
        const bool is_page = events.size() == limit;
        Document next;
        if (newest_first) {
          if (is_page && last_seen > 1) next = last_seen;
        } else if (some_kinds && !is_page) {
          next = std::max(
              {after, record.events, last_seen});  // there are no more matching events up to here
        } else {
          next = std::max(after, last_seen);
        }
        return json_answer(Document::Table{
            {"events", std::move(events)}, {"next", next}, {"last", record.events}});
      },
      std::move(done));
}

void Service::frames(const Request& request, Done done) {
  Query query(request);
  const std::uint64_t after = query.whole("after").value_or(0);
  const std::uint64_t limit = *query.whole("limit");
  host_.run(
      request,
      [after, limit, name = study_of(request)](Store& store) {
        const StudyRecord record = record_of(store, name);
        const StudySpecification specification = specification_of(record);
        const Names names(specification.space, specification.contexts);
        std::string text;
        std::uint64_t last = after;
        store.read(record.id, {after, limit}, [&](const JournalEntry& entry) {
          text += fmt::format("id: {}\nevent: journal\ndata: {}\n\n", entry.number,
                              json_text(entry_document(names, entry)));
          last = entry.number;
        });
        return Response{
            200,
            std::move(text),
            "text/event-stream",
            {{"Next", std::to_string(last)}, {"Newest", std::to_string(record.events)}}};
      },
      std::move(done));
}

/// Answers the head of a stream; the server sends the events.
void Service::stream(const Request& request, Done done) {
  Query query(request);
  (void)query.whole("after").value_or(0);
  (void)query.flag("journal");
  query.check();
  host_.run(
      request,
      [name = study_of(request)](Store& store) {
        (void)record_of(store, name);
        return Response{200, "", "text/event-stream", {{"Cache-Control", "no-store"}}};
      },
      std::move(done));
}

}  // namespace canopy::service
