#include "python/contexts.hpp"

#include "python/bindings.hpp"
#include "python/limits.hpp"
#include "python/options.hpp"
#include "python/pull.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace canopy::python {

std::vector<double> PythonContexts::context(nb::handle given) const {
  const Words words{"context.", "observed here", "where it is"};
  if (!PyDict_Check(given.ptr())) {
    refuse("context", given, "must be a dictionary with the observed values");
  }
  return read_all(nb::borrow<nb::dict>(given), words,
                  [this](nb::handle value, std::size_t i) { return context_coordinate(value, i); });
}

double PythonContexts::context_coordinate(nb::handle value, std::size_t index) const {
  const auto& [name, domain, period] = contexts_[index];
  if (!domain.is_ordered()) {
    if (const auto found = coordinate_or_none(value, index)) return *found;
    refuse("context." + name, value, must_be(index));
  }
  const auto number = number_from(value);
  if (!number || !std::isfinite(*number)) {
    refuse("context." + name, value, "must be a finite number");
  }
  return *number;
}

namespace {

/// Returns (name, kind, {field: value}, period) for each variable.
nb::list variable_list(const ContextSpace& contexts) {
  nb::list result;
  for (const auto& [name, domain, period] : contexts.variables()) {
    result.append(nb::make_tuple(name, std::string(domain.name()), fields_of(domain), period));
  }
  return result;
}

ContextSpace contexts_from(const nb::list& variables, const nb::list& periods) {
  if (variables.empty()) {
    throw std::invalid_argument("contexts: must have at least one variable");
  }
  std::vector<ContextVariable> all;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    Parameter parameter = parameter_from(nb::cast<nb::tuple>(variables[i]), "context");
    all.push_back(
        {std::move(parameter.name), std::move(parameter.domain), nb::cast<double>(periods[i])});
  }
  return ContextSpace(std::move(all));
}

nb::object end_or_none(const std::optional<Interval>& interval, double Interval::*end) {
  const bool is_known = interval && std::isfinite((*interval).*end);
  return is_known ? nb::object(nb::float_((*interval).*end)) : nb::none();
}

/// The variables that a region restricts: {'hour': (6.0, 18.0), 'tenant': ['small']}.
nb::dict where_of(const PolicyRow& row, const PythonContexts& contexts) {
  nb::dict where;
  for (std::size_t k = 0; k < row.where.size(); ++k) {
    const ContextRange& range = row.where[k];
    if (range.is_everything) continue;
    if (contexts.contexts()[k].domain.is_ordered()) {
      where[contexts.name(k)] =
          nb::make_tuple(contexts.value(range.ends[0], k), contexts.value(range.ends[1], k));
      continue;
    }
    nb::list values;
    for (const double value : range.values) values.append(contexts.value(value, k));
    where[contexts.name(k)] = values;
  }
  return where;
}

/// Returns (where, arm, pulls, arm_pulls, mean, lower, upper, may_share, limits, breaks_limits).
nb::tuple row_tuple(const PolicyRow& row, const PythonSpace& space,
                    const PythonContexts& contexts) {
  const bool is_known = !row.arm.empty();
  return nb::make_tuple(
      where_of(row, contexts), is_known ? nb::object(space.dictionary(row.arm)) : nb::none(),
      row.pulls, row.arm_pulls, is_known ? nb::object(nb::float_(row.mean)) : nb::none(),
      end_or_none(row.interval, &Interval::lower), end_or_none(row.interval, &Interval::upper),
      row.may_share, checks_list(row.limits), row.breaks_limits);
}

/// Returns (low, high, effect) for every bin of a variable; for a list, its values. Empty if there
/// are no effects.
nb::list effect_list(const ContextEffect& effect, const PythonContexts& contexts, std::size_t k) {
  nb::list list;
  const auto is_none = [](double number) { return number == 0.0; };
  if (std::all_of(effect.by_bin.begin(), effect.by_bin.end(), is_none)) return list;
  for (std::size_t b = 0; b < effect.by_bin.size(); ++b) {
    const auto [low, high] = contexts.contexts().ends(k, b);
    if (low > high) continue;  // the bin contains no value
    list.append(nb::make_tuple(contexts.value(low, k), contexts.value(high, k), effect.by_bin[b]));
  }
  return list;
}

}  // namespace

nb::object contexts_object(const ContextSpace& contexts) {
  if (contexts.empty()) return nb::none();
  static constexpr const char* kModule = "canopy._space";
  return nb::module_::import_(kModule).attr("contexts_from_tuples")(variable_list(contexts));
}

const PythonContexts* contexts_of(nb::handle object) {
  return object.is_none() ? nullptr : nb::cast<const PythonContexts*>(object);
}

nb::tuple policy_tuple(const Policy& policy, const PythonSpace& space,
                       const PythonContexts& contexts) {
  nb::list rows;
  for (const PolicyRow& row : policy.rows) rows.append(row_tuple(row, space, contexts));
  nb::dict effects;
  nb::dict weights;
  for (std::size_t k = 0; k < contexts.contexts().size(); ++k) {
    effects[contexts.name(k)] = effect_list(policy.effects[k], contexts, k);
    const auto& [splits, evidence] = policy.weights[k];
    weights[contexts.name(k)] = nb::make_tuple(splits, evidence);
  }
  return nb::make_tuple(rows, effects, weights, policy.moved);
}

void bind_contexts(nb::module_& module) {
  nb::class_<PythonContexts, PythonSpace>(module, "Contexts")
      .def(
          "__init__",
          [](PythonContexts* self, const nb::list& variables, const nb::list& choices,
             const nb::list& periods) {
            new (self) PythonContexts(contexts_from(variables, periods), choices);
          },
          nb::arg("variables"), nb::arg("choices"), nb::arg("periods"))
      .def("_variables", [](const PythonContexts& self) { return variable_list(self.contexts()); })
      .def(
          "_within",
          [](const PythonContexts& self, const std::string& name, nb::handle value) {
            const std::size_t index = self.index_of(name);
            return self.contexts().within(index, self.context_coordinate(value, index));
          },
          nb::arg("name"), nb::arg("value").none());
}

}  // namespace canopy::python
