#pragma once

#include "canopy/store.hpp"

#include <memory>
#include <string>

namespace canopy {

/// Opens a store in a PostgreSQL database. Throws StoreError.
///
/// Programs link the implementation (open_postgres.cpp). The Python module loads it on first use
/// (load_postgres.cpp), so that it can be imported on machines without libpq.
[[nodiscard]] std::unique_ptr<FullStore> open_postgres(const std::string& address,
                                                       Store::Mode mode);

}  // namespace canopy
