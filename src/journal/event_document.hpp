#pragma once

#include "canopy/event.hpp"

#include "files/document.hpp"
#include "files/document_reader.hpp"
#include "files/names.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

// Events as documents, for whoever reads a journal from elsewhere or writes to one. An arm is its
// coordinates, which are exact, and beside them what people know it by, where it is in the space;
// and so is a context:
//
//   {"kind":"ask","ticket":7,"pulls":1,"length":1,"coordinates":[0.5],"arm":{"x":0.5}}
//
// A whole number that is too large for a document (2^63 and more) is a text of digits.

[[nodiscard]] Document event_document(const Names& names, const Event& event);

/// The same after its `number` and its time, `at`.
[[nodiscard]] Document entry_document(const Names& names, const JournalEntry& entry);

/// Reads one back. An arm may be given by its coordinates, which are taken as they are, or by the
/// values of its parameters; a context likewise. None if anything is wrong with it: the reader then
/// has a complaint about each thing, in fields that begin with `prefix`, such as `events[3].`
[[nodiscard]] std::optional<Event> event_from(const Document& document, const Names& names,
                                              DocumentReader& reader,
                                              const std::string& prefix = "");
[[nodiscard]] std::optional<JournalEntry> entry_from(const Document& document, const Names& names,
                                                     DocumentReader& reader,
                                                     const std::string& prefix = "");

/// The same; throws SpecificationError with all that is wrong, where `source` names the text.
[[nodiscard]] Event event_from(const Document& document, const Names& names,
                               const std::string& source);
[[nodiscard]] JournalEntry entry_from(const Document& document, const Names& names,
                                      const std::string& source);

}  // namespace canopy
