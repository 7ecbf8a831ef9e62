#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace canopy {

/// Thrown for a time zone that this machine does not know, with a message for users.
class TimeZoneError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the offset of local time from UTC in seconds, at a time in seconds since 1970. A zone is
/// a name such as `Europe/Berlin`, looked up in $TZDIR or /usr/share/zoneinfo; empty: the zone of
/// the machine. Throws TimeZoneError.
[[nodiscard]] double utc_offset(const std::string& zone, double seconds_since_1970);

/// The offset according to the content of a zone file (RFC 8536). `zone` names it in messages.
[[nodiscard]] double utc_offset_in(std::string_view file, const std::string& zone,
                                   double seconds_since_1970);

}  // namespace canopy
