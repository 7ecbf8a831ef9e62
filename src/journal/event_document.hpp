#pragma once

#include "canopy/event.hpp"

#include "files/document.hpp"
#include "files/document_reader.hpp"
#include "files/names.hpp"

#include <optional>
#include <string>
#include <vector>

namespace canopy {

// Conversion of events to and from documents, for reading and writing journals outside of a store.
// An arm is written as its exact coordinates and, if it is in the space, also by parameter names.
// Contexts are written in the same way:
//
// {"kind":"ask","ticket":7,"pulls":1,"length":1,"coordinates":[0.5],"arm":{"x":0.5}}
//
// Integers that do not fit into a document (2^63 and more) are written as strings.

[[nodiscard]] Document event_document(const Names& names, const Event& event);

/// Writes an entry: its `number`, its time `at` and its event.
[[nodiscard]] Document entry_document(const Names& names, const JournalEntry& entry);

/// Reads an event. An arm may be given by its coordinates, which are taken unchanged, or by its
/// parameter values; a context likewise. If anything is invalid, returns none and reports each
/// mistake to the reader, in fields that begin with `prefix`, such as `events[3].`
[[nodiscard]] std::optional<Event> event_from(const Document& document, const Names& names,
                                              DocumentReader& reader,
                                              const std::string& prefix = "");
[[nodiscard]] std::optional<JournalEntry> entry_from(const Document& document, const Names& names,
                                                     DocumentReader& reader,
                                                     const std::string& prefix = "");

/// Reads an event or entry, and throws a SpecificationError with all mistakes. `source` names the
/// text in messages.
[[nodiscard]] Event event_from(const Document& document, const Names& names,
                               const std::string& source);
[[nodiscard]] JournalEntry entry_from(const Document& document, const Names& names,
                                      const std::string& source);

}  // namespace canopy
