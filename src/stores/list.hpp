#pragma once

#include "canopy/store.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The kinds of stores. Each has its entry beside it; a new one is a line here, before SQLite, which
// any name may be the file of.
// clang-format off
#define CANOPY_STORES(entry) \
  entry(postgres) \
  entry(sqlite)
// clang-format on

namespace canopy {

/// A kind of store.
struct StoreEntry {
  std::vector<std::string_view> prefixes;  ///< the names of such stores begin with one of them
  std::unique_ptr<FullStore> (*open)(const std::string& name, Store::Mode mode);
  /// See canopy::find_faults; null where a store has nothing to check.
  std::vector<std::string> (*find_faults)(const std::string& name) = nullptr;
};

#define CANOPY_DECLARE(name) [[nodiscard]] StoreEntry name##_store_entry();
CANOPY_STORES(CANOPY_DECLARE)
#undef CANOPY_DECLARE

}  // namespace canopy
