#include "studies/measured.hpp"

#include "canopy/study.hpp"

#include "journal/told.hpp"

namespace canopy {

Status tell(Optimizer& optimizer, Ticket ticket, const AnyRewards& rewards,
            const Metrics& metrics) {
  if (metrics.empty()) return tell(optimizer, ticket, rewards);
  auto* study = dynamic_cast<Study*>(&optimizer);
  return study != nullptr ? study->tell(ticket, rewards, metrics) : Status::needs_study;
}

Status observe(Optimizer& optimizer, Arm arm, const AnyRewards& rewards, Role role,
               const Metrics& metrics) {
  if (role == Role::search && metrics.empty()) return optimizer.observe(arm, sums_of(rewards));
  auto* study = dynamic_cast<Study*>(&optimizer);
  return study != nullptr ? study->observe(arm, rewards, role, metrics) : Status::needs_study;
}

}  // namespace canopy
