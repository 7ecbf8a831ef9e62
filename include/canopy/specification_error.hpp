#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace canopy {

/// Thrown for an invalid specification. The message is a single line that names source, line, key,
/// value and requirement for every mistake. If the text is not valid TOML or JSON, it has only that
/// error.
class SpecificationError : public std::runtime_error {
 public:
  struct Mistake {
    std::uint64_t line = 0;  ///< 0: unknown
    std::string text;
    std::uint64_t column = 0;  ///< 0: the whole line
    std::string field = {};    ///< as in `Violation`; empty: the text itself is invalid
  };

  explicit SpecificationError(const std::string& message)
      : std::runtime_error(message), mistakes_{{0, message, 0}} {}
  SpecificationError(const std::string& source, std::vector<Mistake> mistakes)
      : std::runtime_error(message_of(source, mistakes)), mistakes_(std::move(mistakes)) {}

  /// The mistakes without the source.
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
