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

/// For the messages of failed tests.
inline std::ostream& operator<<(std::ostream& stream, const JournalEntry& entry) {
  return stream << entry.number << " at " << entry.at << ": " << encode(entry.event);
}

inline bool operator==(const JournalEntry& a, const JournalEntry& b) {
  return a.number == b.number && a.at == b.at && a.event == b.event;
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
      rc::gen::arbitrary<std::uint64_t>(), random_finite(), random_finite(), random_finite(),
      random_finite());
}

/// Any event of any kind, with numbers and words of any size.
[[nodiscard]] inline rc::Gen<Event> random_event() {
  return rc::gen::exec([]() -> Event {
    const auto ticket = *rc::gen::oneOf(rc::gen::arbitrary<Ticket>(), rc::gen::just(UINT64_MAX));
    const double number = *random_finite();
    switch (*rc::gen::inRange<std::size_t>(0, std::variant_size_v<Event>)) {
      case 0:
        return Asked{ticket, *rc::gen::arbitrary<std::uint64_t>(),
                     *rc::gen::arbitrary<std::uint64_t>(), *random_numbers(), number};
      case 1:
        return Told{ticket, number};
      case 2:
        return ToldList{ticket, *random_numbers()};
      case 3:
        return ToldSums{ticket, *random_rewards()};
      case 4:
        return Dropped{ticket};
      case 5:
        return Finished{};
      case 6:
        return TunerStarted{number};
      case 7:
        return TunerStopped{*random_text(), *rc::gen::arbitrary<bool>()};
      case 8:
        return Applied{ticket, *random_numbers()};
      case 9:
        return WarmedUp{ticket, number};
      case 10:
        return Held{ticket, number};
      case 11:
        return BaselineMeasured{number, *random_numbers()};
      case 12:
        return Failed{ticket, *random_text(), *rc::gen::arbitrary<bool>()};
      case 13:
        return Remembered{*random_numbers(), *random_rewards()};
      case 14: {
        const double low = *random_finite();
        const double high = *random_finite();
        return low < high ? RangeSet{{{low, high}}} : RangeSet{};
      }
      case 15:
        return PassedOver{ticket, *random_rewards()};
      case 16:
        return AskedAgain{ticket, *random_numbers()};
      case 17:
        return Penalized{ticket, number};
      case 18:
        return PutOff{ticket, *random_numbers()};
      case 19:
        return MetricsMeasured{ticket, {{"p99_ms", number}, {"errors", *random_finite()}}};
      case 20:
        return ComparisonBegun{*rc::gen::arbitrary<std::uint64_t>(),
                               *rc::gen::inRange<std::uint64_t>(1, 100), *random_numbers()};
      case 21:
        return Compared{*rc::gen::arbitrary<bool>(), number};
      case 22:
        return ComparisonEnded{*rc::gen::arbitrary<bool>(), *random_text()};
      case 23:
        return Barred{number, *random_numbers()};
      case 24:
        return ActTaken{ticket, static_cast<Act>(*rc::gen::inRange(0, 6)),
                        *rc::gen::arbitrary<std::uint64_t>(), *random_text()};
      default:
        return Observed{*random_numbers(), *random_rewards()};
    }
  });
}

}  // namespace canopy::testing
