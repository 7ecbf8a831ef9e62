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
    const std::string where = "context." + (name.empty() ? std::to_string(i + 1) : name);
    if (name.empty()) violations.push_back({where, "name", "must not be empty"});
    for (std::size_t j = 0; j < i; ++j) {
      if (variables[j].name == name) violations.push_back({where, "name", "is there twice"});
    }
    for (Violation violation : domain.violations()) {
      violation.field = where + "." + violation.field;
      violations.push_back(std::move(violation));
    }
    if (period == 0.0) continue;
    if (!(period > 0.0) || !std::isfinite(period)) {
      violations.push_back({where + ".period", std::to_string(period), "must be above 0"});
    } else if (domain != Domain(Real{0.0, period})) {
      violations.push_back({where + ".period", domain.description(),
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

ContextBins ContextSpace::bins_of(Context context) const {
  ContextBins bins = 0;
  for (std::size_t i = size(); i-- > 0;) {
    const Domain& domain = variables_[i].domain;
    double place = 0.0;
    if (has_bin_per_value(i)) {
      place = std::round((context[i] - domain.ends()[0]) / domain.spacing());
    } else {
      place = domain.share(context[i]) * static_cast<double>(bins_.at(i));
    }
    const double last = static_cast<double>(bins_.at(i)) - 1.0;
    bins = (bins << kBits) | static_cast<ContextBins>(std::clamp(std::floor(place), 0.0, last));
  }
  return bins;
}

std::vector<Parameter> ContextSpace::parameters() const {
  std::vector<Parameter> parameters;
  for (const auto& [name, domain, period] : variables_) parameters.push_back({name, domain});
  return parameters;
}

std::array<double, 2> ContextSpace::ends(std::size_t variable, std::size_t bin) const {
  const Domain& domain = variables_[variable].domain;
  if (has_bin_per_value(variable)) {
    const double value = domain.ends()[0] + static_cast<double>(bin) * domain.spacing();
    return {value, value};
  }
  const auto bins = static_cast<double>(bins_.at(variable));
  const auto at = [&](std::size_t border) { return domain.at(static_cast<double>(border) / bins); };
  return {at(bin), at(bin + 1)};
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
