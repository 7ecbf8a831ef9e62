#include "tuning/tuner_state.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace canopy {
namespace {

const TunerState& state_in(const JournalFold* fold) {
  const auto* state = dynamic_cast<const TunerState*>(fold);
  if (state == nullptr)
    throw std::logic_error("the study was opened without the state of its tuner");
  return *state;
}

template <class List>
void transfer_list(State& state, List& list) {
  std::vector<double> values(list.begin(), list.end());
  state(values);
  list.assign(values.begin(), values.end());
}

}  // namespace

TunerState::TunerState(const StudySpecification& study)
    : dimension_(study.space.dimension()),
      variables_(study.contexts.size()),
      level_(study.objective.confidence),
      direction_(study.objective.direction) {
  if (study.baseline) baseline_ = study.baseline->setting;
  if (study.system && study.system->options.floor)
    window_size_ = study.system->options.floor_window;
}

void TunerState::apply(const JournalEntry& entry) {
  last_at_ = entry.at;
  std::visit(
      [&]<class Kind>(const Kind& event) {
        if constexpr (std::is_same_v<Kind, TunerStarted> || std::is_same_v<Kind, Applied>) {
          take(event, entry.at);
        } else if constexpr (requires { take(event); }) {
          take(event);
        }
      },
      entry.event);
}

void TunerState::take(const Asked& event) {
  if (event.context.empty()) return;
  contexts_[event.ticket] = event.context;
  last_context_ = event.context;
}

std::vector<double> TunerState::context_of(Ticket ticket) const {
  const auto found = contexts_.find(ticket);
  return found != contexts_.end() ? found->second : std::vector<double>();
}

void TunerState::take(const CommandAccepted& event) {
  last_command_ = event.number;
  const bool needs_baseline =
      event.command == RunnerCommand::baseline || event.command == RunnerCommand::confirm;
  if (needs_baseline && baseline_.empty())
    return;  // without a baseline the command cannot be executed
  if (event.command == RunnerCommand::confirm) {
    comparison_wanted_ = event.pulls;
  } else if (event.command == RunnerCommand::resume) {
    order_.reset();
  } else {
    order_ = event.command;
    ordered_by_ = event.by;
  }
}

void TunerState::take(const TunerStarted& event, double at) {
  if (ended_ && order_ == RunnerCommand::end) order_.reset();  // a new run was started
  const bool is_on_trial = !elsewhere_ || setting_ != baseline_;
  if (running_ && is_on_trial && !measured_) ++crashes_;
  measured_ = true;  // until another setting is applied
  running_ = true;
  ended_ = false;
  earlier_seconds_ = event.earlier_seconds;
  started_at_ = at;
}

void TunerState::take(const TunerStopped& event) {
  earlier_seconds_ = seconds_so_far();
  running_ = false;
  ended_ = event.why != kPaused;
  failed_ = 0;
  if (!event.at_limit) return;
  window_.clear();  // the next tuner starts with an empty window
  recent_failures_.clear();
}

double TunerState::seconds_so_far() const {
  return earlier_seconds_ + (running_ ? last_at_ - started_at_ : 0.0);
}

void TunerState::take(const Applied& event, double at) {
  const bool was_elsewhere = std::exchange(elsewhere_, event.ticket == 0);
  const bool stays = event.arm == setting_;
  measured_ = false;
  if (!stays) crashes_ = 0;
  if (event.ticket == failed_) failed_ = 0;
  if (stays && was_elsewhere == elsewhere_) return;  // applied again after a restart
  came_ = was_elsewhere;
  pulls_here_ = 0;
  if (stays) return;
  setting_ = event.arm;
  ++changes_;
  change_times_.push_back(at);
  while (change_times_.front() < at - kHour) change_times_.pop_front();
}

std::uint64_t TunerState::changes_after(double since) const {
  return static_cast<std::uint64_t>(std::count_if(change_times_.begin(), change_times_.end(),
                                                  [since](double at) { return at > since; }));
}

void TunerState::take(const Observed& event) {
  if (event.role != Role::search && event.arm == setting_) note_working();
}

/// A measurement at the current setting succeeded.
void TunerState::note_working() {
  measured_ = true;
  crashes_ = 0;
  if (setting_.empty() || (!good_.empty() && good_.front() == setting_)) return;
  if (variables_ != 0) std::erase(good_, setting_);
  good_.insert(good_.begin(), setting_);
  const std::size_t most = variables_ != 0 ? 8 : 2;
  if (good_.size() > most) good_.pop_back();
}

void TunerState::take(const Dropped& event) {
  held_.erase(event.ticket);
  deferred_.erase(event.ticket);
  contexts_.erase(event.ticket);
}

void TunerState::take(const Penalized& event) {
  contexts_.erase(event.ticket);
  const bool was_deferred = deferred_.erase(event.ticket) != 0;
  if (event.barred) return;
  ++failures_;
  if (!was_deferred) recent_failures_.add(true);
}

void TunerState::take(const Failed& event) {
  if (event.for_good) failed_ = event.ticket;
  if (event.ticket == 0) failed_ = 0;  // the failure may be due to the system rather than the arm
}

void TunerState::take(const Deferred& event) {
  deferred_[event.ticket] = event.arm;
  recent_failures_.add(true);
}

void TunerState::take(const MetricsMeasured& event) {
  const std::vector<double>& arm = event.arm.empty() ? setting_ : event.arm;
  if (arm.size() != dimension_) return;
  if (comparison_) {
    const std::vector<double>& compared = comparison_->arm();
    const bool is_of_policy = compared.empty() && arm != baseline_;
    if (arm == compared || is_of_policy) comparison_->add(event.metrics);
  }
  for (const auto& [name, value] : event.metrics) {
    if (metrics_.size() >= kMostMetrics && !metrics_.contains(name)) continue;
    Evidence& evidence = metrics_.try_emplace(name, dimension_, level_).first->second;
    evidence.add(arm, value);
    evidence.absorb();
  }
}

void TunerState::take(const ComparisonBegun& event) {
  comparison_.emplace(event, level_);
  comparison_wanted_.reset();
}

void TunerState::take(const Compared& event) {
  note_working();
  if (variables_ != 0 && event.context.size() == variables_) last_context_ = event.context;
  if (comparison_) comparison_->add(event);
}

void TunerState::take(const ComparisonEnded& event) {
  if (!comparison_) return;
  const bool is_of_nothing =
      comparison_->arm() ==
      baseline_;  // a comparison of the baseline with itself says nothing about other arms
  if (verdict_ && is_of_nothing) {
    comparison_.reset();
    return;
  }
  verdict_ = Verdict{.arm = comparison_->arm(),
                     .confirmed = event.confirmed,
                     .refuted = event.refuted,
                     .is_worse = comparison_->is_better(direction_) == false,
                     .text = event.verdict,
                     .difference = comparison_->difference(),
                     .interval = comparison_->interval(),
                     .pairs = comparison_->pairs(),
                     .baseline_mean = comparison_->baseline_mean()};
  comparison_.reset();
}

void TunerState::take(const Changed& event) {
  if (event.change.kind == Change::Kind::level || !verdict_) return;
  outdated_ = std::exchange(verdict_, std::nullopt);
  outdated_->before = event.change.pull;
}

void TunerState::take(const Held& event) {
  held_[event.ticket] = event.reward;
  remember(event.reward);
}

void TunerState::take(const Told& event) {
  if (verdict_) verdict_->has_learnt_since = true;
  contexts_.erase(event.ticket);  // in a study with contexts every ticket is for one pull
  if (event.is_baseline) {
    note_working();
  } else if (held_.erase(event.ticket) == 0) {
    remember(sums_of(event.rewards).mean());
  }
}

void TunerState::remember(double reward) {
  note_working();
  recent_failures_.add(false);
  ++pulls_here_;
  if (window_size_ == 0) return;
  window_.push_back(reward);
  if (window_.size() > window_size_) window_.pop_front();
}

void TunerState::transfer(State& state) {
  std::string settings = "tuner-11-" + std::to_string(window_size_);
  for (const double coordinate : baseline_) settings += "-" + to_text(coordinate);
  state.mark(settings);
  state(setting_, elsewhere_, came_, measured_, crashes_, failed_, good_, pulls_here_, changes_,
        held_, deferred_, failures_, comparison_, verdict_, outdated_, order_, ordered_by_,
        comparison_wanted_, last_command_, running_, ended_, earlier_seconds_, started_at_,
        last_at_);
  if (variables_ != 0) {
    state(contexts_, last_context_);
    for (const auto& [ticket, context] : contexts_) {
      state.require_restored(context.size() == variables_);
    }
    state.require_restored(last_context_.empty() || last_context_.size() == variables_);
  }
  transfer_list(state, change_times_);
  transfer_list(state, window_);
  state(recent_failures_);
  transfer_metrics(state);
}

void TunerState::transfer_metrics(State& state) {
  std::vector<std::string> names;
  for (const auto& [name, evidence] : metrics_) names.push_back(name);
  state(names);
  if (state.restoring()) metrics_.clear();
  for (const std::string& name : names) {
    state(metrics_.try_emplace(name, dimension_, level_).first->second);
  }
}

std::string TunerState::save() {
  State state;
  transfer(state);
  return state.text();
}

void TunerState::restore(std::string_view saved) {
  State state(saved);
  transfer(state);
  state.end();
}

std::unique_ptr<JournalFold> tuner_fold(const StudySpecification& study) {
  return std::make_unique<TunerState>(study);
}

const TunerState& tuner_state_of(const Study& study) {
  return state_in(study.fold());
}

const TunerState& tuner_state_of(const LoadedOptimizer& study) {
  return state_in(study.fold.get());
}

}  // namespace canopy
