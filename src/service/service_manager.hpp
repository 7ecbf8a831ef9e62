#pragma once

#include <string>

namespace canopy::service {

/// Tells systemd, if it has started this process, what the server does: `READY=1`. The protocol is
/// that of sd_notify(3), a datagram to the socket that $NOTIFY_SOCKET names.
void notify_service_manager(const std::string& state);

}  // namespace canopy::service
