#pragma once

#include "canopy/store.hpp"

#include <soci/soci.h>
#include <string>

namespace canopy {

/// Sees that a database is a store of this version, and makes it one if it is empty and may be
/// made. Any number of processes may do so at once. Throws StoreError and what SOCI throws.
void prepare_database(soci::session& sql, const std::string& name, Store::Mode mode);

}  // namespace canopy
