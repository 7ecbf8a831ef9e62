#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace canopy::service {

/// A file of the page, which the build made from `web`.
struct PageFile {
  std::string_view name;
  std::string_view tag;  ///< another one whenever the file is another
  std::string_view plain;
  std::string_view packed;  ///< compressed by gzip; empty: that would not help
};

/// All of them; none if the page was not built: that takes Node.js.
[[nodiscard]] std::span<const PageFile> page_files();

/// The one of that name; null if there is none.
[[nodiscard]] const PageFile* find_page_file(std::string_view name);

}  // namespace canopy::service
