#include "python/space.hpp"

#include "core/text.hpp"
#include "python/bindings.hpp"
#include "python/options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace canopy::python {

PythonSpace::PythonSpace(Space space) : space_(std::move(space)) {
  for (const Parameter& parameter : space_.parameters()) {
    names_.push_back(nb::cast(parameter.name));
    std::vector<nb::object>& objects = choices_.emplace_back();
    if (const auto* choice = std::get_if<Choice>(&parameter.domain)) {
      for (const std::string& each : choice->choices) objects.push_back(nb::cast(each));
    }
  }
}

PythonSpace::PythonSpace(Space space, const nb::list& choices) : PythonSpace(std::move(space)) {
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    if (choices_[i].empty()) continue;
    std::size_t next = 0;
    for (const nb::handle each : choices[i]) choices_[i].at(next++) = nb::borrow(each);
  }
}

int PythonSpace::visit_choices(visitproc visit, void* arg) const {
  for (const std::vector<nb::object>& objects : choices_) {
    for (const nb::object& each : objects) Py_VISIT(each.ptr());
  }
  return 0;
}

void PythonSpace::forget_choices() {
  for (std::vector<nb::object>& objects : choices_) {
    for (nb::object& each : objects) each = nb::none();
  }
}

nb::object PythonSpace::value(double coordinate, std::size_t index) const {
  const std::vector<nb::object>& objects = choices_[index];
  if (!objects.empty()) return objects[static_cast<std::size_t>(coordinate)];
  if (std::holds_alternative<Integer>(space_.parameters()[index].domain)) {
    return nb::int_(static_cast<std::int64_t>(coordinate));
  }
  return nb::float_(coordinate);
}

nb::dict PythonSpace::dictionary(Arm arm) const {
  nb::dict result;
  for (std::size_t i = 0; i < names_.size(); ++i) result[names_[i]] = value(arm[i], i);
  return result;
}

double PythonSpace::coordinate(nb::handle value, std::size_t index) const {
  const Parameter& parameter = space_.parameters()[index];
  const auto refuse = [&](const std::string& expected) {
    throw std::invalid_argument(parameter.name + " = " + shown(value) + ": " + expected);
  };
  const std::vector<nb::object>& objects = choices_[index];
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (objects[i].equal(value)) return static_cast<double>(i);
  }
  if (!objects.empty()) refuse("is not one of the choices");
  const auto number = number_from(value);
  if (!number || std::isnan(*number)) refuse("must be a number");
  const auto check = [&](const auto& domain) {
    const auto low = static_cast<double>(domain.low);
    const auto high = static_cast<double>(domain.high);
    if (*number < low || *number > high) {
      refuse("must be from " + to_text(low) + " to " + to_text(high));
    }
  };
  if (const auto* real = std::get_if<Real>(&parameter.domain)) check(*real);
  if (const auto* integer = std::get_if<Integer>(&parameter.domain)) {
    if (std::floor(*number) != *number) refuse("must be a whole number");
    check(*integer);
    if (!space_.coordinate(index, static_cast<std::int64_t>(*number))) {
      refuse("must be from " + std::to_string(integer->low) + " to " +
             std::to_string(integer->last()) + " in steps of " + std::to_string(integer->step));
    }
  }
  return *number;
}

std::string PythonSpace::unknown_name_in(const nb::dict& arm) const {
  std::vector<std::string_view> known;
  for (const Parameter& parameter : space_.parameters()) known.push_back(parameter.name);
  for (const nb::handle name : arm.keys()) {
    const auto is_name = [&](const nb::object& each) { return each.equal(name); };
    if (std::any_of(names_.begin(), names_.end(), is_name)) continue;
    std::string text = shown(name) + ": is not a parameter of the space";
    std::string nearest;
    if (std::string word; nb::try_cast(name, word)) nearest = nearest_name(word, known);
    if (!nearest.empty()) return text.append(", did you mean '").append(nearest).append("'?");
    text += ", which has ";
    for (std::size_t i = 0; i < known.size(); ++i) text.append(i > 0 ? ", " : "").append(known[i]);
    return text;
  }
  return "";
}

std::vector<double> PythonSpace::coordinates(const nb::dict& arm) const {
  std::vector<double> result;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!arm.contains(names_[i])) {
      const std::string unknown = unknown_name_in(arm);
      throw std::invalid_argument(space_.parameters()[i].name + ": is missing" +
                                  (unknown.empty() ? "" : "; " + unknown));
    }
    result.push_back(coordinate(arm[names_[i]], i));
  }
  if (arm.size() != names_.size()) throw std::invalid_argument(unknown_name_in(arm));
  return result;
}

namespace {

nb::object domain_tuple(const std::string& name, const Real& real) {
  return nb::make_tuple(name, "real", real.low, real.high, real.scale == Scale::log);
}
nb::object domain_tuple(const std::string& name, const Integer& integer) {
  return nb::make_tuple(name, "integer", integer.low, integer.high, integer.scale == Scale::log,
                        integer.step);
}
nb::object domain_tuple(const std::string& name, const Choice& choice) {
  return nb::make_tuple(name, "choice", choice.choices);
}

}  // namespace

nb::list parameter_list(const Space& space) {
  nb::list result;
  for (const Parameter& parameter : space.parameters()) {
    result.append(
        std::visit([&](const auto& domain) { return domain_tuple(parameter.name, domain); },
                   parameter.domain));
  }
  return result;
}

nb::object space_object(const Space& space) {
  static constexpr const char* kModule = "canopy._space";
  return nb::module_::import_(kModule).attr("space_from_tuples")(parameter_list(space));
}

namespace {

std::string must_be_text(nb::handle given) {
  if (auto text = text_from(given)) return *text;
  throw std::invalid_argument("space: " + shown(given) + " is not valid text");
}

Scale scale_from(nb::handle log) {
  return nb::cast<bool>(log) ? Scale::log : Scale::linear;
}

/// A parameter as Python gives it: (name, "real", low, high, log), (name, "integer", low, high,
/// log, step) or (name, "choice", labels).
Parameter parameter_from(const nb::tuple& given) {
  const auto name = must_be_text(given[0]);
  const auto type = nb::cast<std::string>(given[1]);
  if (type == "choice") {
    Choice choice;
    for (const nb::handle each : given[2]) choice.choices.push_back(must_be_text(each));
    return {name, std::move(choice)};
  }
  if (type == "integer") {
    return {name, Integer{nb::cast<std::int64_t>(given[2]), nb::cast<std::int64_t>(given[3]),
                          scale_from(given[4]), nb::cast<std::int64_t>(given[5])}};
  }
  return {name, Real{nb::cast<double>(given[2]), nb::cast<double>(given[3]), scale_from(given[4])}};
}

int traverse_space(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<PythonSpace>(self)->visit_choices(visit, arg) : 0;
}

int clear_space(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<PythonSpace>(self)->forget_choices();
  return 0;
}

std::array<PyType_Slot, 3> space_slots{{{Py_tp_traverse, reinterpret_cast<void*>(traverse_space)},
                                        {Py_tp_clear, reinterpret_cast<void*>(clear_space)},
                                        {0, nullptr}}};

}  // namespace

void bind_space(nb::module_& module) {
  nb::class_<PythonSpace>(module, "Space", nb::type_slots(space_slots.data()))
      .def(
          "__init__",
          [](PythonSpace* self, const nb::list& parameters, const nb::list& choices) {
            std::vector<Parameter> all;
            for (const nb::handle each : parameters) {
              all.push_back(parameter_from(nb::cast<nb::tuple>(each)));
            }
            new (self) PythonSpace(Space(std::move(all)), choices);
          },
          nb::arg("parameters"), nb::arg("choices"));
}

}  // namespace canopy::python
