#include "studies/tuner_state.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <type_traits>

namespace canopy {
namespace {

template <class List>
void transfer_list(State& state, List& list) {
  std::vector<double> values(list.begin(), list.end());
  state(values);
  list.assign(values.begin(), values.end());
}

}  // namespace

TunerState::TunerState(const StudySpecification& study) {
  if (!study.system) return;
  if (study.system->baseline) baseline_ = *study.system->baseline;
  baseline_pulls_wanted_ = study.system->options.baseline_pulls;
  if (study.system->options.floor) window_size_ = study.system->options.floor_window;
}

void TunerState::apply(const JournalEntry& entry) {
  last_at_ = entry.at;
  std::visit(
      [&]<class Kind>(const Kind& event) {
        if constexpr (std::is_same_v<Kind, TunerStarted> || std::is_same_v<Kind, Applied>) {
          take(event, entry.at);
        } else if constexpr (std::is_same_v<Kind, Dropped>) {
          held_.erase(event.ticket);
        } else if constexpr (requires { take(event); }) {
          take(event);
        }
      },
      entry.event);
}

void TunerState::take(const TunerStarted& event, double at) {
  running_ = true;
  earlier_seconds_ = event.earlier_seconds;
  started_at_ = at;
}

void TunerState::take(const TunerStopped& event) {
  earlier_seconds_ = seconds_so_far();
  running_ = false;
  if (event.at_floor) window_.clear();  // the next tuner gets a chance
}

double TunerState::seconds_so_far() const {
  return earlier_seconds_ + (running_ ? last_at_ - started_at_ : 0.0);
}

void TunerState::take(const Applied& event, double at) {
  baseline_pulls_ = 0;
  if (event.arm == setting_) return;  // put back after a restart
  setting_ = event.arm;
  pulls_here_ = 0;
  ++changes_;
  if (event.arm != baseline_) ++changes_since_baseline_;
  change_times_.push_back(at);
  while (change_times_.front() < at - kHour) change_times_.pop_front();
}

std::uint64_t TunerState::changes_after(double since) const {
  return static_cast<std::uint64_t>(std::count_if(change_times_.begin(), change_times_.end(),
                                                  [since](double at) { return at > since; }));
}

void TunerState::take(const BaselineMeasured& /*event*/) {
  if (setting_ != baseline_ || ++baseline_pulls_ < baseline_pulls_wanted_) return;
  baseline_known_ = true;
  changes_since_baseline_ = 0;
}

void TunerState::take(const Held& event) {
  held_[event.ticket] = event.reward;
  remember(event.reward);
}

void TunerState::take(const Told& event) {
  take_measured(event.ticket, event.reward);
}

void TunerState::take(const PassedOver& event) {
  take_measured(event.ticket, event.rewards.mean());
}

void TunerState::take_measured(Ticket ticket, double reward) {
  if (held_.erase(ticket) == 0) remember(reward);
}

void TunerState::remember(double reward) {
  ++pulls_here_;
  if (window_size_ == 0) return;
  window_.push_back(reward);
  if (window_.size() > window_size_) window_.pop_front();
}

void TunerState::transfer(State& state) {
  std::string settings =
      "tuner-" + std::to_string(baseline_pulls_wanted_) + "-" + std::to_string(window_size_);
  for (const double coordinate : baseline_) settings += "-" + to_text(coordinate);
  state.mark(settings);
  std::vector<Ticket> tickets;
  std::vector<double> rewards;
  for (const auto& [ticket, reward] : held_) {
    tickets.push_back(ticket);
    rewards.push_back(reward);
  }
  state(setting_, pulls_here_, changes_, changes_since_baseline_, baseline_pulls_, baseline_known_,
        tickets, rewards, running_, earlier_seconds_, started_at_, last_at_);
  transfer_list(state, change_times_);
  transfer_list(state, window_);
  State::require(tickets.size() == rewards.size());
  held_.clear();
  for (std::size_t i = 0; i < tickets.size(); ++i) held_[tickets[i]] = rewards[i];
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

}  // namespace canopy
