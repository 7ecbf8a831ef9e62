#pragma once

#include "canopy/event.hpp"
#include "canopy/optimizer.hpp"

namespace canopy {

// Rewards in any form, with what else was measured. Only a study, which has a journal, has a place
// for roles other than `search`: Status::needs_study.

[[nodiscard]] Status tell(Optimizer& optimizer, Ticket ticket, const AnyRewards& rewards,
                          const Metrics& metrics);
[[nodiscard]] Status observe(Optimizer& optimizer, Arm arm, const AnyRewards& rewards, Role role,
                             const Metrics& metrics, Context context = {});

}  // namespace canopy
