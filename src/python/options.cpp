#include "python/options.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include <nanobind/stl/pair.h>

namespace canopy::python {

std::string shown(nb::handle value) {
  constexpr Py_ssize_t kLongest = 60;
  nb::object text = nb::steal(PyObject_Repr(value.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  const bool is_long = PyUnicode_GetLength(text.ptr()) > kLongest;
  if (is_long) text = nb::steal(PyUnicode_Substring(text.ptr(), 0, kLongest - 3));
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return PyBytes_AsString(bytes.ptr()) + std::string(is_long ? "..." : "");
}

std::optional<std::string> text_from(nb::handle value) {
  if (!PyUnicode_Check(value.ptr())) return std::nullopt;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string(text, static_cast<std::size_t>(size));
}

namespace {

/// Whether an array or scalar of numpy or a similar library holds real numbers; true for all other
/// objects.
bool is_real_kind(nb::handle value) {
  const nb::object dtype = nb::getattr(value, "dtype", nb::none());
  const auto kind = text_from(nb::getattr(dtype, "kind", nb::none()));
  return !kind || std::string_view("biuf").find(*kind) != std::string_view::npos;
}

bool is_single(nb::handle value) {
  if (!nb::hasattr(value, "__getitem__")) return true;
  const nb::object dimensions = nb::getattr(value, "ndim", nb::none());
  return PyLong_Check(dimensions.ptr()) && PyLong_AsLong(dimensions.ptr()) == 0;
}

/// None if the object does not have the type of the field.
std::optional<OptionValue> value_from(const OptionField& field, nb::handle object) {
  if (auto text = text_from(object)) return fitted(field, std::move(*text));
  if (const auto number = number_from(object)) return fitted(field, *number);
  return std::nullopt;
}

}  // namespace

std::optional<double> number_from(nb::handle value) {
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (!PyFloat_Check(value.ptr()) && !PyLong_Check(value.ptr())) {
    if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) return std::nullopt;
    if (!nb::hasattr(value, "__float__") || !is_single(value) || !is_real_kind(value)) {
      return std::nullopt;
    }
  }
  const nb::object number = nb::steal(PyNumber_Float(value.ptr()));
  if (number.is_valid()) return PyFloat_AS_DOUBLE(number.ptr());
  if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw nb::python_error();
  PyErr_Clear();
  return std::numeric_limits<double>::infinity();
}

OptionValues options_from(const nb::dict& given, const std::vector<OptionField>& fields,
                          std::string_view prefix, std::vector<Violation>& wrong) {
  OptionValues values;
  for (const OptionField& field : fields) {
    const nb::str key(field.name.c_str(), field.name.size());
    if (!given.contains(key)) continue;
    const nb::object object = given[key];
    if (object.is_none()) continue;
    const std::optional<OptionValue> value = value_from(field, object);
    if (!value) {
      wrong.push_back({std::string(prefix) + field.name, shown(object), field.must_be()});
      continue;
    }
    for (Violation& each : violations({field}, {{field.name, *value}}, prefix)) {
      wrong.push_back(std::move(each));
    }
    values.set(field.name, *value);
  }
  return values;
}

void refuse_others(const nb::dict& given, const std::vector<OptionField>& fields,
                   std::vector<Violation>& wrong) {
  std::vector<std::string_view> known;
  known.reserve(fields.size());
  for (const OptionField& field : fields) known.push_back(field.name);
  for (const auto& [key, value] : given) {
    const std::string name = text_from(key).value_or(shown(key));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    wrong.push_back({name, shown(value), unknown_name("option", name, known)});
  }
}

nb::dict options_dictionary(const OptionValues& options) {
  nb::dict result;
  for (const auto& [name, value] : options) {
    nb::object object = nb::none();
    if (const auto* real = std::get_if<double>(&value)) object = nb::float_(*real);
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) object = nb::int_(*whole);
    if (const auto* word = std::get_if<std::string>(&value)) object = nb::str(word->c_str());
    result[name.c_str()] = object;
  }
  return result;
}

std::optional<RewardRange> range_from(nb::handle reward_range) {
  if (reward_range.is_none()) return std::nullopt;
  const auto [low, high] = nb::cast<std::pair<double, double>>(reward_range);
  return RewardRange{low, high};
}

PartitionRule partition_from(nb::handle given) {
  if (const auto rule = partition_rule_from(text_from(given).value_or(""))) return *rule;
  throw ConfigurationError({{"optimizer.partition", shown(given), std::string(kPartitionMustBe)}});
}

void refuse_name(const std::string& kind, nb::handle given,
                 const std::vector<std::string_view>& known) {
  const std::string name = text_from(given).value_or("");
  throw ConfigurationError({{kind, shown(given), unknown_name(kind, name, known)}});
}

nb::tuple estimate_tuple(const Estimate& estimate) {
  if (!estimate.interval) return nb::make_tuple(estimate.mean, nb::none(), nb::none());
  return nb::make_tuple(estimate.mean, estimate.interval->low, estimate.interval->high);
}

}  // namespace canopy::python
