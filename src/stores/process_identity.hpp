#pragma once

#include <string>
#include <string_view>

namespace canopy {

/// A readable text that identifies this process uniquely across machines and time: `pid 17 on host
/// (a1b2...:4026531836:5530)`.
[[nodiscard]] std::string process_identity();

/// Whether a process of this machine has ended. False if that cannot be determined.
[[nodiscard]] bool is_gone(std::string_view identity);

}  // namespace canopy
