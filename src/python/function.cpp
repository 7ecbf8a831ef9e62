#include "python/function.hpp"

#include "core/text.hpp"
#include "python/options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

namespace canopy::python {
namespace {

nb::object names_of(const PythonSpace& space) {
  nb::list names;
  for (std::size_t i = 0; i < space.space().dimension(); ++i) names.append(space.name(i));
  return nb::tuple(names);
}

}  // namespace

FunctionEnvironment::FunctionEnvironment(const PythonFunction& about)
    : about_(about),
      space_(nb::cast<const PythonSpace&>(about.space)),
      dimension_(space_.space().dimension()),
      names_(names_of(space_)),
      arguments_(dimension_ + 1) {}

void FunctionEnvironment::start(RandomStream& random) {
  const std::uint64_t seed = random() >> 11;
  if (!about_.start.is_none()) about_.start(seed);
}

std::string FunctionEnvironment::text_of(const nb::object& function, Arm arm) const {
  const auto name = text_from(nb::getattr(function, "__name__", nb::none()));
  std::string text = name.value_or(about_.name) + '(';
  for (std::size_t i = 0; i < dimension_; ++i) {
    text += (i > 0 ? ", " : "") + space_.space().parameters()[i].name + '=';
    text += shown(space_.value(arm[i], i));
  }
  return text + ')';
}

double FunctionEnvironment::call(const nb::object& function, Arm arm) const {
  // Passes keywords without a dictionary; the slot before the first argument is for a bound `self`.
  for (std::size_t i = 0; i < dimension_; ++i) {
    arguments_[i + 1] = space_.value(arm[i], i).release().ptr();
  }
  const nb::object result = nb::steal(PyObject_Vectorcall(
      function.ptr(), arguments_.data() + 1, PY_VECTORCALL_ARGUMENTS_OFFSET, names_.ptr()));
  for (std::size_t i = 1; i <= dimension_; ++i) Py_DECREF(arguments_[i]);
  if (!result.is_valid()) throw nb::python_error();
  const std::optional<double> value = number_from(result);
  if (value && std::isfinite(*value)) return *value;
  throw std::invalid_argument(text_of(function, arm) + " returned " + shown(result) +
                              ": must be a finite number");
}

void FunctionEnvironment::note(Arm arm, double value) {
  if (!values_.empty() && std::equal(arm.rbegin(), arm.rend(), arms_.rbegin())) {
    if (values_.back() == value) return;
    throw std::invalid_argument(text_of(about_.function, arm) + " returned " +
                                to_text(values_.back()) + " and then " + to_text(value) +
                                ": give mean=, the function without noise, or noise=\"own\"");
  }
  if (2 * judged_ > values_.size()) {
    const auto used = static_cast<std::ptrdiff_t>(judged_);
    arms_.erase(arms_.begin(), arms_.begin() + used * static_cast<std::ptrdiff_t>(dimension_));
    values_.erase(values_.begin(), values_.begin() + used);
    judged_ = 0;
  }
  arms_.insert(arms_.end(), arm.begin(), arm.end());
  values_.push_back(value);
}

std::optional<double> FunctionEnvironment::noted(Arm arm) const {
  const std::span<const double> arms = arms_;
  for (std::size_t i = judged_; i < values_.size(); ++i) {
    const Arm each = arms.subspan(i * dimension_, dimension_);
    if (!std::equal(arm.begin(), arm.end(), each.begin())) continue;
    judged_ = i;
    return values_[i];
  }
  return std::nullopt;
}

double FunctionEnvironment::pull(Arm arm, RandomStream& random) {
  const double value = call(about_.function, arm);
  if (about_.noisy) return value;
  note(arm, value);
  if (!called_twice_) {
    called_twice_ = true;
    note(arm, call(about_.function, arm));
  }
  if (!about_.noise) return value;
  if (*about_.noise == Noise::bernoulli && (value < 0.0 || value > 1.0)) {
    throw std::invalid_argument(text_of(about_.function, arm) + " returned " + to_text(value) +
                                ": must be from 0 to 1 for bernoulli noise");
  }
  return noisy(value, *about_.noise, about_.noise_width, random);
}

double FunctionEnvironment::mean_reward(Arm arm) const {
  const auto mean = [&] {
    if (!about_.noisy) {
      const std::optional<double> known = noted(arm);
      return known ? *known : call(about_.function, arm);
    }
    if (about_.mean.is_none()) return std::numeric_limits<double>::quiet_NaN();
    return call(about_.mean, arm);
  };
  const double value = mean();
  if (about_.optimum && value > *about_.optimum + 1e-9 * (1.0 + std::abs(*about_.optimum))) {
    throw std::invalid_argument(text_of(about_.noisy ? about_.mean : about_.function, arm) + " = " +
                                to_text(value) + " is above the optimum " +
                                to_text(*about_.optimum) +
                                ": give the largest mean, or leave it out");
  }
  return value;
}

}  // namespace canopy::python
