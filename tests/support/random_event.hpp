#pragma once

#include "canopy/event.hpp"

#include "support/random_document.hpp"

#include <cstdint>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include <rapidcheck.h>

namespace canopy {

/// For messages of failed tests.
inline std::ostream& operator<<(std::ostream& stream, const JournalEntry& entry) {
  return stream << entry.number << " at " << entry.at << ": " << encode(entry.event);
}

}  // namespace canopy

namespace canopy::testing {

[[nodiscard]] inline rc::Gen<std::vector<double>> random_numbers() {
  return rc::gen::resize(6, rc::gen::container<std::vector<double>>(random_finite()));
}

[[nodiscard]] inline rc::Gen<Rewards> random_rewards() {
  return rc::gen::apply(
      [](std::uint64_t count, double sum, double deviations, double min, double max) {
        return Rewards{count, sum, deviations, min, max};
      },
      rc::gen::inRange<std::uint64_t>(1, UINT64_MAX), random_finite(), random_finite(),
      random_finite(), random_finite());
}

/// Random rewards in any form.
[[nodiscard]] inline rc::Gen<AnyRewards> random_any_rewards() {
  return rc::gen::exec([]() -> AnyRewards {
    std::vector<double> list = *random_numbers();
    const int form = *rc::gen::inRange(0, 3);
    if (form == 0 || (form == 1 && list.empty())) return *random_finite();
    if (form == 1) return list;
    return *random_rewards();
  });
}

/// A random event of any kind, with numbers and texts of any size.
[[nodiscard]] inline rc::Gen<Event> random_event() {
  return rc::gen::exec([]() -> Event {
    const auto ticket = *rc::gen::oneOf(rc::gen::arbitrary<Ticket>(), rc::gen::just(UINT64_MAX));
    const double number = *random_finite();
    switch (*rc::gen::inRange<std::size_t>(0, std::variant_size_v<Event>)) {
      case 0:
        return Asked{ticket,
                     *rc::gen::arbitrary<std::uint64_t>(),
                     *rc::gen::arbitrary<std::uint64_t>(),
                     *random_numbers(),
                     number,
                     *rc::gen::arbitrary<bool>(),
                     "",
                     Purpose::search,
                     {},
                     0,
                     *random_numbers()};
      case 1:
        return Told{ticket, *random_any_rewards(), *rc::gen::arbitrary<bool>()};
      case 2:
        return Dropped{ticket};
      case 3:
        return Finished{};
      case 4:
        return TunerStarted{number};
      case 5:
        return TunerStopped{*random_text(), *rc::gen::arbitrary<bool>()};
      case 6:
        return Applied{ticket, *random_numbers()};
      case 7:
        return Held{ticket, number};
      case 8:
        return Failed{ticket, *random_text(), *rc::gen::arbitrary<bool>()};
      case 9: {
        const double low = *random_finite();
        const double high = *random_finite();
        return low < high ? RangeSet{{{low, high}}} : RangeSet{};
      }
      case 10:
        return Penalized{ticket, number};
      case 11:
        return Deferred{ticket, *random_numbers()};
      case 12:
        return MetricsMeasured{
            ticket, {{"p99_ms", number}, {"errors", *random_finite()}}, *random_numbers()};
      case 13:
        return ComparisonBegun{*rc::gen::arbitrary<std::uint64_t>(),
                               *rc::gen::inRange<std::uint64_t>(1, 100), *random_numbers()};
      case 14:
        return Compared{*rc::gen::arbitrary<bool>(), number, *random_numbers(), *random_finite()};
      case 15:
        return ComparisonEnded{*rc::gen::arbitrary<bool>(), *random_text()};
      case 16:
        return Barred{number, *random_numbers()};
      case 17:
        return CommandAccepted{ticket, static_cast<RunnerCommand>(*rc::gen::inRange(0, 6)),
                               *rc::gen::arbitrary<std::uint64_t>(), *random_text()};
      case 18:
        return Changed{{*rc::gen::arbitrary<std::uint64_t>(),
                        static_cast<Change::Kind>(*rc::gen::inRange(0, 3)), number}};
      case 19:
        return LevelSeen{number};
      default:
        return Observed{*random_numbers(), *random_any_rewards(),
                        static_cast<Role>(*rc::gen::inRange(0, 3)), *random_numbers()};
    }
  });
}

}  // namespace canopy::testing
