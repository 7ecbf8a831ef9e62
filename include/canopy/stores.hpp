#pragma once

#include "canopy/store.hpp"

#include <memory>
#include <string>

namespace canopy {

/// Opens a store by name: `postgresql://user@host/database`, or an SQLite file. Throws StoreError.
/// A store must not be carried across a fork: a child whose parent has it open is refused.
[[nodiscard]] std::unique_ptr<Store> open_store(const std::string& name, Store::Mode mode);

}  // namespace canopy
