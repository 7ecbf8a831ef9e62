#pragma once

#include <cstddef>
#include <span>
#include <sys/types.h>

namespace canopy {

/// The children of the calling thread, zombies included, as many as there is room for. Some may be
/// missing while they come and go. Returns how many there are in `ids`. Async-signal-safe.
[[nodiscard]] std::size_t own_children(std::span<pid_t> ids);

/// The same, of the whole process, by looking at all processes there are: for kernels that keep no
/// lists of children.
[[nodiscard]] std::size_t search_own_children(std::span<pid_t> ids);

}  // namespace canopy
