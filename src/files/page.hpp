#pragma once

#include "canopy/output_error.hpp"

#include <string>

namespace canopy {

/// Writes a file whole: what was there before is there until then. Throws OutputError.
void write_file(const std::string& path, const std::string& text);

/// A text as one field of a CSV line.
[[nodiscard]] std::string quoted_csv(const std::string& text);

/// A text as HTML shows it, also between double quotes.
[[nodiscard]] std::string escaped(const std::string& text);

/// An SVG file as a part of a page; empty when there is none.
[[nodiscard]] std::string svg_of(const std::string& path);

/// The beginning of a page that needs nothing but itself, with its title as the heading.
[[nodiscard]] std::string page_head(const std::string& title);

/// Its end: the command, version and machine that made it.
[[nodiscard]] std::string page_foot(const std::string& command);

}  // namespace canopy
