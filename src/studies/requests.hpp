#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace canopy {

/// Handles one request of `canopy pipe`: a line of JSON in, a line of JSON out, both without line
/// ends. An invalid request gets an error and has no effect. docs/pipe.md describes the protocol.
[[nodiscard]] std::string answer_request(std::string_view line, const Space& space,
                                         Optimizer& optimizer);

/// Longer lines are rejected without being parsed.
inline constexpr std::size_t kLongestRequest = 524'288;

/// The response to a line that is too long.
[[nodiscard]] std::string answer_to_long_request();

/// The response to a request whose effects could not be stored.
[[nodiscard]] std::string answer_to_lost_request(const std::string& reason);

}  // namespace canopy
