#pragma once

#include "canopy/specification_error.hpp"

#include "files/document.hpp"

#include <string>
#include <string_view>

namespace canopy {

/// The table that a TOML text is, with the line of every value; `source` names it in messages.
/// Throws SpecificationError with line and column, also for keys of more than 16 parts and for
/// anything deeper than kDeepestDocument.
[[nodiscard]] Document parse_toml(std::string_view text, const std::string& source);

/// Whether a TOML text has comments, which a document does not keep.
[[nodiscard]] bool has_comments(std::string_view text);

/// A table as TOML that is pleasant to read, and that parses as the same table: values first, then
/// [tables] and [[lists of tables]] in their order, small tables within tables as { x = 1.0 }.
///
/// TOML has no word for nothing: such keys are left out. Throws std::invalid_argument for nothing
/// in a list, and for anything but a table. What is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string toml_text(const Document& table);

/// The shortest text that reads back as the same number, and as no whole one: `1.0`, `1e-07`.
[[nodiscard]] std::string toml_number(double number);

enum class TomlQuotes { preferably_single, preferably_double };

/// A text as a TOML string on one line, with escapes only where other quotes do not save them:
/// "iid", 'say "iid"', "it's \"iid\"".
[[nodiscard]] std::string toml_string(std::string_view text,
                                      TomlQuotes quotes = TomlQuotes::preferably_double);

/// A key, in quotes where it needs them.
[[nodiscard]] std::string toml_key(std::string_view key);

}  // namespace canopy
