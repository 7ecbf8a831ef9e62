#include "stores/list.hpp"
#include "stores/postgres_store.hpp"

namespace canopy {

/// PostgreSQL checks its pages itself when they are read.
StoreEntry postgres_store_entry() {
  return {.prefixes = {"postgresql://", "postgres://"},
          .open = [](const std::string& address, Store::Mode mode) -> std::unique_ptr<FullStore> {
            return std::make_unique<PostgresStore>(address, mode);
          }};
}

}  // namespace canopy
