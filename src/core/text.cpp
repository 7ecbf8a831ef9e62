#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <vector>

namespace canopy {
namespace {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string to_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view nearest;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < fewest && distance < candidate.size()) {
      fewest = distance;
      nearest = candidate;
    }
  }
  return std::string(nearest);
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> candidates) {
  std::string text = "unknown " + std::string(kind);
  if (const std::string nearest = nearest_name(name, candidates); !nearest.empty()) {
    return text + ", did you mean \"" + nearest + "\"?";
  }
  text += "; known:";
  for (const std::string_view candidate : candidates) {
    text += ' ';
    text += candidate;
  }
  return text;
}

}  // namespace canopy
