#pragma once

#include "canopy/space.hpp"

#include "files/document_reader.hpp"

#include <cstddef>
#include <optional>

namespace canopy {

/// A parameter as a table of a study file: its name, its type and the fields of its domain.
[[nodiscard]] Document parameter_document(const Parameter& parameter);

/// Reads the [[space]] table number `index`, from 0. Complains about what cannot be read, not about
/// what a Space refuses.
[[nodiscard]] Parameter read_parameter(DocumentReader& reader, const Document& table,
                                       std::size_t index);

/// The coordinate of a value as a file has it; none if it is not one of the domain.
[[nodiscard]] std::optional<double> coordinate_of(const Domain& domain, const Document& value);

/// A coordinate as a file has it.
[[nodiscard]] Document value_document(const Domain& domain, double coordinate);

}  // namespace canopy
