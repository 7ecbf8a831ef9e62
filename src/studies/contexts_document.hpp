#pragma once

#include "canopy/study_specification.hpp"

#include "files/document.hpp"
#include "files/document_reader.hpp"

namespace canopy {

/// Reads the [[context]] tables of a study, whose space and [system] are read already. Complaints
/// are left with the reader; there are no contexts then.
void read_contexts(DocumentReader& reader, const Document& root, StudySpecification& study);

/// The same as they are written.
[[nodiscard]] Document contexts_document(const StudySpecification& study);

}  // namespace canopy
