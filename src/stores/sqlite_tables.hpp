#pragma once

#include "stores/sqlite_connection.hpp"

namespace canopy {

/// Creates the tables of a store in an empty file, within the current transaction. Throws
/// StoreError.
void make_tables(SqliteConnection& connection);

}  // namespace canopy
