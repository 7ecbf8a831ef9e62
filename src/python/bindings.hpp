#pragma once

#include <nanobind/nanobind.h>

namespace canopy::python {

// The parts of the module, one file each.
void bind_catalogue(nanobind::module_& module);
void bind_space(nanobind::module_& module);
void bind_contexts(nanobind::module_& module);
void bind_pull(nanobind::module_& module);
void bind_protocol(nanobind::module_& module);
void bind_optimizer(nanobind::module_& module);
void bind_intervals(nanobind::module_& module);
void bind_environment(nanobind::module_& module);
void bind_simulate(nanobind::module_& module);
void bind_experiment(nanobind::module_& module);
void bind_failures(nanobind::module_& module);
void bind_study(nanobind::module_& module);
void bind_store(nanobind::module_& module);

}  // namespace canopy::python
