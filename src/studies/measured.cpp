#include "studies/measured.hpp"

#include "canopy/detail/reward_map.hpp"
#include "canopy/study.hpp"

#include "journal/told.hpp"

#include <algorithm>

namespace canopy {
namespace {

bool are_usable(const AnyRewards& rewards) {
  if (const auto* each = std::get_if<std::vector<double>>(&rewards)) {
    return std::all_of(each->begin(), each->end(), RewardMap::usable);
  }
  const auto* sums = std::get_if<Rewards>(&rewards);
  return sums == nullptr ? RewardMap::usable(std::get<double>(rewards))
                         : check(*sums, RewardMap(Objective{})) == Status::ok;
}

bool are_usable(const Metrics& metrics) {
  return std::all_of(metrics.begin(), metrics.end(),
                     [](const auto& each) { return RewardMap::usable(each.second); });
}

}  // namespace

/// Metrics are recorded before their rewards, so the rewards are checked first.
Status tell(Optimizer& optimizer, Ticket ticket, const AnyRewards& rewards,
            const Metrics& metrics) {
  const std::optional<Pull> pull =
      metrics.empty() ? std::optional<Pull>() : optimizer.pull_of(ticket);
  const std::uint64_t count = count_of(rewards);
  if (!pull || count == 0 || count > pull->length || !are_usable(rewards)) {
    return tell(optimizer, ticket, rewards);  // returns the appropriate error
  }
  if (count > pull->length - pull->then_length) return Status::two_arms;
  if (!are_usable(metrics)) return Status::not_a_reward;  // checked before anything is told
  if (const std::uint64_t passed = pull->unsettled; passed != 0) {
    const auto* list = std::get_if<std::vector<double>>(&rewards);
    if (count <= passed || list == nullptr) return tell(optimizer, ticket, rewards);
    const auto cut = list->begin() + static_cast<std::ptrdiff_t>(passed);
    const Status status = tell(optimizer, ticket, std::vector(list->begin(), cut));
    if (!is_taken(status)) return status;
    // The rewards measured after the system has settled.
    return tell(optimizer, ticket, std::vector(cut, list->end()), metrics);
  }
  const std::vector<double> arm(pull->arm.begin(), pull->arm.end());
  const Status status = optimizer.measure(ticket, arm, metrics);
  return is_taken(status) ? tell(optimizer, ticket, rewards) : status;
}

Status observe(Optimizer& optimizer, Arm arm, const AnyRewards& rewards, Role role,
               const Metrics& metrics, Context context) {
  auto* study = dynamic_cast<Study*>(&optimizer);
  if (role != Role::search && study == nullptr) return Status::needs_study;
  if (!metrics.empty() && role != Role::warm_up && count_of(rewards) != 0 && are_usable(rewards)) {
    const Status status = optimizer.measure_in(context, arm, metrics);
    if (!is_taken(status)) return status;
  }
  if (study != nullptr) return study->observe(arm, rewards, role, context);
  return context.empty() ? optimizer.observe(arm, sums_of(rewards))
                         : optimizer.observe_in(context, arm, sums_of(rewards));
}

}  // namespace canopy
