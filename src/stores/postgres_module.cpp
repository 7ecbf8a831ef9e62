// The symbols that load_postgres.cpp looks up in the loaded library.

#include "stores/postgres_store.hpp"

extern "C" [[gnu::visibility("default")]] canopy::FullStore* canopy_open_postgres(
    const std::string& address, canopy::Store::Mode mode) {
  return std::make_unique<canopy::PostgresStore>(address, mode).release();
}
