// The private module `_canopy`: the library for the package `canopy`, whose public interface is in
// python/canopy.

#include "canopy/family.hpp"
#include "canopy/version.hpp"

#include "python/bindings.hpp"

NB_MODULE(_canopy, module) {
  using namespace canopy::python;
  nanobind::set_leak_warnings(false);  // objects may live until the end of the program
  canopy::add_family();
  module.attr("version") = CANOPY_VERSION;
  bind_catalogue(module);
  bind_space(module);
  bind_contexts(module);
  bind_pull(module);
  bind_protocol(module);
  bind_optimizer(module);
  bind_intervals(module);
  bind_environment(module);
  bind_simulate(module);
  bind_experiment(module);
  bind_failures(module);
  bind_study(module);
  bind_store(module);
}
