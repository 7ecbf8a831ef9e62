#include "stores/open_postgres.hpp"

#include "stores/postgres_store.hpp"

namespace canopy {

std::unique_ptr<FullStore> open_postgres(const std::string& address, Store::Mode mode) {
  return std::make_unique<PostgresStore>(address, mode);
}

}  // namespace canopy
