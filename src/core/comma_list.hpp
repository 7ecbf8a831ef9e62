#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// The words of a comma-separated list: `a,b` gives a and b.
[[nodiscard]] inline std::vector<std::string> words_between_commas(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    if (!one.empty()) words.emplace_back(one);
    text.remove_prefix(std::min(text.size(), one.size() + 1));
  }
  return words;
}

}  // namespace canopy
