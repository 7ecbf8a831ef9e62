#pragma once

#include "systems/command_line.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// How values are written into a text.
enum class ValueCoding {
  plain,
  percent,  ///< as in an address or a form
  json,     ///< escaped between quotes; elsewhere as they are
  promql,   ///< the same, where '...' are quotes as well
};

/// That of a body of a type, such as `application/json`.
[[nodiscard]] ValueCoding coding_of(std::string_view content_type);

/// A text with places for values. `{name}` is one if the name is known; all other braces stand for
/// themselves, so JSON and PromQL are written as always. `{{name}}` is `{name}` as it stands.
class TextTemplate {
 public:
  TextTemplate(std::string_view text, const std::vector<std::string>& names, ValueCoding coding);

  /// Words between braces that are not known: most likely mistakes.
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }

  [[nodiscard]] bool uses(std::string_view name) const;

  /// The text with these values. One that is missing is left empty.
  [[nodiscard]] std::string filled(const Values& values) const;

 private:
  struct Part {
    std::string text;  ///< or the name of a value
    bool is_value = false;
    char quote = '\0';  ///< that a value is between
  };

  void add(char letter);

  ValueCoding coding_;
  std::vector<Part> parts_;
  std::vector<std::string> unknown_;
};

}  // namespace canopy
