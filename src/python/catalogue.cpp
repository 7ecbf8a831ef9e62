#include "canopy/catalogue.hpp"

#include "canopy/environments.hpp"
#include "canopy/optimizers.hpp"

#include "python/bindings.hpp"
#include "python/options.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace canopy::python {
namespace {

const char* kind_name(OptionField::Kind kind) {
  if (kind == OptionField::Kind::word) return "word";
  return kind == OptionField::Kind::whole ? "whole" : "real";
}

nb::list field_dictionaries(const std::vector<OptionField>& fields) {
  nb::list all;
  for (const OptionField& field : fields) {
    nb::dict one;
    one["name"] = field.name;
    one["help"] = field.help;
    one["kind"] = kind_name(field.kind);
    one["range"] = std::string(field.range.text);
    one["words"] = field.words;
    one["unset"] = field.unset;
    one["optional"] = field.optional;
    one["default"] = options_dictionary({{field.name, field.standard}})[field.name.c_str()];
    all.append(one);
  }
  return all;
}

/// The contents of a catalogue, from which the typed Python classes are generated.
template <class Entry>
nb::list entry_dictionaries(const Catalogue<Entry>& catalogue) {
  nb::list all;
  for (const Entry& entry : catalogue) {
    nb::dict one;
    one["name"] = entry.name;
    one["line"] = entry.line;
    one["fields"] = field_dictionaries(entry.fields);
    if constexpr (requires { entry.has_tree; }) {
      one["has_tree"] = entry.has_tree;
      one["takes_partitions"] = static_cast<bool>(entry.make_over);  // user-defined partitions
      one["takes_contexts"] = static_cast<bool>(entry.make_in_contexts);
    }
    all.append(one);
  }
  return all;
}

}  // namespace

void bind_catalogue(nb::module_& module) {
  module.def("optimizer_catalogue", [] { return entry_dictionaries(optimizers()); });
  module.def("environment_catalogue", [] { return entry_dictionaries(environments()); });
}

}  // namespace canopy::python
