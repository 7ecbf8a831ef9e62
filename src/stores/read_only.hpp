#pragma once

#include <optional>
#include <string>

namespace canopy {

/// How to open a store that can be read but not written.
struct ReadOnly {
  std::string uri;
  bool exclusive;  ///< use locking_mode EXCLUSIVE, because the shared-memory file cannot be created
};

/// Returns none if the store is writable or does not exist.
[[nodiscard]] std::optional<ReadOnly> read_only(const std::string& path);

}  // namespace canopy
