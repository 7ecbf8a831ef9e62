#include "canopy/space.hpp"

#include "canopy/errors.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

namespace canopy {
namespace {

constexpr std::int64_t kLargestInteger = std::int64_t{1} << 53;  // exact as a double

class Validator {
 public:
  std::vector<Violation> check(const std::vector<Parameter>& parameters) {
    if (parameters.empty()) add("space", "", "must have at least one parameter");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string& name = parameters[i].name;
      prefix_ = "space[" + std::to_string(i) + "]";
      if (name.empty()) {
        add(prefix_ + ".name", "\"\"", "must not be empty");
      } else {
        prefix_ = "space." + name;
        const auto same = [&](const Parameter& other) { return other.name == name; };
        const auto here = parameters.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::any_of(parameters.begin(), here, same)) {
          add(prefix_ + ".name", name, "must not be used twice");
        }
      }
      std::visit(*this, parameters[i].domain);
    }
    return std::move(violations_);
  }

  void operator()(const Real& real) {
    const bool low_finite = std::isfinite(real.low);
    const bool high_finite = std::isfinite(real.high);
    if (!low_finite) add(prefix_ + ".low", to_text(real.low), "must be finite");
    if (!high_finite) add(prefix_ + ".high", to_text(real.high), "must be finite");
    if (low_finite && high_finite && !(real.low < real.high)) {
      add(prefix_ + ".low", to_text(real.low), "must be below high = " + to_text(real.high));
    }
    if (real.scale == Scale::log && low_finite && !(real.low > 0.0)) {
      add(prefix_ + ".low", to_text(real.low), "must be above 0 on a log scale");
    }
  }

  void operator()(const Integer& integer) {
    const auto in_reach = [](std::int64_t end) {
      return -kLargestInteger <= end && end <= kLargestInteger;
    };
    for (const auto& [name, end] : {std::pair{".low", integer.low}, {".high", integer.high}}) {
      if (!in_reach(end)) add(prefix_ + name, std::to_string(end), "must be within +-2^53");
    }
    if (integer.low >= integer.high) {
      add(prefix_ + ".low", std::to_string(integer.low),
          "must be below high = " + std::to_string(integer.high));
    }
    if (integer.scale == Scale::log && integer.low < 1) {
      add(prefix_ + ".low", std::to_string(integer.low), "must be at least 1 on a log scale");
    }
    if (in_reach(integer.low) && in_reach(integer.high)) check_step(integer);
  }

  void operator()(const Choice& choice) {
    if (choice.choices.empty()) add(prefix_ + ".choices", "[]", "must have at least one value");
    const auto has_zero = [](const std::string& text) {
      return text.find('\0') != std::string::npos;
    };
    if (std::any_of(choice.choices.begin(), choice.choices.end(), has_zero)) {
      add(prefix_ + ".choices", "", "must not contain a zero byte");
    }
    std::vector<std::string> sorted = choice.choices;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) add(prefix_ + ".choices", *twice, "must not be listed twice");
  }

 private:
  void check_step(const Integer& integer) {
    const auto complain = [&](std::string expected) {
      add(prefix_ + ".step", std::to_string(integer.step), std::move(expected));
    };
    const std::int64_t width = integer.high - integer.low;
    if (integer.step < 1) {
      complain("must be at least 1");
    } else if (integer.scale == Scale::log && integer.step != 1) {
      complain("must be 1 on a log scale");
    } else if (width > 0 && integer.step > width) {
      complain("must be at most high - low = " + std::to_string(width));
    }
  }

  void add(std::string field, std::string value, std::string expected) {
    violations_.push_back({std::move(field), std::move(value), std::move(expected)});
  }

  std::string prefix_;
  std::vector<Violation> violations_;
};

struct ToValue {
  double coordinate;

  Value operator()(const Real& /*real*/) const { return coordinate; }
  Value operator()(const Integer& /*integer*/) const {
    return static_cast<std::int64_t>(coordinate);
  }
  Value operator()(const Choice& choice) const {
    return choice.choices[static_cast<std::size_t>(coordinate)];
  }
};

std::uint64_t count_of(const Integer& integer) {
  return static_cast<std::uint64_t>((integer.high - integer.low) / integer.step) + 1;
}

/// log((low + place) / low): how far an integer of a log scale is from the first one. Exact even
/// where neighbours are so large that their logarithms are the same.
double log_distance(const Integer& integer, double place) {
  return std::log1p(place / static_cast<double>(integer.low));
}

/// Which of so many values, from 0, is at a point of [0, 1].
double place_at(double share, std::uint64_t values) {
  const auto count = static_cast<double>(values);
  return std::min(std::floor(share * count), count - 1.0);
}

/// The coordinate at a point of [0, 1].
struct FromShare {
  double share;

  double operator()(const Real& real) const {
    const auto& [low, high, scale] = real;
    const double value = scale == Scale::log
                             ? std::exp(std::lerp(std::log(low), std::log(high), share))
                             : std::lerp(low, high, share);
    return std::clamp(value, low, high);
  }
  double operator()(const Integer& integer) const {
    const auto low = static_cast<double>(integer.low);
    if (integer.scale == Scale::log) {
      const auto count = static_cast<double>(count_of(integer));
      const double place = low * std::expm1(share * log_distance(integer, count));
      return low + std::min(std::floor(place), count - 1.0);
    }
    // The product alone may be too large to be exact; the sum is not, and is rounded once.
    return std::fma(place_at(share, count_of(integer)), static_cast<double>(integer.step), low);
  }
  double operator()(const Choice& choice) const { return place_at(share, choice.choices.size()); }
};

/// The middle of the points of [0, 1] that are taken to a coordinate.
struct ToShare {
  double coordinate;

  double operator()(const Real& real) const {
    const auto& [low, high, scale] = real;
    // Halved first: the width of a very wide range may be too large for a double.
    const double share =
        scale == Scale::log
            ? (std::log(coordinate) - std::log(low)) / (std::log(high) - std::log(low))
            : (coordinate / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    return std::clamp(share, 0.0, 1.0);
  }
  double operator()(const Integer& integer) const {
    const auto count = static_cast<double>(count_of(integer));
    const double above = coordinate - static_cast<double>(integer.low);
    if (integer.scale == Scale::log) {
      const double middle =
          std::midpoint(log_distance(integer, above), log_distance(integer, above + 1.0));
      return middle / log_distance(integer, count);
    }
    return (above / static_cast<double>(integer.step) + 0.5) / count;
  }
  double operator()(const Choice& choice) const {
    return (coordinate + 0.5) / static_cast<double>(choice.choices.size());
  }
};

/// Whether a coordinate is one of a domain.
bool is_value(const std::variant<Real, Integer, Choice>& domain, double coordinate) {
  if (const auto* real = std::get_if<Real>(&domain)) {
    return coordinate >= real->low && coordinate <= real->high;
  }
  if (!(std::abs(coordinate) <= static_cast<double>(kLargestInteger))) return false;
  if (std::floor(coordinate) != coordinate) return false;
  const auto whole = static_cast<std::int64_t>(coordinate);
  if (const auto* integer = std::get_if<Integer>(&domain)) {
    return whole >= integer->low && whole <= integer->high &&
           (whole - integer->low) % integer->step == 0;
  }
  const auto& choices = std::get<Choice>(domain).choices;
  return whole >= 0 && static_cast<std::size_t>(whole) < choices.size();
}

std::string describe_value(const Parameter& parameter, const Value& value) {
  // Nobody sees a difference of a hundred-thousandth of the range.
  if (const auto* number = std::get_if<double>(&value)) {
    const auto& real = std::get<Real>(parameter.domain);
    return real.scale == Scale::log ? significant_text(*number, 5)
                                    : rounded_text(*number, 1e-5 * (real.high - real.low));
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return std::get<std::string>(value);
}

}  // namespace

Space::Space(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  throw_if_any(Validator{}.check(parameters_));
}

Space::Space(std::initializer_list<Parameter> parameters)
    : Space(std::vector<Parameter>(parameters)) {}

Value Space::value(Arm arm, std::size_t index) const {
  return std::visit(ToValue{arm[index]}, parameters_[index].domain);
}

std::optional<std::uint64_t> Space::value_count(std::size_t index) const {
  const auto& domain = parameters_[index].domain;
  if (const auto* integer = std::get_if<Integer>(&domain)) return count_of(*integer);
  if (const auto* choice = std::get_if<Choice>(&domain)) return choice->choices.size();
  return std::nullopt;
}

void Space::from_unit_cube(std::span<const double> point, std::span<double> arm) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    arm[i] = std::visit(FromShare{point[i]}, parameters_[i].domain);
  }
}

void Space::to_unit_cube(Arm arm, std::span<double> point) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    point[i] = std::visit(ToShare{arm[i]}, parameters_[i].domain);
  }
}

std::optional<double> Space::coordinate(std::size_t index, const Value& value) const {
  const auto& domain = parameters_[index].domain;
  if (const auto* choice = std::get_if<Choice>(&domain)) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return std::nullopt;
    const auto found = std::find(choice->choices.begin(), choice->choices.end(), *text);
    if (found == choice->choices.end()) return std::nullopt;
    return static_cast<double>(found - choice->choices.begin());
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    if (*whole < -kLargestInteger || *whole > kLargestInteger) return std::nullopt;
  } else if (std::holds_alternative<Integer>(domain) || !std::holds_alternative<double>(value)) {
    return std::nullopt;
  }
  const double number = std::visit(
      []<class T>(const T& held) -> double {
        if constexpr (std::is_same_v<T, std::string>) {
          return 0.0;
        } else {
          return static_cast<double>(held);
        }
      },
      value);
  return is_value(domain, number) ? std::optional(number) : std::nullopt;
}

bool Space::contains(Arm arm) const {
  if (arm.size() != parameters_.size()) return false;
  for (std::size_t i = 0; i < arm.size(); ++i) {
    if (!is_value(parameters_[i].domain, arm[i])) return false;
  }
  return true;
}

std::string Space::describe(Arm arm) const {
  std::string text;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (i != 0) text += ", ";
    text += parameters_[i].name + " = " + describe_value(parameters_[i], value(arm, i));
  }
  return text;
}

}  // namespace canopy
