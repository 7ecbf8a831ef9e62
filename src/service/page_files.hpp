#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace canopy::service {

/// A file of the live page, embedded by the build.
struct PageFile {
  std::string_view name;
  std::string_view tag;  ///< a hash of the contents, used as entity tag
  std::string_view plain;
  std::string_view packed;  ///< compressed by gzip; empty if that does not make it smaller
};

/// All files of the page. Empty if canopy was built without Node.js, and therefore without the
/// page.
[[nodiscard]] std::span<const PageFile> page_files();

/// Returns the file of that name, or null.
[[nodiscard]] const PageFile* find_page_file(std::string_view name);

}  // namespace canopy::service
