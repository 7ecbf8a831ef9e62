#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace canopy {

/// A specification that cannot be understood. The message is a single line that
/// names the source, the line, the key, its value and what was expected, for every mistake,
/// unless the text is not even valid TOML or JSON.
class SpecificationError : public std::runtime_error {
 public:
  struct Mistake {
    std::uint64_t line = 0;  ///< 0: not known
    std::string text;
    std::uint64_t column = 0;  ///< 0: the whole line
    std::string field = {};    ///< as in `Violation`; empty: the text itself is not valid
  };

  explicit SpecificationError(const std::string& message)
      : std::runtime_error(message), mistakes_{{0, message, 0}} {}
  SpecificationError(const std::string& source, std::vector<Mistake> mistakes)
      : std::runtime_error(message_of(source, mistakes)), mistakes_(std::move(mistakes)) {}

  /// One by one, without the source.
  [[nodiscard]] const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  static std::string message_of(const std::string& source, const std::vector<Mistake>& mistakes) {
    std::string message;
    for (const Mistake& mistake : mistakes) {
      message += (message.empty() ? "" : "; ") + source;
      if (mistake.line > 0) message += ":" + std::to_string(mistake.line);
      if (mistake.column > 0) message += ":" + std::to_string(mistake.column);
      message += ": " + mistake.text;
    }
    return message;
  }

  std::vector<Mistake> mistakes_;
};

}  // namespace canopy
