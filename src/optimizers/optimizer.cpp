#include "canopy/optimizer.hpp"

namespace canopy {

std::string_view describe(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unknown_ticket:
      return "no such ticket was given out";
    case Status::closed_ticket:
      return "the ticket is closed: all its rewards were told, or it was dropped";
    case Status::too_many_rewards:
      return "more rewards than the ticket is still good for";
    case Status::not_a_reward:
      return "a reward must be a finite number (below 1e100 once mapped by reward_range)";
    case Status::impossible_sums:
      return "count must be at least 1 and no rewards have such a sum and sum of squares";
  }
  return "unknown status";
}

}  // namespace canopy
