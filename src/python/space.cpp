#include "python/space.hpp"

#include "core/text.hpp"
#include "python/bindings.hpp"
#include "python/options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace canopy::python {

PythonSpace::PythonSpace(Space space) : space_(std::move(space)), choices_(space_.dimension()) {
  for (const Parameter& parameter : space_.parameters()) names_.push_back(nb::cast(parameter.name));
}

PythonSpace::PythonSpace(Space space, const nb::list& choices) : PythonSpace(std::move(space)) {
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    for (const nb::handle each : choices[i]) choices_[i].push_back(nb::borrow(each));
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
  return std::visit([](const auto& value) { return nb::cast(value); },
                    space_.parameters()[index].domain.value(coordinate));
}

nb::dict PythonSpace::dictionary(Arm arm) const {
  nb::dict result;
  for (std::size_t i = 0; i < names_.size(); ++i) result[names_[i]] = value(arm[i], i);
  return result;
}

namespace {

/// The index of a value among some objects: of the object itself, or else of an equal one.
std::optional<std::size_t> place_among(const std::vector<nb::object>& objects, nb::handle value) {
  for (std::size_t i = 0; i < objects.size(); ++i) {  // prefers identity, because 1 == True
    const bool is_same_type = objects[i].type().is(value.type());
    if (objects[i].is(value) || (is_same_type && objects[i].equal(value))) return i;
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (objects[i].equal(value)) return i;
  }
  return std::nullopt;
}

std::optional<double> coordinate_from(const Domain& domain, nb::handle value) {
  if (const auto text = text_from(value)) return domain.coordinate(*text);
  const auto number = number_from(value);
  if (!number) return std::nullopt;
  if (const auto coordinate = domain.coordinate(*number)) return coordinate;
  if (!(std::abs(*number) <= 0x1p53) || std::floor(*number) != *number) return std::nullopt;
  return domain.coordinate(static_cast<std::int64_t>(*number));
}

}  // namespace

std::optional<double> PythonSpace::coordinate_or_none(nb::handle value, std::size_t index) const {
  const std::vector<nb::object>& objects = choices_[index];
  if (const auto place = place_among(objects, value)) return static_cast<double>(*place);
  if (!objects.empty()) return std::nullopt;
  return coordinate_from(space_.parameters()[index].domain, value);
}

std::string PythonSpace::must_be(std::size_t index) const {
  if (!choices_[index].empty()) return "is not one of the choices";
  return "must be " + space_.parameters()[index].domain.description();
}

double PythonSpace::coordinate(nb::handle value, std::size_t index) const {
  if (const auto found = coordinate_or_none(value, index)) return *found;
  throw std::invalid_argument(space_.parameters()[index].name + " = " + shown(value) + ": " +
                              must_be(index));
}

std::size_t PythonSpace::index_of(const std::string& name) const {
  const auto& all = space_.parameters();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Parameter& each) { return each.name == name; });
  if (found == all.end()) throw nb::key_error(name.c_str());
  return static_cast<std::size_t>(found - all.begin());
}

std::string PythonSpace::unknown_name_in(const nb::dict& given, const Words& words) const {
  std::vector<std::string_view> known;
  for (const Parameter& parameter : space_.parameters()) known.push_back(parameter.name);
  for (const nb::handle name : given.keys()) {
    const auto is_name = [&](const nb::object& each) { return each.equal(name); };
    if (std::any_of(names_.begin(), names_.end(), is_name)) continue;
    std::string text = shown(name) + ": is not " + words.a_name;
    std::string nearest;
    if (std::string word; nb::try_cast(name, word)) nearest = nearest_name(word, known);
    if (!nearest.empty()) return text.append(", did you mean '").append(nearest).append("'?");
    text += ", " + words.all + " ";
    for (std::size_t i = 0; i < known.size(); ++i) text.append(i > 0 ? ", " : "").append(known[i]);
    return text;
  }
  return "";
}

std::vector<double> PythonSpace::read_all(const nb::dict& given, const Words& words,
                                          const Read& read) const {
  std::vector<double> result;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!given.contains(names_[i])) {
      const std::string unknown = unknown_name_in(given, words);
      throw std::invalid_argument(words.prefix + space_.parameters()[i].name + ": is missing" +
                                  (unknown.empty() ? "" : "; " + unknown));
    }
    result.push_back(read(given[names_[i]], i));
  }
  if (given.size() != names_.size()) {
    throw std::invalid_argument(unknown_name_in(given, words));
  }
  return result;
}

std::vector<double> PythonSpace::coordinates(const nb::dict& arm) const {
  const Words words{"", "a parameter of the space", "which has"};
  return read_all(arm, words,
                  [this](nb::handle value, std::size_t i) { return coordinate(value, i); });
}

namespace {

template <class Member>
nb::object object_of(const Member& member) {
  if constexpr (std::is_enum_v<Member>) {
    return nb::cast(name_of(member));
  } else {
    return nb::cast(member);
  }
}

std::string must_be_text(nb::handle given) {
  if (auto text = text_from(given)) return *text;
  throw std::invalid_argument("space: " + shown(given) + " is not valid text");
}

[[noreturn]] void refuse_member(const std::string& field, nb::handle given,
                                const std::string& expected) {
  throw std::invalid_argument(field + " = " + shown(given) + ": " + expected);
}

void assign_member(const std::string& field, nb::handle given, double& member) {
  const auto number = number_from(given);
  if (!number) refuse_member(field, given, "must be a number");
  member = *number;
}

void assign_member(const std::string& field, nb::handle given, std::int64_t& member) {
  const auto number = number_from(given);
  if (!number || !(std::abs(*number) <= 0x1p53) || std::floor(*number) != *number) {
    refuse_member(field, given,
                  "must be a whole number from -9007199254740992 to 9007199254740992");
  }
  member = static_cast<std::int64_t>(*number);
}

void assign_member(const std::string& /*field*/, nb::handle given,
                   std::vector<std::string>& member) {
  for (const nb::handle each : given) member.push_back(must_be_text(each));
}

template <class Enum>
requires std::is_enum_v<Enum>
void assign_member(const std::string& field, nb::handle given, Enum& member) {
  member = enum_from<Enum>(field, given);
}

}  // namespace

nb::dict fields_of(Domain domain) {
  nb::dict fields;
  visit_fields(domain, [&](const Field& field, const auto& member) {
    fields[nb::cast(field.name)] = object_of(member);
  });
  return fields;
}

Parameter parameter_from(const nb::tuple& given, const std::string& what) {
  Parameter parameter{must_be_text(given[0]), {}};
  parameter.domain = Domain::named(nb::cast<std::string>(given[1])).value();
  const auto fields = nb::cast<nb::dict>(given[2]);
  visit_fields(parameter.domain, [&](const Field& field, auto& member) {
    const nb::object name = nb::cast(field.name);
    if (!fields.contains(name)) return;
    assign_member(what + "." + parameter.name + "." + std::string(field.name), fields[name],
                  member);
  });
  return parameter;
}

nb::list parameter_list(const Space& space) {
  nb::list result;
  for (const auto& [name, domain] : space.parameters()) {
    result.append(nb::make_tuple(name, domain.name(), fields_of(domain)));
  }
  return result;
}

nb::object space_object(const Space& space) {
  static constexpr const char* kModule = "canopy._space";
  return nb::module_::import_(kModule).attr("space_from_tuples")(parameter_list(space));
}

namespace {

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
  nb::class_<Domain>(module, "Domain")
      .def_prop_ro("is_ordered", &Domain::is_ordered)
      .def_prop_ro("ends", &Domain::ends)
      .def_prop_ro("count", &Domain::count)
      .def_prop_ro("spacing", &Domain::spacing)
      .def("at", &Domain::at, nb::arg("share"))
      .def("share", &Domain::share, nb::arg("coordinate"))
      .def("grid", &Domain::grid, nb::arg("points"))
      .def("ticks", &Domain::ticks, nb::arg("most"));
  module.def("parameter_kinds", [] {
    nb::dict kinds;
    for (const std::string_view name : Domain::names()) {
      kinds[nb::cast(name)] = fields_of(*Domain::named(name));
    }
    return kinds;
  });
  nb::class_<PythonSpace>(module, "Space", nb::type_slots(space_slots.data()))
      .def(
          "__init__",
          [](PythonSpace* self, const nb::list& parameters, const nb::list& choices) {
            std::vector<Parameter> all;
            for (const nb::handle each : parameters) {
              all.push_back(parameter_from(nb::cast<nb::tuple>(each), "space"));
            }
            new (self) PythonSpace(Space(std::move(all)), choices);
          },
          nb::arg("parameters"), nb::arg("choices"))
      .def("_tuples", [](const PythonSpace& self) { return parameter_list(self.space()); })
      .def("_coordinates", &PythonSpace::coordinates, nb::arg("arm"))
      .def(
          "_domain",
          [](const PythonSpace& self, const std::string& name) {
            return self.space().parameters()[self.index_of(name)].domain;
          },
          nb::arg("name"))
      .def(
          "_coordinate",
          [](const PythonSpace& self, const std::string& name, nb::handle value) {
            return self.coordinate(value, self.index_of(name));
          },
          nb::arg("name"), nb::arg("value").none())
      .def(
          "_value",
          [](const PythonSpace& self, const std::string& name, double coordinate) {
            return self.value(coordinate, self.index_of(name));
          },
          nb::arg("name"), nb::arg("coordinate"));
}

}  // namespace canopy::python
