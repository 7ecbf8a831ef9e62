#include "canopy/domains/choice.hpp"

#include "core/domains/list_axis.hpp"
#include "core/domains/points.hpp"

#include <algorithm>

namespace canopy {

std::vector<Violation> Choice::violations() const {
  std::vector<Violation> found;
  if (choices.empty()) found.push_back({"choices", "[]", "must have at least one value"});
  const auto has_zero = [](const std::string& text) {
    return text.find('\0') != std::string::npos;
  };
  if (std::any_of(choices.begin(), choices.end(), has_zero)) {
    found.push_back({"choices", "", "must not contain a zero byte"});
  }
  std::vector<std::string> sorted = choices;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) found.push_back({"choices", *twice, "must not be listed twice"});
  return found;
}

std::array<double, 2> Choice::ends() const {
  return {0.0, static_cast<double>(choices.size()) - 1.0};
}

bool Choice::contains(double coordinate) const {
  const auto index = exact_whole(coordinate);
  return index && *index >= 0 && static_cast<std::size_t>(*index) < choices.size();
}

std::optional<double> Choice::coordinate(const Value& value) const {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  const auto found = std::find(choices.begin(), choices.end(), *text);
  if (found == choices.end()) return std::nullopt;
  return static_cast<double>(found - choices.begin());
}

double Choice::at(double share) const {
  return place_at(share, choices.size());
}

double Choice::share(double coordinate) const {
  return (coordinate + 0.5) / static_cast<double>(choices.size());
}

std::shared_ptr<const CutAxis> Choice::axis() const {
  return list_axis(0, static_cast<std::int64_t>(choices.size()) - 1);
}

std::vector<double> Choice::grid(std::uint64_t points) const {
  return middles(*this, std::min<std::uint64_t>(points, choices.size()));
}

std::vector<double> Choice::ticks(std::size_t most) const {
  return equal_places(choices.size(), most);
}

const std::string& Choice::text(double coordinate) const {
  return choices[static_cast<std::size_t>(coordinate)];
}

std::string Choice::description() const {
  std::string text = "one of";
  for (const std::string& each : choices) text += " \"" + each + "\"";
  return text;
}

}  // namespace canopy
