#include "stores/list.hpp"

namespace canopy {

/// Replaces postgres_entry.cpp in Python modules that are built without the headers of libpq.
StoreEntry postgres_store_entry() {
  return {
      .prefixes = {"postgresql://", "postgres://"},
      .open = [](const std::string&, Store::Mode) -> std::unique_ptr<FullStore> {
        throw StoreError(
            StoreError::Fault::unreachable,
            "this canopy was built without the headers of libpq: install them (Debian's libpq-dev) "
            "and build canopy again to keep studies in PostgreSQL");
      }};
}

}  // namespace canopy
