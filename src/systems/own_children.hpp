#pragma once

#include <cstddef>
#include <span>
#include <sys/types.h>

namespace canopy {

/// Stores the ids of the calling thread's children, including zombies, as many as `ids` has room
/// for. May miss some while processes start and end. Returns the number stored. Async-signal-safe.
[[nodiscard]] std::size_t own_children(std::span<pid_t> ids);

/// Finds the children of the whole process by scanning /proc, for kernels without lists of
/// children.
[[nodiscard]] std::size_t search_own_children(std::span<pid_t> ids);

}  // namespace canopy
