#pragma once

#include "canopy/store.hpp"

#include "stores/postgres_connection.hpp"

namespace canopy {

/// Checks that a database is a store of this version. In mode `create`, turns an empty database
/// into a store. Safe if several processes do so at once. Throws StoreError.
void prepare_database(PostgresConnection& connection, Store::Mode mode);

}  // namespace canopy
