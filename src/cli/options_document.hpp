#pragma once

#include "canopy/catalogue.hpp"

#include "files/document_reader.hpp"

namespace canopy::cli {

/// Returns the options as a table. An option without a value is omitted, unless its field has a
/// word for that. `seed` is always omitted, since every run has its own.
template <class Entry>
[[nodiscard]] Document options_document(const Catalogue<Entry>& catalogue,
                                        const Selection& selected) {
  Document table = document_of(selected.options, catalogue.at(selected.name).fields);
  table.erase("seed");
  return table.as_table() != nullptr ? table : Document(Document::Table{});
}

}  // namespace canopy::cli
