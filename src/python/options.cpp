#include "python/options.hpp"

#include <algorithm>
#include <limits>

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

/// Whether an array or a scalar of numpy, or the like, holds real numbers; true for all others.
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

void GivenOptions::throw_if_any() const {
  std::vector<Violation> all = violations_;
  for (const auto& [key, value] : given_) {
    const std::string name = text_from(key).value_or(shown(key));
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    all.push_back({name, shown(value), unknown_name("option", name, known_)});
  }
  canopy::throw_if_any(std::move(all));
}

}  // namespace canopy::python
