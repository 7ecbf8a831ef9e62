#pragma once

#include "stores/event_rows.hpp"

#include <cstddef>
#include <soci/soci.h>

namespace canopy {

/// The rows of a journal that follow a number, `most` of them or as many as there are, by SQLite's
/// own functions: journals are long, and SOCI takes three times as long to read them. False if a
/// value has another type than its column. Throws what SOCI throws.
[[nodiscard]] bool read_rows(soci::session& sql, long long study, long long after, std::size_t most,
                             EventRows& rows);

}  // namespace canopy
