#include "canopy/stores.hpp"

#include "stores/postgres_address.hpp"
#include "stores/postgres_store.hpp"
#include "stores/sqlite_store.hpp"

namespace canopy {

std::unique_ptr<Store> open_store(const std::string& name, Store::Mode mode) {
  if (PostgresAddress::is_one(name)) return std::make_unique<PostgresStore>(name, mode);
  return std::make_unique<SqliteStore>(name, mode);
}

}  // namespace canopy
