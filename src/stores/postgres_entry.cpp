#include "stores/list.hpp"
#include "stores/postgres_store.hpp"

namespace canopy {

/// There is no find_faults: PostgreSQL verifies pages itself when it reads them.
StoreEntry postgres_store_entry() {
  return {.prefixes = {"postgresql://", "postgres://"},
          .open = [](const std::string& address, Store::Mode mode) -> std::unique_ptr<FullStore> {
            return std::make_unique<PostgresStore>(address, mode);
          }};
}

}  // namespace canopy
