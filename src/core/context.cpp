#include "canopy/context.hpp"

#include "canopy/errors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace canopy {
namespace {

std::vector<Violation> violations_of(const std::vector<ContextVariable>& variables) {
  std::vector<Violation> violations;
  if (variables.size() > ContextSpace::kMostVariables) {
    violations.push_back(
        {"context", std::to_string(variables.size()), "at most three variables are possible"});
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto& [name, domain, period] = variables[i];
    const std::string prefix = "context." + (name.empty() ? std::to_string(i + 1) : name) + ".";
    const auto same = [&wanted = name](const ContextVariable& other) {
      return other.name == wanted;
    };
    if (name.empty()) {
      violations.push_back({prefix + "name", "\"\"", "must not be empty"});
    } else if (name.find('\0') != std::string::npos) {
      violations.push_back({prefix + "name", "", "must not contain a zero byte"});
    } else if (std::any_of(variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(i),
                           same)) {
      violations.push_back({prefix + "name", name, "must not be used twice"});
    }
    for (Violation violation : domain.violations()) {
      violation.field = prefix + violation.field;
      violations.push_back(std::move(violation));
    }
    if (period == 0.0) continue;
    if (!(period > 0.0) || !std::isfinite(period)) {
      violations.push_back({prefix + "period", std::to_string(period), "must be above 0"});
    } else if (domain != Domain(Real{0.0, period})) {
      violations.push_back({prefix + "period", domain.description(),
                            "a periodic variable is a real from 0 to its period"});
    }
  }
  return violations;
}

}  // namespace

ContextSpace::ContextSpace(std::vector<ContextVariable> variables)
    : variables_(std::move(variables)) {
  throw_if_any(violations_of(variables_));
  for (std::size_t i = 0; i < size(); ++i) {
    const auto values = variables_[i].domain.count();
    bins_.at(i) = values ? std::min<std::size_t>(*values, kMostBins) : kMostBins;
  }
}

bool ContextSpace::has_bin_per_value(std::size_t variable) const {
  const auto values = variables_[variable].domain.count();
  return values && *values == bins_[variable];
}

double ContextSpace::within(std::size_t variable, double coordinate) const {
  const auto& [name, domain, period] = variables_[variable];
  if (!std::isfinite(coordinate)) {
    throw ConfigurationError({{"context." + name, "", "must be a finite number"}});
  }
  if (period != 0.0) {
    const double rest = std::fmod(coordinate, period);
    return rest < 0.0 ? std::min(rest + period, std::nextafter(period, 0.0)) : rest;
  }
  const auto [low, high] = domain.ends();
  if (domain.is_ordered()) coordinate = std::clamp(coordinate, low, high);
  if (domain.count()) {  // the nearest value of a list
    const double place = std::round((coordinate - low) / domain.spacing());
    if (domain.is_ordered()) coordinate = low + place * domain.spacing();
  }
  if (!domain.contains(coordinate)) {
    throw ConfigurationError({{"context." + name, "", "must be " + domain.description()}});
  }
  return coordinate;
}

std::vector<double> ContextSpace::within(Context context, bool& moved) const {
  if (context.size() != size()) {
    throw ConfigurationError({{"context", std::to_string(context.size()) + " values",
                               "must have " + std::to_string(size())}});
  }
  std::vector<double> here;
  moved = false;
  for (std::size_t i = 0; i < size(); ++i) {
    here.push_back(within(i, context[i]));
    const auto [low, high] = variables_[i].domain.ends();
    const bool is_beyond = context[i] < low || context[i] > high;
    if (variables_[i].period == 0.0 && is_beyond) moved = true;
  }
  return here;
}

std::size_t ContextSpace::bin_at(std::size_t variable, double coordinate) const {
  const Domain& domain = variables_[variable].domain;
  const auto bins = static_cast<double>(bins_.at(variable));
  const double place = has_bin_per_value(variable)
                           ? std::round((coordinate - domain.ends()[0]) / domain.spacing())
                           : domain.share(coordinate) * bins;
  return static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, bins - 1.0));
}

ContextBins ContextSpace::bins_of(Context context) const {
  ContextBins bins = 0;
  for (std::size_t i = size(); i-- > 0;) {
    bins = (bins << kBits) | static_cast<ContextBins>(bin_at(i, context[i]));
  }
  return bins;
}

bool ContextSpace::has(ContextBins bins) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (bin(bins, i) >= bins_.at(i)) return false;
  }
  return (bins >> (kBits * size())) == 0;
}

std::vector<Parameter> ContextSpace::parameters() const {
  std::vector<Parameter> parameters;
  for (const auto& [name, domain, period] : variables_) parameters.push_back({name, domain});
  return parameters;
}

double ContextSpace::value_at(std::size_t variable, std::size_t index) const {
  const Domain& domain = variables_[variable].domain;
  return domain.ends()[0] + static_cast<double>(index) * domain.spacing();
}

/// The index of the first list value in this or a later bin.
std::size_t ContextSpace::first_value_of(std::size_t variable, std::size_t bin) const {
  std::size_t low = 0;
  std::size_t high = variables_[variable].domain.count().value_or(0);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (bin_at(variable, value_at(variable, middle)) < bin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The first real number in this bin, allowing for rounding in the computation of bins.
double ContextSpace::border(std::size_t variable, std::size_t bin) const {
  const Domain& domain = variables_[variable].domain;
  const auto [low, high] = domain.ends();
  if (bin == 0) return low;
  if (bin >= bins_.at(variable)) return high;
  double at = domain.at(static_cast<double>(bin) / static_cast<double>(bins_.at(variable)));
  while (at < high && bin_at(variable, at) < bin) at = std::nextafter(at, high);
  for (double before = std::nextafter(at, low); at > low && bin_at(variable, before) >= bin;) {
    at = std::exchange(before, std::nextafter(before, low));
  }
  return at;
}

std::array<double, 2> ContextSpace::ends(std::size_t variable, std::size_t bin) const {
  if (!variables_[variable].domain.count()) {
    return {border(variable, bin), border(variable, bin + 1)};
  }
  const double step = variables_[variable].domain.spacing();
  return {value_at(variable, first_value_of(variable, bin)),
          value_at(variable, first_value_of(variable, bin + 1)) - step};
}

std::vector<double> ContextSpace::values_in(std::size_t variable, BinSet bins) const {
  std::vector<double> values;
  const std::size_t count = variables_[variable].domain.count().value_or(0);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = value_at(variable, i);
    if (((bins >> bin_at(variable, value)) & 1U) != 0) values.push_back(value);
  }
  return values;
}

std::string ContextSpace::describe(Context context) const {
  std::string text;
  for (std::size_t i = 0; i < size(); ++i) {
    if (i != 0) text += ", ";
    text += variables_[i].name + " = " + variables_[i].domain.text(context[i]);
  }
  return text;
}

}  // namespace canopy
