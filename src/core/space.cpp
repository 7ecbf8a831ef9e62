#include "canopy/space.hpp"

#include "canopy/errors.hpp"

#include <algorithm>
#include <utility>

namespace canopy {
namespace {

std::vector<Violation> violations_in(const std::vector<Parameter>& parameters) {
  std::vector<Violation> found;
  if (parameters.empty()) found.push_back({"space", "", "must have at least one parameter"});
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [name, domain] = parameters[i];
    const std::string prefix =
        name.empty() ? "space[" + std::to_string(i) + "]." : "space." + name + ".";
    const auto same = [&wanted = name](const Parameter& other) { return other.name == wanted; };
    const auto here = parameters.begin() + static_cast<std::ptrdiff_t>(i);
    if (name.empty()) {
      found.push_back({prefix + "name", "\"\"", "must not be empty"});
    } else if (std::any_of(parameters.begin(), here, same)) {
      found.push_back({prefix + "name", name, "must not be used twice"});
    } else if (name.find('\0') != std::string::npos) {
      found.push_back({prefix + "name", "", "must not contain a zero byte"});
    }
    for (Violation& violation : domain.violations()) {
      violation.field.insert(0, prefix);
      found.push_back(std::move(violation));
    }
  }
  return found;
}

}  // namespace

Space::Space(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  throw_if_any(violations_in(parameters_));
}

Space::Space(std::initializer_list<Parameter> parameters)
    : Space(std::vector<Parameter>(parameters)) {}

Value Space::value(Arm arm, std::size_t index) const {
  return parameters_[index].domain.value(arm[index]);
}

std::optional<double> Space::coordinate(std::size_t index, const Value& value) const {
  return parameters_[index].domain.coordinate(value);
}

bool Space::contains(Arm arm) const {
  if (arm.size() != parameters_.size()) return false;
  for (std::size_t i = 0; i < arm.size(); ++i) {
    if (!parameters_[i].domain.contains(arm[i])) return false;
  }
  return true;
}

std::optional<std::uint64_t> Space::value_count(std::size_t index) const {
  return parameters_[index].domain.count();
}

void Space::from_unit_cube(std::span<const double> point, std::span<double> arm) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) arm[i] = parameters_[i].domain.at(point[i]);
}

void Space::to_unit_cube(Arm arm, std::span<double> point) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    point[i] = parameters_[i].domain.share(arm[i]);
  }
}

std::string Space::describe(Arm arm) const {
  std::string text;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (i != 0) text += ", ";
    text += parameters_[i].name + " = " + parameters_[i].domain.text(arm[i]);
  }
  return text;
}

}  // namespace canopy
