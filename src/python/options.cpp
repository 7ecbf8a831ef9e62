#include "python/options.hpp"

#include <algorithm>

namespace canopy::python {

std::string shown(nb::handle value) {
  constexpr std::size_t kLongest = 60;
  std::string text = nb::repr(value).c_str();
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

std::optional<double> number_from(nb::handle value) {
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  const bool is_number = PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr()) ||
                         (nb::hasattr(value, "__float__") && !nb::hasattr(value, "__getitem__"));
  const bool is_scalar = nb::hasattr(value, "ndim") && nb::hasattr(value, "__float__") &&
                         nb::cast<int>(value.attr("ndim")) == 0;
  if (!is_number && !is_scalar) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Float(value.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  return PyFloat_AS_DOUBLE(number.ptr());
}

void GivenOptions::throw_if_any() const {
  std::vector<Violation> all = violations_;
  for (const auto& [key, value] : given_) {
    const std::string name = nb::cast<nb::str>(key).c_str();
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    all.push_back({name, shown(value), unknown_name("option", name, known_)});
  }
  canopy::throw_if_any(std::move(all));
}

}  // namespace canopy::python
