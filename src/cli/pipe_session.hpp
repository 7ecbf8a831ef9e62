#pragma once

#include "canopy/optimizer.hpp"

#include "studies/specification.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace canopy::cli {

/// The conversation of `canopy pipe`: one line of JSON in, one line of JSON out. Whatever is wrong
/// with a line is answered by an error, and nothing has changed. docs/pipe.md has the protocol.
class PipeSession {
 public:
  /// A longer line is not worth reading.
  static constexpr std::size_t kLongestLine = 524'288;

  explicit PipeSession(const StudySpecification& study);

  /// The answer to a line, without a line end.
  [[nodiscard]] std::string answer(std::string_view line);

  /// The answer to a line that was longer than kLongestLine.
  [[nodiscard]] static std::string answer_to_long_line();

 private:
  Space space_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace canopy::cli
