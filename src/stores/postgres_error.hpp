#pragma once

#include "canopy/store.hpp"

#include <string>
#include <string_view>

namespace canopy {

/// What an error means, by its code or the class of it (postgresql.org, "PostgreSQL Error Codes").
[[nodiscard]] StoreError::Fault fault_of_state(std::string_view state);

/// An error of a store in PostgreSQL: what is wrong, and what can be done about it.
[[nodiscard]] StoreError postgres_error(StoreError::Fault fault, const std::string& store,
                                        std::string_view what);

}  // namespace canopy
