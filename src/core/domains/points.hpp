#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// The same number as a double, and back; none unless it is whole and within +-2^53, where every
/// whole number is exact as a double.
[[nodiscard]] std::optional<double> exact_double(std::int64_t whole);
[[nodiscard]] std::optional<std::int64_t> exact_whole(double number);

/// The place from 0 of the value at a point of [0, 1], which `count` values share equally.
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

/// The multiples of 1, 2 or 5 times a power of ten within [low, high], at most `most`, which
/// is at least 3. They are at least `distance` apart. The two ends where doubles are too coarse.
[[nodiscard]] std::vector<double> round_numbers(double low, double high, std::size_t most,
                                                double distance = 0.0);

/// Powers of ten within [low, high], at most `most` of them; round numbers if there are less than
/// two.
[[nodiscard]] std::vector<double> powers_of_ten(double low, double high, std::size_t most,
                                                double distance = 0.0);

/// Places from 0, equally far apart: all of `count`, or at most `most`.
[[nodiscard]] std::vector<double> equal_places(std::uint64_t count, std::size_t most);

}  // namespace canopy
