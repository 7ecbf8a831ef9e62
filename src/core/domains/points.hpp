#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// Converts between whole numbers and doubles; none unless the number is whole and within +-2^53,
/// the range in which doubles represent whole numbers exactly.
[[nodiscard]] std::optional<double> exact_double(std::int64_t whole);
[[nodiscard]] std::optional<std::int64_t> exact_whole(double number);

/// The index of the value at a point of [0, 1], which is divided equally among `count` values.
[[nodiscard]] double place_at(double share, std::uint64_t count);

/// The coordinates of a domain in the middles of `count` equal parts of [0, 1].
template <class Kind>
[[nodiscard]] std::vector<double> middles(const Kind& kind, std::uint64_t count) {
  std::vector<double> coordinates;
  for (std::uint64_t i = 0; i < count; ++i) {
    coordinates.push_back(kind.at((static_cast<double>(i) + 0.5) / static_cast<double>(count)));
  }
  return coordinates;
}

/// The multiples of 1, 2 or 5 times a power of ten within [low, high], at most `most` (>= 3), at
/// least `distance` apart. Returns the two ends if doubles are too coarse for this.
[[nodiscard]] std::vector<double> round_numbers(double low, double high, std::size_t most,
                                                double distance = 0.0);

/// Powers of ten within [low, high], at most `most` of them; round numbers if there are fewer than
/// two.
[[nodiscard]] std::vector<double> powers_of_ten(double low, double high, std::size_t most,
                                                double distance = 0.0);

/// Equally spaced indices from 0: all of `count`, or at most `most`.
[[nodiscard]] std::vector<double> equal_places(std::uint64_t count, std::size_t most);

}  // namespace canopy
