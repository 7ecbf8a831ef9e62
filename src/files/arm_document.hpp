#pragma once

#include "canopy/context.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"
#include "files/document_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// Writes an arm by parameter names, {"x":0.5,"mode":"fast"}, as a document or as text.
[[nodiscard]] Document arm_document(const Space& space, Arm arm);
[[nodiscard]] std::string arm_text(const Space& space, Arm arm);

/// Reads the values of all parameters from a table. Complaints name `field` and the parameter. If
/// there are any, the returned arm must not be used.
[[nodiscard]] std::vector<double> read_arm(DocumentReader& reader, const Document& document,
                                           const Space& space, const std::string& field);

/// Writes a context by variable names: {"load":0.7,"tenant":"a"}. A number outside the range of its
/// variable is written as it was observed. Returns none if the coordinates are not a context of
/// these variables.
[[nodiscard]] std::optional<Document> context_document(const ContextSpace& contexts,
                                                       Context context);

/// Reads the values of all context variables from a table; see `read_arm`.
[[nodiscard]] std::vector<double> read_context(DocumentReader& reader, const Document& document,
                                               const ContextSpace& contexts,
                                               const std::string& field);

/// Returns the arm that a document describes by parameter names, or none if the space has no such
/// arm.
[[nodiscard]] std::optional<std::vector<double>> arm_from(const Space& space,
                                                          const Document& document);

}  // namespace canopy
