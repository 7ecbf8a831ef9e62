#pragma once

#include "stores/sqlite_connection.hpp"

namespace canopy {

/// Makes a store of an empty file, inside the transaction that is going on. Throws StoreError.
void make_tables(SqliteConnection& connection);

}  // namespace canopy
