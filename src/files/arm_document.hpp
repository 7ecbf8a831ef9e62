#pragma once

#include "canopy/context.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"
#include "files/document_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// An arm as the user knows it: {"x":0.5,"mode":"fast"}; and the same as text.
[[nodiscard]] Document arm_document(const Space& space, Arm arm);
[[nodiscard]] std::string arm_text(const Space& space, Arm arm);

/// Reads the values of all parameters from a table. Complaints name `field` and the parameter; the
/// arm is meaningless if there were any.
[[nodiscard]] std::vector<double> read_arm(DocumentReader& reader, const Document& document,
                                           const Space& space, const std::string& field);

/// A context as the user knows it: {"load":0.7,"tenant":"a"}. A number that is beyond the range of
/// its variable is written as it was observed. None if it is not a context of these variables.
[[nodiscard]] std::optional<Document> context_document(const ContextSpace& contexts,
                                                       Context context);

/// Reads the values of all variables from a table, as `read_arm` does those of parameters.
[[nodiscard]] std::vector<double> read_context(DocumentReader& reader, const Document& document,
                                               const ContextSpace& contexts,
                                               const std::string& field);

/// The arm whose parameters a document names; none if it is not one of the space.
[[nodiscard]] std::optional<std::vector<double>> arm_from(const Space& space,
                                                          const Document& document);

}  // namespace canopy
