#pragma once

#include "canopy/store.hpp"

#include <string>
#include <string_view>

namespace canopy {

/// Maps an SQLSTATE code or its class to a fault (see postgresql.org, "PostgreSQL Error Codes").
[[nodiscard]] StoreError::Fault fault_of_state(std::string_view state);

/// Creates the error of a store in PostgreSQL, with advice.
[[nodiscard]] StoreError postgres_error(StoreError::Fault fault, const std::string& store,
                                        std::string_view what);

}  // namespace canopy
