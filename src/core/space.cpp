#include "canopy/space.hpp"

#include "canopy/errors.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
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

/// The least of a list of whole numbers and how many there are.
struct Whole {
  double low;
  std::uint64_t count;
};

std::optional<Whole> whole_numbers(const Parameter& parameter) {
  if (const auto* integer = std::get_if<Integer>(&parameter.domain)) {
    return Whole{static_cast<double>(integer->low),
                 static_cast<std::uint64_t>(integer->high - integer->low) + 1};
  }
  if (const auto* choice = std::get_if<Choice>(&parameter.domain)) {
    return Whole{0.0, choice->choices.size()};
  }
  return std::nullopt;
}

/// Whether a coordinate is one of a domain.
bool is_value(const std::variant<Real, Integer, Choice>& domain, double coordinate) {
  if (const auto* real = std::get_if<Real>(&domain)) {
    return coordinate >= real->low && coordinate <= real->high;
  }
  if (!(std::abs(coordinate) <= static_cast<double>(kLargestInteger))) return false;
  if (std::floor(coordinate) != coordinate) return false;
  const auto whole = static_cast<std::int64_t>(coordinate);
  if (const auto* integer = std::get_if<Integer>(&domain)) {
    return whole >= integer->low && whole <= integer->high;
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
  const auto whole = whole_numbers(parameters_[index]);
  return whole ? std::optional(whole->count) : std::nullopt;
}

void Space::from_unit_cube(std::span<const double> point, std::span<double> arm) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (const auto whole = whole_numbers(parameters_[i])) {
      const auto count = static_cast<double>(whole->count);
      arm[i] = whole->low + std::min(std::floor(point[i] * count), count - 1.0);
      continue;
    }
    const auto& [low, high, scale] = std::get<Real>(parameters_[i].domain);
    const double value = scale == Scale::log
                             ? std::exp(std::lerp(std::log(low), std::log(high), point[i]))
                             : std::lerp(low, high, point[i]);
    arm[i] = std::clamp(value, low, high);
  }
}

void Space::to_unit_cube(Arm arm, std::span<double> point) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (const auto whole = whole_numbers(parameters_[i])) {
      point[i] = (arm[i] - whole->low + 0.5) / static_cast<double>(whole->count);
      continue;
    }
    const auto& [low, high, scale] = std::get<Real>(parameters_[i].domain);
    // Halved first: the width of a very wide range may be too large for a double.
    const double share = scale == Scale::log
                             ? (std::log(arm[i]) - std::log(low)) / (std::log(high) - std::log(low))
                             : (arm[i] / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    point[i] = std::clamp(share, 0.0, 1.0);
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
