#pragma once

#include "canopy/specification_error.hpp"

#include "files/document.hpp"

#include <string>
#include <string_view>

namespace canopy {

/// The value that a JSON text is; `source` names it in messages. Lines are not known. Throws
/// SpecificationError, also for a key that appears twice in a table, for numbers beyond a double's
/// range, and for anything deeper than kDeepestDocument.
[[nodiscard]] Document parse_json(std::string_view text, const std::string& source);

/// A value as JSON: on one line, or on many with `indent` blanks a level. Infinities and NaN become
/// null, TOML's dates texts, and what is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_text(const Document& document, int indent = -1);

}  // namespace canopy
