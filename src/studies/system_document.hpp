#pragma once

#include "canopy/study_specification.hpp"

#include "files/document_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// Reads the table [system], if present. Mistakes are reported to the reader.
[[nodiscard]] std::optional<SystemSpecification> read_system(DocumentReader& reader,
                                                             const Document& root,
                                                             const Space& space);

/// Reads the table [baseline], if present.
[[nodiscard]] std::optional<Baseline> read_baseline(DocumentReader& reader, const Document& root,
                                                    const Space& space);

/// Reads the [[limit]] tables.
[[nodiscard]] std::vector<Limit> read_limits(DocumentReader& reader, const Document& root);

/// Reads the table [budget].
[[nodiscard]] Budget read_budget(DocumentReader& reader, const Document& root);

/// Writes the tables that the functions above read.
[[nodiscard]] Document system_document(const SystemSpecification& system);
[[nodiscard]] Document baseline_document(const Baseline& baseline, const Space& space);
[[nodiscard]] Document budget_document(const Budget& budget);
[[nodiscard]] Document limits_document(const std::vector<Limit>& limits);

}  // namespace canopy
