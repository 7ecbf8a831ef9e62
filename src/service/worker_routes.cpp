// The routes of workers: ask and tell.

#include "canopy/study.hpp"

#include "journal/ticket_leases.hpp"
#include "service/body.hpp"
#include "service/request_bodies.hpp"
#include "service/service.hpp"
#include "studies/answers.hpp"
#include "studies/operations.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
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

constexpr double kMostOpenTickets = 1e6;  // of one study

void refuse_while_stopped(const TunerState& tuner) {
  const std::optional<RunnerCommand> order = tuner.order();
  if (!order) return;
  if (*order == RunnerCommand::end)
    throw Problem(409, "ended", "the study has ended; post the command resume to reopen it");
  throw Problem(
      409, "paused",
      fmt::format("the study is stopped by the command {}; resume continues it", name_of(*order)))
      .retry_after(10);
}

void refuse_more_tickets(const Study& study, std::uint64_t count, std::optional<double> most) {
  const double limit = std::min(most.value_or(kMostOpenTickets), kMostOpenTickets);
  if (static_cast<double>(study.summary().in_flight + count) <= limit) return;
  throw Problem(429, "too_many_tickets",
                fmt::format("the limit is {:g} open tickets of this study", limit))
      .retry_after(1);
}

constexpr const char* kGone = "gone";

Mistake gone() {
  return {.code = kGone,
          .message =
              "this ticket is of another incarnation of the study, which was deleted and created "
              "again, or restored from a backup; ask again"};
}

/// The results of several items of one request.
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

  /// Throws Problem if all items were refused.
  [[nodiscard]] Response answer(Document document = {}) {
    if (refusals_.size() == results_.size()) {
      const bool all_gone = std::all_of(refusals_.begin(), refusals_.end(),
                                        [](const Mistake& each) { return each.code == kGone; });
      if (refusals_.size() > Body::kMostMistakes) refusals_.resize(Body::kMostMistakes);
      throw Problem(all_gone ? 410 : 409, std::move(refusals_));
    }
    document.set("results", std::move(results_));
    return json_answer(document);
  }

 private:
  Document::List results_;
  std::vector<Mistake> refusals_;
};

/// Reads the objects of a list in the body by read(body, table, prefix).
template <class Read>
auto read_all(Body& body, const RequestField& key, Read&& read) {
  std::vector<decltype(read(body, body.document(), ""))> all;
  const Document::List& list = body.list(key);
  for (std::size_t i = 0; i < list.size() && !body.is_full(); ++i) {
    const std::string field = fmt::format("{}[{}]", key.name, i);
    all.push_back(read(body, body.table_at(list, i, field), field + "."));
  }
  body.check();
  return all;
}

const NamedTicket* ticket_of(const TellRequest& request) {
  return &request.ticket;
}
const NamedTicket* ticket_of(const NamedTicket& ticket) {
  return &ticket;
}
template <class Other>
const NamedTicket* ticket_of(const Other& /*request*/) {
  return nullptr;
}

/// Performs each item on its own. Tickets of another incarnation are refused first, because their
/// numbers may now belong to other arms.
template <class Requests>
Results performed(Study& study, const RequestField& key, const Requests& requests) {
  Results results;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const NamedTicket* ticket = ticket_of(requests[i]);
    const bool is_gone =
        ticket != nullptr && study.incarnation_of(ticket->number) != ticket->incarnation;
    results.add(fmt::format("{}[{}]", key.name, i),
                is_gone ? Outcome{.refusal = gone()} : perform(study, requests[i]));
  }
  return results;
}

/// A pull as it is sent to clients.
Document named_pull(const Space& space, Optimizer& optimizer, const Pull& pull,
                    const std::string& incarnation) {
  Document document = pull_document(space, optimizer, pull);
  document.set("ticket", NamedTicket{pull.ticket, incarnation}.text());
  return document;
}

}  // namespace

void Service::ask(const Request& request, Done done) {
  auto body = std::make_shared<Body>(request);
  const std::uint64_t pulls = body->whole(request::kPulls).value_or(UINT64_MAX);
  const std::uint64_t count = body->whole(request::kCount).value_or(request::kCount.usual);
  const double lease = body->number(request::kLeaseSeconds).value_or(0.0);
  body->check();
  host_.write(
      study_of(request), request,
      [=, most = request.may_see ? request.may_see->max_tickets : std::nullopt](Study& study,
                                                                                Runner& runner) {
        require_no_other_tuner(runner);
        refuse_while_stopped(tuner_state_of(study));
        const std::vector<double> context = body->context(body->document(), "", study.contexts());
        body->check();
        refuse_more_tickets(study, count, most);
        const Space& space = study.specification().space;
        Document::List tickets;
        for (std::uint64_t i = 0; i < count; ++i) {
          const Pull pull = study.ask_on_lease(pulls, lease, context);
          tickets.push_back(named_pull(space, study, pull, study.incarnation_of(pull.ticket)));
        }
        return json_answer(Document::Table{{"tickets", std::move(tickets)}});
      },
      std::move(done));
}

void Service::in_flight(const Request& request, Done done) {
  Query(request).check();
  host_.read(
      study_of(request), request,
      [](StudyView& study) {
        Document::List tickets;
        for (const Pull& pull : study.optimizer.in_flight()) {
          tickets.push_back(named_pull(study.specification.space, study.optimizer, pull,
                                       study.tickets.incarnation_of(pull.ticket)));
        }
        return json_answer(Document::Table{{"tickets", std::move(tickets)}});
      },
      std::move(done));
}

void Service::tell(const Request& request, Done done) {
  Body body(request);
  host_.write(
      study_of(request), request,
      [tells = read_all(body, request::kTells, read_tell)](Study& study, Runner& runner) {
        require_no_other_tuner(runner);
        Results results = performed(study, request::kTells, tells);
        return results.answer(Document::Table{{"t", study.summary().t}});
      },
      std::move(done));
}

void Service::drop(const Request& request, Done done) {
  Body body(request);
  std::vector<NamedTicket> tickets;
  for (const Document& each : body.list(request::kTickets)) {
    tickets.push_back(body.ticket_in(each, fmt::format("tickets[{}]", tickets.size())));
    if (body.is_full()) break;
  }
  body.check();
  host_.write(
      study_of(request), request,
      [tickets](Study& study, Runner& runner) {
        require_no_other_tuner(runner);
        return performed(study, request::kTickets, tickets).answer();
      },
      std::move(done));
}

namespace {

/// The work of a request with a list of items that name arms. The arms are parsed when the study is
/// open, because parsing needs its space.
template <class Read>
auto work_about_arms(const Request& request, const RequestField& key, Read read) {
  auto body = std::make_shared<Body>(request);
  (void)body->list(key);
  body->check();
  return [body, key, read](Study& study, Runner& runner) {
    require_no_other_tuner(runner);
    const Names names(study.specification().space, study.specification().contexts);
    const auto requests =
        read_all(*body, key, [&](Body& each, const Document& table, const std::string& prefix) {
          return read(each, table, prefix, names);
        });
    return performed(study, key, requests).answer();
  };
}

}  // namespace

void Service::observe(const Request& request, Done done) {
  host_.write(study_of(request), request,
              work_about_arms(request, request::kObservations, read_observation), std::move(done));
}

void Service::bar(const Request& request, Done done) {
  host_.write(study_of(request), request, work_about_arms(request, request::kBars, read_bar),
              std::move(done));
}

}  // namespace canopy::service
