#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// Runs work on a thread of its own, and waits for it without the interpreter's lock. Ctrl-C stops
/// it; `progress` is told now and then how much is done.
void run_beside_interpreter(const std::function<void()>& work, std::atomic<bool>& stop,
                            const std::atomic<std::uint64_t>& done,
                            const nanobind::object& progress);

}  // namespace canopy::python
