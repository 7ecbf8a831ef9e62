#pragma once

#include "canopy/output_error.hpp"

#include <string>

namespace canopy {

/// Writes a file atomically: it has its previous content until the new one is complete. Throws
/// OutputError.
void write_file(const std::string& path, const std::string& text);

/// Quotes a text as one field of a CSV line.
[[nodiscard]] std::string quoted_csv(const std::string& text);

/// Escapes a text for HTML, including attribute values in double quotes.
[[nodiscard]] std::string escaped(const std::string& text);

/// The content of an SVG file, to be embedded in a page; empty if the file does not exist.
[[nodiscard]] std::string svg_of(const std::string& path);

/// The beginning of a self-contained HTML page, with its title as the heading.
[[nodiscard]] std::string page_head(const std::string& title);

/// The end of the page: the command, version and machine that produced it.
[[nodiscard]] std::string page_foot(const std::string& command);

}  // namespace canopy
