#pragma once

#include <soci/soci.h>
#include <string>

namespace canopy {

/// The format that this version writes.
inline constexpr int kStoreVersion = 3;

/// Studies and their journals have been the same since this one.
inline constexpr int kLastVersionOfStudies = 2;

/// Turns a store of an older version (0: an empty file) into one of this version, inside the
/// transaction that is going on. Throws StoreError and what SOCI throws.
void bring_up_to_date(soci::session& sql, const std::string& path, int version);

}  // namespace canopy
