#pragma once

#include "canopy/optimizer.hpp"

#include <string>
#include <string_view>

namespace canopy::cli {

/// The conversation of `canopy pipe`: one line of JSON in, one line of JSON out. Whatever is wrong
/// with a line is answered by an error, and nothing has changed. docs/pipe.md has the protocol.
class PipeSession {
 public:
  /// A longer line is not worth reading.
  static constexpr std::size_t kLongestLine = 524'288;

  /// Both must outlive it.
  PipeSession(const Space& space, Optimizer& optimizer) : space_(space), optimizer_(optimizer) {}

  /// The answer to a line, without a line end.
  [[nodiscard]] std::string answer(std::string_view line);

  /// The answer to a line that was longer than kLongestLine.
  [[nodiscard]] static std::string answer_to_long_line();

  /// The answer to a line whose effect could not be kept, for that reason.
  [[nodiscard]] static std::string answer_to_lost_line(const std::string& reason);

 private:
  const Space& space_;
  Optimizer& optimizer_;
};

}  // namespace canopy::cli
