// The routes of workers: what to try next, and how that went.

#include "canopy/study.hpp"

#include "service/body.hpp"
#include "service/service.hpp"
#include "studies/answers.hpp"
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
  const std::optional<Act> order = tuner.order();
  if (!order) return;
  if (*order == Act::end)
    throw Problem(409, "ended", "the study has ended; the act resume reopens it");
  throw Problem(
      409, "paused",
      fmt::format("the study is stopped by the act {}; resume continues it", name_of(*order)))
      .retry_after(10);
}

/// One result among several.
class Results {
 public:
  void add(Document result) { results_.push_back(std::move(result)); }
  void add_error(std::string field, std::string_view code, std::string_view message) {
    results_.emplace_back(
        Document::Table{{"error", Document::Table{{"code", code}, {"message", message}}}});
    mistakes_.push_back({std::move(field), std::string(code), std::string(message)});
  }
  void add(Status status, const std::string& field, Document result) {
    if (is_taken(status)) {
      add(std::move(result));
    } else {
      add_error(field, name_of(status), describe(status));
    }
  }

  /// Throws when nothing at all has succeeded.
  [[nodiscard]] Answer answer(Document document = {}) {
    if (mistakes_.size() == results_.size()) {
      throw Problem(409, std::move(mistakes_));
    }
    document.set("results", std::move(results_));
    return json_answer(document);
  }

 private:
  Document::List results_;
  std::vector<Mistake> mistakes_;
};

std::optional<double> worth_of_failure(const std::optional<double>& given,
                                       const Optimizer& optimizer) {
  return given ? given : optimizer.failure_reward();
}

/// An element of a list of the body, which must be an object.
const Document& table_at(Body& body, const Document::List& list, std::size_t i,
                         const std::string& field) {
  static const Document empty = Document::Table{};
  if (list[i].as_table() != nullptr) return list[i];
  body.complain(field, "wrong_type", "must be an object");
  return empty;
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

namespace {

struct GivenTell {
  Ticket ticket = 0;
  bool failed = false;
  std::optional<double> worth = {};  // of the failure
  std::optional<GivenRewards> rewards = {};
};

std::vector<GivenTell> tells_in(const Request& request) {
  Body body(request);
  body.allow(body.document(), "", {"tells"});
  const Document::List& list = body.list("tells");
  std::vector<GivenTell> tells;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string field = fmt::format("tells[{}]", i);
    const Document& table = table_at(body, list, i, field);
    body.allow(
        table, field + ".",
        {"ticket", "reward", "rewards", "count", "sum", "sum_squares", "min", "max", "failed"});
    GivenTell tell;
    tell.ticket = body.required_whole(table, field + ".", "ticket").value_or(0);
    tell.failed = body.flag(table, field + ".", "failed");
    if (tell.failed) {
      body.allow(table, field + ".", {"ticket", "failed", "reward"});
      tell.worth = body.number(table, field + ".", "reward");
    } else {
      body.allow(
          table, field + ".",
          {"ticket", "reward", "rewards", "count", "sum", "sum_squares", "min", "max", "failed"});
      tell.rewards = body.rewards(table, field + ".");
    }
    tells.push_back(std::move(tell));
  }
  body.check();
  return tells;
}

void tell_one(Study& study, const GivenTell& tell, const std::string& field, Results& results) {
  if (tell.failed) {
    const std::optional<double> worth = worth_of_failure(tell.worth, study);
    if (!worth) {
      results.add_error(field, "no_reward_yet", kNoRewardYet);
      return;
    }
    const Status status = study.penalize(tell.ticket, *worth);
    results.add(status, field,
                Document::Table{{"ok", true}, {"t", study.summary().t}, {"reward", *worth}});
    return;
  }
  const Status status = std::visit(
      [&]<class Given>(const Given& given) {
        if constexpr (std::is_same_v<Given, std::vector<double>>) {
          return study.tell(tell.ticket, std::span<const double>(given));
        } else {
          return study.tell(tell.ticket, given);
        }
      },
      *tell.rewards);
  results.add(status, field, Document::Table{{"ok", true}, {"t", study.summary().t}});
}

Rewards sums_of(const GivenRewards& given) {
  return std::visit(
      []<class Given>(const Given& rewards) {
        if constexpr (std::is_same_v<Given, double>) {
          return Rewards::one(rewards);
        } else if constexpr (std::is_same_v<Given, Rewards>) {
          return rewards;
        } else {
          return Rewards::of(rewards);
        }
      },
      given);
}

}  // namespace

void Service::tell(const Request& request, Done done) {
  host_.write(
      study_of(request), request,
      [tells = tells_in(request)](Study& study, Runner& runner) {
        refuse_beside(runner);
        Results results;
        for (std::size_t i = 0; i < tells.size(); ++i) {
          tell_one(study, tells[i], fmt::format("tells[{}]", i), results);
        }
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
          results.add(study.drop(tickets[i]), fmt::format("tickets[{}]", i),
                      Document::Table{{"ok", true}});
        }
        return results.answer();
      },
      std::move(done));
}

void Service::observe(const Request& request, Done done) {
  auto body = std::make_shared<Body>(request);
  body->allow(body->document(), "", {"observations"});
  (void)body->list("observations");
  body->check();
  host_.write(
      study_of(request), request,
      [body](Study& study, Runner& runner) {
        refuse_beside(runner);
        struct Observation {
          std::vector<double> arm;
          Rewards rewards;
        };
        std::vector<Observation> observations;
        const Document::List& list = body->list("observations");
        for (std::size_t i = 0; i < list.size(); ++i) {
          const std::string field = fmt::format("observations[{}]", i);
          const Document& table = table_at(*body, list, i, field);
          body->allow(table, field + ".",
                      {"arm", "reward", "rewards", "count", "sum", "sum_squares", "min", "max"});
          const auto arm = body->arm(table, field + ".", study.specification().space);
          const auto rewards = body->rewards(table, field + ".");
          if (arm && rewards) observations.push_back({*arm, sums_of(*rewards)});
        }
        body->check();
        Results results;
        for (std::size_t i = 0; i < observations.size(); ++i) {
          results.add(study.observe(observations[i].arm, observations[i].rewards),
                      fmt::format("observations[{}]", i), Document::Table{{"ok", true}});
        }
        return results.answer();
      },
      std::move(done));
}

void Service::bar(const Request& request, Done done) {
  auto body = std::make_shared<Body>(request);
  body->allow(body->document(), "", {"bars"});
  (void)body->list("bars");
  body->check();
  host_.write(
      study_of(request), request,
      [body](Study& study, Runner& runner) {
        refuse_beside(runner);
        std::vector<std::pair<std::vector<double>, std::optional<double>>> bars;
        const Document::List& list = body->list("bars");
        for (std::size_t i = 0; i < list.size(); ++i) {
          const std::string field = fmt::format("bars[{}]", i);
          const Document& table = table_at(*body, list, i, field);
          body->allow(table, field + ".", {"arm", "reward"});
          const auto arm = body->arm(table, field + ".", study.specification().space);
          const auto reward = body->number(table, field + ".", "reward");
          if (arm) bars.emplace_back(*arm, reward);
        }
        body->check();
        Results results;
        for (std::size_t i = 0; i < bars.size(); ++i) {
          const std::string field = fmt::format("bars[{}]", i);
          const std::optional<double> worth = worth_of_failure(bars[i].second, study);
          if (!worth) {
            results.add_error(field, "no_reward_yet", kNoRewardYet);
            continue;
          }
          results.add(study.bar(bars[i].first, *worth), field,
                      Document::Table{{"ok", true}, {"reward", *worth}});
        }
        return results.answer();
      },
      std::move(done));
}

}  // namespace canopy::service
