#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// Runs work on its own thread and waits for it without holding the interpreter's lock. Ctrl-C
/// stops it; `progress` is called from time to time with the amount of work done.
void run_beside_interpreter(const std::function<void()>& work, std::atomic<bool>& stop,
                            const std::atomic<std::uint64_t>& done,
                            const nanobind::object& progress);

}  // namespace canopy::python
