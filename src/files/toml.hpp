#pragma once

#include "canopy/specification_error.hpp"

#include "files/document.hpp"

#include <string>
#include <string_view>

namespace canopy {

/// Parses a TOML text and records the line of every value; `source` names it in messages. Throws
/// SpecificationError with line and column, also for keys of more than 16 parts and for nesting
/// deeper than kDeepestDocument.
[[nodiscard]] Document parse_toml(std::string_view text, const std::string& source);

/// Whether a TOML text has comments, which a document does not keep.
[[nodiscard]] bool has_comments(std::string_view text);

/// Writes a table as readable TOML that parses as the same table: values first, then [tables] and
/// [[lists of tables]] in their order; small nested tables are written as { x = 1.0 }.
///
/// TOML has no null: keys with a null value are left out. Throws std::invalid_argument for null in
/// a list and for a document that is not a table. Invalid UTF-8 is replaced by U+FFFD.
[[nodiscard]] std::string toml_text(const Document& table);

/// The shortest text that reads back as the same number and as a floating-point one: `1.0`,
/// `1e-07`.
[[nodiscard]] std::string toml_number(double number);

enum class TomlQuotes { preferably_single, preferably_double };

/// Writes a text as a TOML string on one line, with escapes only where no other kind of quotes
/// avoids them: "iid", 'say "iid"', "it's \"iid\"".
[[nodiscard]] std::string toml_string(std::string_view text,
                                      TomlQuotes quotes = TomlQuotes::preferably_double);

/// Writes a key, quoted if necessary.
[[nodiscard]] std::string toml_key(std::string_view key);

}  // namespace canopy
