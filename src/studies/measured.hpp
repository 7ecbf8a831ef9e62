#pragma once

#include "canopy/event.hpp"
#include "canopy/optimizer.hpp"

namespace canopy {

// Telling and observing rewards in any form, together with metrics. Roles other than `search` need
// a study with a journal; other optimizers return Status::needs_study.

[[nodiscard]] Status tell(Optimizer& optimizer, Ticket ticket, const AnyRewards& rewards,
                          const Metrics& metrics);
[[nodiscard]] Status observe(Optimizer& optimizer, Arm arm, const AnyRewards& rewards, Role role,
                             const Metrics& metrics, Context context = {});

}  // namespace canopy
