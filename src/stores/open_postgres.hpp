#pragma once

#include "canopy/store.hpp"

#include <memory>
#include <string>

namespace canopy {

/// Opens a store in a database of PostgreSQL. Throws StoreError.
///
/// A program links what that needs (open_postgres.cpp). The Python module loads it when somebody
/// asks for it (load_postgres.cpp), so that it can be imported where libpq is not installed.
[[nodiscard]] std::unique_ptr<FullStore> open_postgres(const std::string& address,
                                                       Store::Mode mode);

}  // namespace canopy
