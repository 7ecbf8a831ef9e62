#pragma once

#include "canopy/store.hpp"

#include "stores/postgres_connection.hpp"

namespace canopy {

/// Sees that a database is a store of this version, and makes it one if it is empty and may be
/// made. Any number of processes may do so at once. Throws StoreError.
void prepare_database(PostgresConnection& connection, Store::Mode mode);

}  // namespace canopy
