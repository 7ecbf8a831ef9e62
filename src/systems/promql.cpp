#include "systems/promql.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace canopy {

std::optional<double> promql_seconds(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr std::array<Unit, 7> kUnits{{{"y", 31'536'000.0},
                                               {"w", 604'800.0},
                                               {"d", 86'400.0},
                                               {"h", 3600.0},
                                               {"m", 60.0},
                                               {"s", 1.0},
                                               {"ms", 0.001}}};
  double seconds = 0.0;
  const Unit* const end = kUnits.data() + kUnits.size();
  for (const Unit* next = kUnits.data(); !text.empty(); ++next) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = number_in<std::uint32_t>(text.substr(0, digits));
    text.remove_prefix(digits);
    const std::string_view name = text.substr(0, text.find_first_of("0123456789"));
    next = std::find_if(next, end, [&](const Unit& unit) { return unit.name == name; });
    if (!number || next == end) return std::nullopt;
    seconds += *number * next->seconds;
    text.remove_prefix(name.size());
  }
  return seconds > 0.0 ? std::optional(seconds) : std::nullopt;
}

double longest_range_in(std::string_view query) {
  double longest = 0.0;
  for (std::size_t at = query.find('['); at != std::string_view::npos; at = query.find('[', at)) {
    const std::string_view inside = query.substr(++at);
    const auto seconds = promql_seconds(inside.substr(0, inside.find_first_of(":] ")));
    longest = std::max(longest, seconds.value_or(0.0));
  }
  return longest;
}

}  // namespace canopy
