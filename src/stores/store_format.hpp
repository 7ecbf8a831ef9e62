#pragma once

#include "canopy/store.hpp"

#include <string>

#include <fmt/format.h>

namespace canopy {

/// The store format that this version reads and writes.
inline constexpr int kStoreFormat = 5;

/// Throws StoreError unless a store has this format.
inline void require_store_format(const std::string& name, int found) {
  if (found == kStoreFormat) return;
  const bool is_newer = found > kStoreFormat;
  throw StoreError(
      is_newer ? StoreError::Fault::newer : StoreError::Fault::older,
      fmt::format("{}: was written by {} version of canopy (format {}, this one reads {})", name,
                  is_newer ? "a newer" : "an older", found, kStoreFormat));
}

}  // namespace canopy
