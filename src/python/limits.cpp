#include "python/limits.hpp"

#include "canopy/enum_names.hpp"

#include <string>

#include <nanobind/stl/string.h>

namespace canopy::python {

nanobind::list checks_list(const std::vector<LimitCheck>& checks) {
  nanobind::list list;
  for (const LimitCheck& check : checks) {
    list.append(nanobind::make_tuple(check.metric, check.limit, std::string(name_of(check.state)),
                                     check.probability, check.estimate, check.pulls));
  }
  return list;
}

}  // namespace canopy::python
