#pragma once

#include <string>
#include <string_view>

namespace canopy {

/// What tells this process from all others, on any machine and at any time: for people, and exact.
/// `pid 17 on host (a1b2...:4026531836:5530)`
[[nodiscard]] std::string process_identity();

/// Whether a process was one of this machine and is gone. False where that cannot be known.
[[nodiscard]] bool is_gone(std::string_view identity);

}  // namespace canopy
