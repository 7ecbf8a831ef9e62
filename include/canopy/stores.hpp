#pragma once

#include "canopy/store.hpp"

#include <memory>
#include <string>
#include <vector>

namespace canopy {

/// Opens a store by name: `postgresql://user@host/database`, or an SQLite file. Throws StoreError.
/// A store must not be carried across a fork: a child whose parent has it open is refused.
[[nodiscard]] std::unique_ptr<FullStore> open_store(const std::string& name, Store::Mode mode);

/// Checks the database that a store is in, page by page and while others may write to it. Returns
/// what is wrong. Throws StoreError.
[[nodiscard]] std::vector<std::string> find_faults(const std::string& name);

}  // namespace canopy
