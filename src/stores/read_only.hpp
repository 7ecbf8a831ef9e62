#pragma once

#include <optional>
#include <string>

namespace canopy {

/// How SQLite opens a store that can be read but not written.
struct ReadOnly {
  std::string uri;
  bool exclusive;  ///< locking_mode must be EXCLUSIVE: there is no file for the locks
};

/// None for a store that can be written, and where there is none.
[[nodiscard]] std::optional<ReadOnly> read_only(const std::string& path);

}  // namespace canopy
