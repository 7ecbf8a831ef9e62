#pragma once

#include "systems/command_line.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// How values are encoded in a text.
enum class ValueCoding {
  plain,
  percent,  ///< percent-encoded, as in a URL or a form
  json,     ///< escaped between quotes; elsewhere unchanged
  promql,   ///< like json, but '...' are quotes as well
};

/// The encoding for a body of a type such as `application/json`.
[[nodiscard]] ValueCoding coding_of(std::string_view content_type);

/// A text with placeholders for values. `{name}` is a placeholder if the name is known; all other
/// braces are literal, so JSON and PromQL need no escapes. `{{name}}` is a literal `{name}`.
class TextTemplate {
 public:
  TextTemplate(std::string_view text, const std::vector<std::string>& names, ValueCoding coding);

  /// Unknown words between braces, which are probably mistakes.
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }

  [[nodiscard]] bool uses(std::string_view name) const;

  /// The text with these values; missing values become empty.
  [[nodiscard]] std::string filled(const Values& values) const;

 private:
  struct Part {
    std::string text;  ///< literal text, or the name of a value
    bool is_value = false;
    char quote = '\0';  ///< the quotes around a value, if any
  };

  void add(char letter);

  ValueCoding coding_;
  std::vector<Part> parts_;
  std::vector<std::string> unknown_;
};

}  // namespace canopy
