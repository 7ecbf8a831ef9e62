#pragma once

#include "canopy/specification_error.hpp"

#include "files/document.hpp"

#include <string>
#include <string_view>

namespace canopy {

/// Parses a JSON text; `source` names it in messages. Line numbers are not recorded. Throws
/// SpecificationError, also for a key that appears twice in a table, for numbers outside the range
/// of a double, and for nesting deeper than kDeepestDocument.
[[nodiscard]] Document parse_json(std::string_view text, const std::string& source);

/// Writes a value as JSON, on one line or indented by `indent` spaces per level. Infinities and NaN
/// become null, TOML dates become strings, and invalid UTF-8 is replaced by U+FFFD.
[[nodiscard]] std::string json_text(const Document& document, int indent = -1);

}  // namespace canopy
