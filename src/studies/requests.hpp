#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace canopy {

/// The conversation of `canopy pipe`: one line of JSON in, one line of JSON out, without line ends.
/// Whatever is wrong with a line is answered by an error, and nothing has changed. docs/pipe.md has
/// the protocol.
[[nodiscard]] std::string answer_request(std::string_view line, const Space& space,
                                         Optimizer& optimizer);

/// A longer line is not worth reading.
inline constexpr std::size_t kLongestRequest = 524'288;

/// The answer to a line that was longer.
[[nodiscard]] std::string answer_to_long_request();

/// The answer to a line whose effect could not be kept, for that reason.
[[nodiscard]] std::string answer_to_lost_request(const std::string& reason);

}  // namespace canopy
