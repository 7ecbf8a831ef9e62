// The routes of workers: what to try next, and how that went.

#include "canopy/study.hpp"

#include "service/body.hpp"
#include "service/service.hpp"
#include "studies/answers.hpp"
#include "studies/operations.hpp"
#include "tuning/tuner_state.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::uint64_t kMostTickets = 1000;  // of one ask
constexpr double kLongestLease = 30.0 * 24.0 * 3600.0;

void refuse_while_stopped(const TunerState& tuner) {
  const std::optional<RunnerCommand> order = tuner.order();
  if (!order) return;
  if (*order == RunnerCommand::end)
    throw Problem(409, "ended", "the study has ended; the command resume reopens it");
  throw Problem(
      409, "paused",
      fmt::format("the study is stopped by the command {}; resume continues it", name_of(*order)))
      .retry_after(10);
}

/// What came of several requests.
class Results {
 public:
  void add(const std::string& field, Outcome outcome) {
    if (!outcome.refusal) {
      results_.push_back(std::move(outcome.answer));
      return;
    }
    Mistake refusal = *std::move(outcome.refusal);
    results_.emplace_back(Document::Table{
        {"error", Document::Table{{"code", refusal.code}, {"message", refusal.message}}}});
    refusal.field = field;
    refusals_.push_back(std::move(refusal));
  }

  /// Throws when nothing at all has succeeded.
  [[nodiscard]] Response answer(Document document = {}) {
    if (refusals_.size() == results_.size()) throw Problem(409, std::move(refusals_));
    document.set("results", std::move(results_));
    return json_answer(document);
  }

 private:
  Document::List results_;
  std::vector<Mistake> refusals_;
};

/// The elements of a list of the body, each read by read(body, table, prefix).
template <class Read>
auto read_all(Body& body, const std::string& key, Read&& read) {
  std::vector<decltype(read(body, body.document(), key))> all;
  const Document::List& list = body.list(key);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string field = fmt::format("{}[{}]", key, i);
    all.push_back(read(body, body.table_at(list, i, field), field + "."));
  }
  body.check();
  return all;
}

/// Performs all of them, each on its own.
template <class Requests>
Results performed(Study& study, const std::string& key, const Requests& requests) {
  Results results;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    results.add(fmt::format("{}[{}]", key, i), perform(study, requests[i]));
  }
  return results;
}

}  // namespace

void Service::ask(const Request& request, Done done) {
  Body body(request);
  const Document& document = body.document();
  body.allow(document, "", {"pulls", "count", "lease_seconds"});
  const std::uint64_t pulls = body.whole(document, "", "pulls", 1, INT64_MAX).value_or(UINT64_MAX);
  const std::uint64_t count = body.whole(document, "", "count", 1, kMostTickets).value_or(1);
  const double lease = body.number(document, "", "lease_seconds", "wrong_type").value_or(0.0);
  if (document.contains("lease_seconds") && !(lease > 0.0 && lease <= kLongestLease)) {
    body.complain("lease_seconds", "wrong_type",
                  fmt::format("must be above 0 and at most {}", kLongestLease));
  }
  body.check();
  host_.write(
      study_of(request), request,
      [=](Study& study, Runner& runner) {
        refuse_beside(runner);
        refuse_while_stopped(tuner_state_of(study));
        const Space& space = study.specification().space;
        Document::List tickets;
        for (std::uint64_t i = 0; i < count; ++i) {
          tickets.push_back(pull_document(space, study, study.ask_on_lease(pulls, lease)));
        }
        return json_answer(Document::Table{{"tickets", std::move(tickets)}});
      },
      std::move(done));
}

void Service::in_flight(const Request& request, Done done) {
  Query(request, {}).check();
  host_.read(
      study_of(request), request,
      [](StudyView& study) {
        Document::List tickets;
        for (const Pull& pull : study.optimizer.in_flight()) {
          tickets.push_back(pull_document(study.specification.space, study.optimizer, pull));
        }
        return json_answer(Document::Table{{"tickets", std::move(tickets)}});
      },
      std::move(done));
}

void Service::tell(const Request& request, Done done) {
  Body body(request);
  body.allow(body.document(), "", {"tells"});
  host_.write(
      study_of(request), request,
      [tells = read_all(body, "tells", read_tell)](Study& study, Runner& runner) {
        refuse_beside(runner);
        Results results = performed(study, "tells", tells);
        return results.answer(Document::Table{{"t", study.summary().t}});
      },
      std::move(done));
}

void Service::drop(const Request& request, Done done) {
  Body body(request);
  body.allow(body.document(), "", {"tickets"});
  std::vector<Ticket> tickets;
  for (const Document& each : body.list("tickets")) {
    const auto ticket = each.as_whole();
    if (ticket && *ticket >= 0) {
      tickets.push_back(static_cast<Ticket>(*ticket));
    } else {
      body.complain(fmt::format("tickets[{}]", tickets.size()), "wrong_type",
                    "must be a whole number");
      break;
    }
  }
  body.check();
  host_.write(
      study_of(request), request,
      [tickets](Study& study, Runner& runner) {
        refuse_beside(runner);
        Results results;
        for (std::size_t i = 0; i < tickets.size(); ++i) {
          results.add(fmt::format("tickets[{}]", i), drop_ticket(study, tickets[i]));
        }
        return results.answer();
      },
      std::move(done));
}

namespace {

/// The work of a request with a list of things about arms, which only those can read who know the
/// space.
template <class Read>
auto work_about_arms(const Request& request, const std::string& key, Read read) {
  auto body = std::make_shared<Body>(request);
  body->allow(body->document(), "", {key});
  (void)body->list(key);
  body->check();
  return [body, key, read](Study& study, Runner& runner) {
    refuse_beside(runner);
    const Space& space = study.specification().space;
    const auto requests =
        read_all(*body, key, [&](Body& each, const Document& table, const std::string& prefix) {
          return read(each, table, prefix, space);
        });
    return performed(study, key, requests).answer();
  };
}

}  // namespace

void Service::observe(const Request& request, Done done) {
  host_.write(study_of(request), request,
              work_about_arms(request, "observations", read_observation), std::move(done));
}

void Service::bar(const Request& request, Done done) {
  host_.write(study_of(request), request, work_about_arms(request, "bars", read_bar),
              std::move(done));
}

}  // namespace canopy::service
