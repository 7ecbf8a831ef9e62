#pragma once

#include <string>

namespace canopy::service {

/// Reports the state of the server (`READY=1`) to systemd, if systemd started this process, by the
/// protocol of sd_notify(3): a datagram to the socket in $NOTIFY_SOCKET.
void notify_service_manager(const std::string& state);

}  // namespace canopy::service
