#include "journal/replay.hpp"

#include "canopy/errors.hpp"
#include "canopy/journal.hpp"
#include "canopy/study_error.hpp"

#include "journal/told.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {
namespace {

void require(bool fits, std::string_view what) {
  if (!fits) throw StudyError(StudyError::Fault::damaged, std::string(what));
}

void require(Status status) {
  require(is_taken(status), describe(status));
}

void require_the_same(const Pull& pull, const Asked& event) {
  require(pull.ticket == event.ticket, "the next ticket has another number");
  require(pull.purpose == event.purpose, "the optimizer would ask for another purpose");
  require(std::equal(pull.arm.begin(), pull.arm.end(), event.arm.begin(), event.arm.end()),
          "the optimizer would play another arm");
}

/// Replays an event and checks that the optimizer chooses the same arm.
struct EventReplay {
  Optimizer& optimizer;
  bool& concerns_optimizer;

  [[nodiscard]] Pull ask(const Asked& event) const {
    if (event.again) return optimizer.ask_again();
    const std::uint64_t pulls = event.pulls == 0 ? UINT64_MAX : event.pulls;
    require_context(event.context);
    return optimizer.ask_as({.ticket = event.ticket,
                             .arm = event.arm,
                             .length = event.length,
                             .purpose = event.purpose,
                             .then = event.then,
                             .round = event.round},
                            pulls, event.context);
  }
  /// Requires a context exactly if the optimizer uses contexts; the optimizer validates its values.
  void require_context(Context context) const {
    require(context.empty() == optimizer.contexts().empty(),
            context.empty() ? "it has no context" : "it has a context, but the study has none");
  }

  void operator()(const Asked& event) const {
    const Pull pull = ask(event);
    require_the_same(pull, event);
    require(pull.length == event.length, "the optimizer would ask for another number of pulls");
  }
  void operator()(const Told& event) const {
    require(tell(optimizer, event.ticket, event.rewards));
  }
  void operator()(const Penalized& event) const {
    require(optimizer.penalize(event.ticket, event.reward));
  }
  void operator()(const Barred& event) const { require(optimizer.bar(event.arm, event.reward)); }
  void operator()(const Observed& event) const {
    concerns_optimizer = event.role == Role::search;
    if (!concerns_optimizer) return;
    require_context(event.context);
    require(optimizer.observe_in(event.context, event.arm, sums_of(event.rewards)));
  }
  void operator()(const MetricsMeasured& event) const {
    concerns_optimizer = !event.arm.empty();
    if (!concerns_optimizer) return;
    if (event.ticket != 0) {
      require(optimizer.measure(event.ticket, event.arm, event.metrics));
      return;
    }
    require_context(event.context);
    require(optimizer.measure_in(event.context, event.arm, event.metrics));
  }
  void operator()(const RangeSet& event) const { optimizer.set_reward_range(event.range); }
  void operator()(const Dropped& event) const { require(optimizer.drop(event.ticket)); }
  void operator()(const Finished& /*event*/) const { optimizer.finish(); }
  template <class OfTheTuner>
  void operator()(const OfTheTuner& /*event*/) const {
    concerns_optimizer = false;
  }
};

}  // namespace

bool replay_event(Optimizer& optimizer, const Event& event) {
  bool concerns_optimizer = true;
  try {
    std::visit(EventReplay{optimizer, concerns_optimizer}, event);
  } catch (const ConfigurationError& error) {  // the context is invalid
    throw StudyError(StudyError::Fault::damaged, error.what());
  }
  return concerns_optimizer;
}

void replay_tuner_event(Optimizer& optimizer, const Event& event) {
  const auto* applied = std::get_if<Applied>(&event);
  if (applied != nullptr && applied->ticket == 0) optimizer.interrupt();
  if (const auto* begun = std::get_if<ComparisonBegun>(&event)) {
    optimizer.begin_comparison(begun->arm);
  } else if (const auto* ended = std::get_if<ComparisonEnded>(&event)) {
    optimizer.end_comparison(ended->refuted);
  }
  const auto* observed = std::get_if<Observed>(&event);
  if (observed == nullptr || observed->role != Role::baseline) return;
  // If the baseline is outside the space, no optimizer can use its rewards.
  (void)optimizer.remember(observed->arm, sums_of(observed->rewards));
}

std::vector<JournalEntry> observations_of(Store& store, const StudyRecord& record,
                                          const Space& space, bool keeps_contexts) {
  std::vector<JournalEntry> entries;
  std::map<Ticket, std::vector<MetricsMeasured>> waiting;
  const auto take = [&](const JournalEntry& entry, std::optional<Arm> arm, Context context) {
    if (!arm || !space.contains(*arm)) return;
    const std::vector<double> owned(arm->begin(), arm->end());
    std::vector<double> where;
    if (keeps_contexts) where.assign(context.begin(), context.end());
    const auto add = [&](const MetricsMeasured& metrics) {
      entries.push_back({entries.size() + 1, entry.at, metrics});
    };
    if (const auto* measured = std::get_if<MetricsMeasured>(&entry.event)) {
      const MetricsMeasured metrics{0, measured->metrics, owned, where};
      if (measured->ticket == 0) {
        add(metrics);
      } else {  // used only if the reward of the ticket is learnt
        waiting[measured->ticket].push_back(metrics);
      }
    } else if (const auto* told = std::get_if<Told>(&entry.event)) {
      const auto metrics = waiting.extract(told->ticket);
      if (metrics && !told->skipped) {
        for (const MetricsMeasured& each : metrics.mapped()) add(each);
      }
    }
    if (const std::optional<Rewards> rewards = rewards_of(entry.event)) {
      Observed observed{owned, shortest(*rewards)};
      observed.context = where;
      entries.push_back({entries.size() + 1, entry.at, std::move(observed)});
    }
  };
  read_journal(store, record, take);
  return entries;
}

}  // namespace canopy
