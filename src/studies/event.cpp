#include "canopy/event.hpp"

#include "canopy/study.hpp"

#include "core/text.hpp"

#include <array>
#include <cmath>
#include <type_traits>

namespace canopy {
namespace {

// In the order of Event.
constexpr std::array<std::string_view, std::variant_size_v<Event>> kNames{
    "ask",     "tell",     "tell_list", "tell_sums", "drop",     "finish",  "start",
    "stop",    "apply",    "warm_up",   "hold",      "baseline", "failure", "observe",
    "range",   "remember", "pass_over", "ask_again", "penalty",  "bar",     "put_off",
    "metrics", "confirm",  "compare",   "verdict",   "act"};

void add(std::string& words, double number) {
  if (!words.empty()) words += ' ';
  words += to_text(number);
}
void add(std::string& words, std::uint64_t number) {
  if (!words.empty()) words += ' ';
  words += std::to_string(number);
}
void add(std::string& words, const std::vector<double>& numbers) {
  for (const double number : numbers) add(words, number);
}
void add(std::string& words, const Rewards& rewards) {
  add(words, rewards.count);
  for (const double number : {rewards.sum, rewards.squared_deviations, rewards.min, rewards.max}) {
    add(words, number);
  }
}

[[noreturn]] void refuse(const std::string& what) {
  throw StudyError(StudyError::Fault::damaged, what);
}

/// Numbers with a blank between them.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  template <class Number>
  Number next() {
    const std::size_t end = rest_.find(' ');
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    const auto number = number_in<Number>(word);
    if (!number || !std::isfinite(static_cast<double>(*number))) {
      refuse("\"" + std::string(word.substr(0, 40)) + "\" is not a number");
    }
    return *number;
  }

  std::vector<double> rest() {
    std::vector<double> numbers;
    while (!empty()) numbers.push_back(next<double>());
    return numbers;
  }

  Rewards rewards() {
    Rewards rewards;
    rewards.count = next<std::uint64_t>();
    for (double* into : {&rewards.sum, &rewards.squared_deviations, &rewards.min, &rewards.max}) {
      *into = next<double>();
    }
    return rewards;
  }

 private:
  std::string_view rest_;
};

struct ToColumns {
  EventColumns& columns;

  void operator()(const Asked& event) const {
    columns.ticket = event.ticket;
    columns.value = event.lease;
    add(columns.data, event.pulls);
    add(columns.data, event.length);
    add(columns.data, event.arm);
  }
  void operator()(const AskedAgain& event) const {
    columns.ticket = event.ticket;
    add(columns.data, event.arm);
  }
  void operator()(const ToldList& event) const {
    columns.ticket = event.ticket;
    add(columns.data, event.rewards);
  }
  void operator()(const ToldSums& event) const {
    columns.ticket = event.ticket;
    add(columns.data, event.rewards);
  }
  void operator()(const PassedOver& event) const {
    columns.ticket = event.ticket;
    add(columns.data, event.rewards);
  }
  void operator()(const Observed& event) const {
    add(columns.data, event.rewards);
    add(columns.data, event.arm);
  }
  void operator()(const Remembered& event) const {
    add(columns.data, event.rewards);
    add(columns.data, event.arm);
  }
  void operator()(const RangeSet& event) const {
    if (event.range) add(columns.data, {event.range->begin(), event.range->end()});
  }
  void operator()(const Dropped& event) const { columns.ticket = event.ticket; }
  void operator()(const Finished& /*event*/) const {}
  void operator()(const TunerStarted& event) const { columns.value = event.earlier_seconds; }
  void operator()(const TunerStopped& event) const {
    columns.value = event.at_limit ? 1.0 : 0.0;
    columns.data = event.why;
  }
  void operator()(const Applied& event) const {
    columns.ticket = event.ticket;
    add(columns.data, event.arm);
  }
  void operator()(const BaselineMeasured& event) const { columns.value = event.reward; }
  void operator()(const Failed& event) const {
    columns.ticket = event.ticket;
    columns.value = event.for_good ? 1.0 : 0.0;
    columns.data = event.what;
  }
  void operator()(const Barred& event) const {
    columns.value = event.reward;
    add(columns.data, event.arm);
  }
  void operator()(const PutOff& event) const {
    columns.ticket = event.ticket;
    add(columns.data, event.arm);
  }
  void operator()(const MetricsMeasured& event) const {
    columns.ticket = event.ticket;
    for (const auto& [name, value] : event.metrics) {
      columns.data += to_text(value) + ' ' + name + '\n';
    }
  }
  void operator()(const ComparisonBegun& event) const {
    add(columns.data, event.pulls);
    add(columns.data, event.visit);
    add(columns.data, event.arm);
  }
  void operator()(const Compared& event) const {
    columns.value = event.reward;
    columns.data = event.is_baseline ? "baseline" : "best";
  }
  void operator()(const ComparisonEnded& event) const {
    columns.value = event.confirmed ? 1.0 : 0.0;
    columns.data = event.verdict;
  }
  void operator()(const ActTaken& event) const {
    columns.ticket = event.number;
    add(columns.data, event.pulls);
    columns.data.append(" ").append(name_of(event.act)).append(" ").append(event.by);
  }
  template <class Measured>  // Told, Penalized, WarmedUp, Held
  void operator()(const Measured& event) const {
    columns.ticket = event.ticket;
    columns.value = event.reward;
  }
};

struct FromColumns {
  const EventColumns& columns;

  void operator()(Asked& event) const {
    Words words(columns.data);
    event.ticket = columns.ticket;
    event.pulls = words.next<std::uint64_t>();
    event.length = words.next<std::uint64_t>();
    event.arm = words.rest();
    event.lease = columns.value;
  }
  void operator()(ToldList& event) const { event = {columns.ticket, Words(columns.data).rest()}; }
  void operator()(ToldSums& event) const { event = {columns.ticket, only_rewards()}; }
  void operator()(PassedOver& event) const { event = {columns.ticket, only_rewards()}; }
  void operator()(Observed& event) const {
    Words words(columns.data);
    event.rewards = words.rewards();
    event.arm = words.rest();
  }
  void operator()(Remembered& event) const {
    Words words(columns.data);
    event.rewards = words.rewards();
    event.arm = words.rest();
  }
  void operator()(RangeSet& event) const {
    const std::vector<double> ends = Words(columns.data).rest();
    if (!ends.empty() && (ends.size() != 2 || !(ends[0] < ends[1]))) refuse("it has no range");
    if (!ends.empty()) event.range = RewardRange{ends[0], ends[1]};
  }
  void operator()(Dropped& event) const { event.ticket = columns.ticket; }
  void operator()(Finished& /*event*/) const {}
  void operator()(TunerStarted& event) const { event.earlier_seconds = columns.value; }
  void operator()(TunerStopped& event) const { event = {columns.data, columns.value != 0.0}; }
  void operator()(AskedAgain& event) const { event = {columns.ticket, Words(columns.data).rest()}; }
  void operator()(Applied& event) const { event = {columns.ticket, Words(columns.data).rest()}; }
  void operator()(BaselineMeasured& event) const { event.reward = columns.value; }
  void operator()(Failed& event) const {
    event = {columns.ticket, columns.data, columns.value != 0.0};
  }
  void operator()(Barred& event) const { event = {columns.value, Words(columns.data).rest()}; }
  void operator()(PutOff& event) const { event = {columns.ticket, Words(columns.data).rest()}; }
  void operator()(MetricsMeasured& event) const {
    event.ticket = columns.ticket;
    for (std::string_view rest = columns.data; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      const std::size_t blank = rest.find(' ');
      if (end == std::string_view::npos || blank > end) refuse("it has no names of metrics");
      Words value(rest.substr(0, blank));
      event.metrics[std::string(rest.substr(blank + 1, end - blank - 1))] = value.next<double>();
      rest.remove_prefix(end + 1);
    }
  }
  void operator()(ComparisonBegun& event) const {
    Words words(columns.data);
    event.pulls = words.next<std::uint64_t>();
    event.visit = words.next<std::uint64_t>();
    if (event.visit == 0) refuse("it has no length of a visit");
    event.arm = words.rest();
  }
  void operator()(Compared& event) const { event = {columns.data == "baseline", columns.value}; }
  void operator()(ComparisonEnded& event) const { event = {columns.value != 0.0, columns.data}; }
  void operator()(ActTaken& event) const {
    const std::string_view text = columns.data;
    const std::size_t blank = text.find(' ');
    const std::size_t end = text.find(' ', blank + 1);
    if (end == std::string_view::npos) refuse("it has no act");
    const auto act = value_named<Act>(text.substr(blank + 1, end - blank - 1));
    if (!act) refuse("it has no act that is known");
    event = {columns.ticket, *act, Words(text.substr(0, blank)).next<std::uint64_t>(),
             std::string(text.substr(end + 1))};
  }
  template <class Measured>
  void operator()(Measured& event) const {
    event = {columns.ticket, columns.value};
  }

  [[nodiscard]] Rewards only_rewards() const {
    Words words(columns.data);
    const Rewards rewards = words.rewards();
    if (!words.empty()) refuse("it has too many numbers for sums");
    return rewards;
  }
};

/// An event of the kind of that number, with nothing in it.
template <std::size_t kKind = 0>
Event empty_event(std::size_t kind) {
  if constexpr (kKind < std::variant_size_v<Event>) {
    return kind == kKind ? Event(std::in_place_index<kKind>) : empty_event<kKind + 1>(kind);
  } else {
    refuse("there is no event of kind " + std::to_string(kind));
  }
}

}  // namespace

std::span<const std::string_view> event_kinds() {
  return kNames;
}

std::string_view kind_name(const Event& event) {
  return kNames.at(event.index());
}

EventColumns to_columns(const Event& event) {
  EventColumns columns{.kind = static_cast<int>(event.index())};
  std::visit(ToColumns{columns}, event);
  return columns;
}

Event from_columns(const EventColumns& columns) {
  if (columns.kind < 0) refuse("there is no event of kind " + std::to_string(columns.kind));
  if (!std::isfinite(columns.value)) refuse("its value is not a number");
  Event event = empty_event(static_cast<std::size_t>(columns.kind));
  std::visit(FromColumns{columns}, event);
  return event;
}

}  // namespace canopy
