// Confidence intervals as pure functions, and the rounding of numbers to the precision of an
// interval.

#include "canopy/intervals.hpp"

#include "core/text.hpp"
#include "python/bindings.hpp"

#include <nanobind/stl/string.h>

namespace canopy::python {

namespace nb = nanobind;

void bind_intervals(nb::module_& module) {
  module.def("arm_alpha", &arm_alpha, nb::arg("confidence"), nb::arg("k"));
  module.def("t_sequence_width", &t_sequence_width, nb::arg("pulls"), nb::arg("alpha"));
  module.def("sequence_width", &sequence_width, nb::arg("pulls"), nb::arg("alpha"));
  module.def(
      "success_interval",
      [](double successes, double pulls, double alpha) {
        const Interval interval = success_interval(successes, pulls, alpha);
        return nb::make_tuple(interval.lower, interval.upper);
      },
      nb::arg("successes"), nb::arg("pulls"), nb::arg("alpha"));
  module.def(
      "bounded_interval",
      [](double mean, double pulls, double prediction_errors, double alpha) {
        const Interval interval = bounded_interval(mean, pulls, prediction_errors, alpha);
        return nb::make_tuple(interval.lower, interval.upper);
      },
      nb::arg("mean"), nb::arg("pulls"), nb::arg("prediction_errors"), nb::arg("alpha"));
  module.def("rounded_text", &rounded_text, nb::arg("value"), nb::arg("resolution"));
}

}  // namespace canopy::python
