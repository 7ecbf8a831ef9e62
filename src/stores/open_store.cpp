#include "canopy/stores.hpp"

#include "stores/open_postgres.hpp"
#include "stores/sqlite_store.hpp"

namespace canopy {

std::unique_ptr<Store> open_store(const std::string& name, Store::Mode mode) {
  if (name.starts_with("postgresql://") || name.starts_with("postgres://")) {
    return open_postgres(name, mode);
  }
  return std::make_unique<SqliteStore>(name, mode);
}

}  // namespace canopy
