#pragma once

#include "canopy/study_specification.hpp"

#include "files/document_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// Reads [system], if it is there. Complaints are left with the reader.
[[nodiscard]] std::optional<SystemSpecification> read_system(DocumentReader& reader,
                                                             const Document& root,
                                                             const Space& space);

/// Reads the [[limit]] tables.
[[nodiscard]] std::vector<Limit> read_limits(DocumentReader& reader, const Document& root);

/// Reads [budget].
[[nodiscard]] Budget read_budget(DocumentReader& reader, const Document& root);

/// The tables that these read back.
[[nodiscard]] Document system_document(const SystemSpecification& system, const Space& space);
[[nodiscard]] Document budget_document(const Budget& budget);
[[nodiscard]] Document limits_document(const std::vector<Limit>& limits);

/// Reads the values of all parameters out of a table. What is wrong is complained about as `field`
/// and what is in it, and the arm is then worth nothing.
[[nodiscard]] std::vector<double> read_arm(DocumentReader& reader, const Document& document,
                                           const Space& space, const std::string& field);

/// The arm that a document names the parameters of; none when it is not one of the space.
[[nodiscard]] std::optional<std::vector<double>> arm_from(const Space& space,
                                                          const Document& document);

}  // namespace canopy
