#pragma once

#include "files/document.hpp"

namespace canopy {

/// The JSON schemas of events: `Event`, which is any of them, and one for each kind, such as
/// `EventAskAgain`.
[[nodiscard]] Document event_schemas();

}  // namespace canopy
