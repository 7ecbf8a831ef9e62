#pragma once

#include "canopy/study_specification.hpp"

#include "files/document.hpp"
#include "files/document_reader.hpp"

namespace canopy {

/// Reads the [[context]] tables of a study; its space and [system] must have been read before.
/// Mistakes are reported to the reader; the study then has no contexts.
void read_contexts(DocumentReader& reader, const Document& root, StudySpecification& study);

/// Writes the [[context]] tables.
[[nodiscard]] Document contexts_document(const StudySpecification& study);

}  // namespace canopy
