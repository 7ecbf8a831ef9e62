#pragma once

#include "canopy/store.hpp"

#include <memory>
#include <string>
#include <vector>

namespace canopy {

/// Opens a store by name: an SQLite file or `postgresql://user@host/database`. Throws StoreError. A
/// store must not be used across a fork: a child process whose parent has it open gets an error.
[[nodiscard]] std::unique_ptr<FullStore> open_store(const std::string& name, Store::Mode mode);

/// Checks the integrity of the database that a store is in, even while other processes write to it.
/// Returns the faults found. Throws StoreError.
[[nodiscard]] std::vector<std::string> find_faults(const std::string& name);

}  // namespace canopy
