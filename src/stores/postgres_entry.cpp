#include "stores/list.hpp"
#include "stores/open_postgres.hpp"

namespace canopy {

/// There is no find_faults: PostgreSQL verifies pages itself when it reads them.
StoreEntry postgres_store_entry() {
  return {.prefixes = {"postgresql://", "postgres://"}, .open = open_postgres};
}

}  // namespace canopy
