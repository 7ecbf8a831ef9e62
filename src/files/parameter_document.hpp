#pragma once

#include "canopy/space.hpp"

#include "files/document_reader.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace canopy {

/// A parameter as a table of a study file: its name, its type and the fields of its domain.
[[nodiscard]] Document parameter_document(const Parameter& parameter);

/// Reads the [[space]] table number `index`, from 0. Complains about what cannot be read, not about
/// what a Space refuses. Tables of another `list` may have other keys as well.
[[nodiscard]] Parameter read_parameter(DocumentReader& reader, const Document& table,
                                       std::size_t index, std::string_view list = "space",
                                       std::span<const std::string_view> other_keys = {});

/// What fields of that table begin with in complaints: `space.x.`, or `space[0].` without a name.
[[nodiscard]] std::string parameter_prefix(const Document& table, std::size_t index,
                                           std::string_view list = "space");

/// The coordinate of a value as a file has it; none if it is not one of the domain.
[[nodiscard]] std::optional<double> coordinate_of(const Domain& domain, const Document& value);

/// The same of a value that was observed, which may be any finite number where the domain is
/// ordered: beyond an end of it, or between two values of a list.
[[nodiscard]] std::optional<double> observed_coordinate_of(const Domain& domain,
                                                           const Document& value);
/// What that has to be: `must be a finite number`.
[[nodiscard]] std::string observed_must_be(const Domain& domain);

/// A coordinate as a file has it.
[[nodiscard]] Document value_document(const Domain& domain, double coordinate);

}  // namespace canopy
