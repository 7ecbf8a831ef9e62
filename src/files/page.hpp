#pragma once

#include <stdexcept>
#include <string>

namespace canopy {

/// Thrown when results cannot be kept, or belong to something else.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes a file whole: what was there before is there until then. Throws OutputError.
void write_file(const std::string& path, const std::string& text);

/// A text as one field of a CSV line.
[[nodiscard]] std::string quoted_csv(const std::string& text);

/// A text as HTML shows it.
[[nodiscard]] std::string escaped(const std::string& text);

/// An SVG file as a part of a page; empty when there is none.
[[nodiscard]] std::string svg_of(const std::string& path);

/// The beginning of a page that needs nothing but itself, with its title as the heading.
[[nodiscard]] std::string page_head(const std::string& title);

/// Its end: by which command, version and machine it came about.
[[nodiscard]] std::string page_foot(const std::string& command, const std::string& version);

}  // namespace canopy
