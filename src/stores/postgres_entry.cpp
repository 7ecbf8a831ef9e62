#include "stores/list.hpp"
#include "stores/open_postgres.hpp"

namespace canopy {

/// PostgreSQL checks its pages itself when they are read.
StoreEntry postgres_store_entry() {
  return {.prefixes = {"postgresql://", "postgres://"}, .open = open_postgres};
}

}  // namespace canopy
