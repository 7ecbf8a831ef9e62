#pragma once

#include "canopy/store.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The kinds of stores, each with an entry function in its own source. New kinds must come before
// SQLite, which accepts any name as a file.
// clang-format off
#define CANOPY_STORES(entry) \
  entry(postgres) \
  entry(sqlite)
// clang-format on

namespace canopy {

/// Describes a kind of store.
struct StoreEntry {
  std::vector<std::string_view> prefixes;  ///< name prefixes of such stores; empty: any name
  std::unique_ptr<FullStore> (*open)(const std::string& name, Store::Mode mode);
  /// See canopy::find_faults; null if there is nothing to check.
  std::vector<std::string> (*find_faults)(const std::string& name) = nullptr;
};

#define CANOPY_DECLARE(name) [[nodiscard]] StoreEntry name##_store_entry();
CANOPY_STORES(CANOPY_DECLARE)
#undef CANOPY_DECLARE

}  // namespace canopy
