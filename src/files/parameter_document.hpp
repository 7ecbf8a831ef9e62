#pragma once

#include "canopy/space.hpp"

#include "files/document_reader.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace canopy {

/// Writes a parameter as a table of a study file: its name, its type and the fields of its domain.
[[nodiscard]] Document parameter_document(const Parameter& parameter);

/// Reads the [[space]] table number `index`, from 0. Complains about values that cannot be read;
/// the checks of Space are not made here. Tables of another `list` may have other keys as well.
[[nodiscard]] Parameter read_parameter(DocumentReader& reader, const Document& table,
                                       std::size_t index, std::string_view list = "space",
                                       std::span<const std::string_view> other_keys = {});

/// The prefix of that table's fields in complaints: `space.x.`, or `space[0].` if it has no name.
[[nodiscard]] std::string parameter_prefix(const Document& table, std::size_t index,
                                           std::string_view list = "space");

/// Converts a value from a file to a coordinate; none if it is not in the domain.
[[nodiscard]] std::optional<double> coordinate_of(const Domain& domain, const Document& value);

/// Converts an observed value to a coordinate. If the domain is ordered, any finite number is
/// accepted, even outside its range or between the values of a list.
[[nodiscard]] std::optional<double> observed_coordinate_of(const Domain& domain,
                                                           const Document& value);
/// The requirement for an observed value, for messages: `must be a finite number`.
[[nodiscard]] std::string observed_must_be(const Domain& domain);

/// Converts a coordinate to the value that is written to files.
[[nodiscard]] Document value_document(const Domain& domain, double coordinate);

}  // namespace canopy
