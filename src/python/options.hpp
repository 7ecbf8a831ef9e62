#pragma once

#include "canopy/catalogue.hpp"
#include "canopy/errors.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/options.hpp"
#include "canopy/partition.hpp"
#include "canopy/statistics.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

namespace nb = nanobind;

/// The repr of a value, truncated, for messages.
[[nodiscard]] std::string shown(nb::handle value);

/// The text of a string; none for other objects, and for a string that cannot be encoded in UTF-8.
[[nodiscard]] std::optional<std::string> text_from(nb::handle value);

/// Converts an object to a number; none for strings and for anything that is not a single number.
[[nodiscard]] std::optional<double> number_from(nb::handle value);

/// Reads the keyword arguments that are options of these fields. None keeps a default. Violations
/// are added to `wrong`, with names that begin with `prefix`.
[[nodiscard]] OptionValues options_from(const nb::dict& given,
                                        const std::vector<OptionField>& fields,
                                        std::string_view prefix, std::vector<Violation>& wrong);

/// Adds a violation for every keyword argument that is not one of these fields.
void refuse_others(const nb::dict& given, const std::vector<OptionField>& fields,
                   std::vector<Violation>& wrong);

/// Options as a dictionary; None if an option has no value.
[[nodiscard]] nb::dict options_dictionary(const OptionValues& options);

/// Returns (mean, low, high); the ends are None for a single measurement.
[[nodiscard]] nb::tuple estimate_tuple(const Estimate& estimate);

/// Throws ConfigurationError: `optimizer = 'hvt': unknown optimizer, did you mean "hct"?`
[[noreturn]] void refuse_name(const std::string& kind, nb::handle given,
                              const std::vector<std::string_view>& known);

/// Finds the entry of a catalogue by name. Throws ConfigurationError.
template <class Entry>
[[nodiscard]] const Entry& entry_named(const Catalogue<Entry>& catalogue, nb::handle name) {
  if (const Entry* entry = catalogue.find(text_from(name).value_or(""))) return *entry;
  refuse_name(catalogue.kind(), name, catalogue.names());
}

/// Converts a reward range: two numbers, or None to learn it from rewards. The Python code passes
/// no other objects.
[[nodiscard]] std::optional<RewardRange> range_from(nb::handle reward_range);

/// Parses the rule by which boxes are cut. Throws ConfigurationError.
[[nodiscard]] PartitionRule partition_from(nb::handle given);

/// Parses an enumeration by its name. Throws ConfigurationError.
template <class Enum>
[[nodiscard]] Enum enum_from(const std::string& field, nb::handle given) {
  if (const auto value = value_named<Enum>(text_from(given).value_or(""))) return *value;
  OptionField named{.name = field, .kind = OptionField::Kind::word};
  for (const std::string_view name : EnumNames<Enum>::names) named.words.emplace_back(name);
  throw ConfigurationError({{field, shown(given), named.must_be()}});
}

}  // namespace canopy::python
