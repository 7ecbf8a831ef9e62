#pragma once

#include <optional>
#include <string_view>

namespace canopy {

/// The name of `over` in a query.
inline constexpr const char* kOver = "over";

/// The seconds of a duration as PromQL writes it (`1m30s`); none if it is not one.
[[nodiscard]] std::optional<double> promql_seconds(std::string_view text);

/// The longest range of time that a query has in brackets, in seconds: 300 for `rate(a[5m])`. 0
/// where it has none.
[[nodiscard]] double longest_range_in(std::string_view query);

}  // namespace canopy
