#pragma once

#include <optional>
#include <string_view>

namespace canopy {

/// The placeholder for `over` in a query.
inline constexpr const char* kOver = "over";

/// Converts a duration in PromQL (`1m30s`) to seconds; none if it is not a duration.
[[nodiscard]] std::optional<double> promql_seconds(std::string_view text);

/// The longest time range in brackets in a query, in seconds: 300 for `rate(a[5m])`; 0 if there is
/// none.
[[nodiscard]] double longest_range_in(std::string_view query);

}  // namespace canopy
