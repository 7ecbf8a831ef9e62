#pragma once

#include "canopy/event.hpp"
#include "canopy/optimizer.hpp"

namespace canopy {

// Rewards in any form, with what else was measured. A study keeps roles and metrics in its journal;
// an optimizer by itself has no place for them: Status::needs_study.

[[nodiscard]] Status tell(Optimizer& optimizer, Ticket ticket, const AnyRewards& rewards,
                          const Metrics& metrics);
[[nodiscard]] Status observe(Optimizer& optimizer, Arm arm, const AnyRewards& rewards, Role role,
                             const Metrics& metrics);

}  // namespace canopy
