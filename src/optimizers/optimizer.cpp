#include "canopy/optimizer.hpp"

namespace canopy {

std::string_view describe(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::passed_over:
      return "taken, and not learnt from: the system had not settled";
    case Status::unknown_ticket:
      return "this ticket was never given out";
    case Status::closed_ticket:
      return "the ticket is closed: all its rewards were told, it failed, or it was dropped";
    case Status::too_many_rewards:
      return "more rewards than the ticket is still good for";
    case Status::not_a_reward:
      return "rewards and metrics must be finite numbers (at most 1e100)";
    case Status::impossible_sums:
      return "no rewards have this count, sum and spread; count must be at least 1";
    case Status::not_an_arm:
      return "the arm is not in the space";
    case Status::two_arms:
      return "metrics are of one arm: tell the rewards of the two arms of a duel one after the "
             "other";
    case Status::needs_study:
      return "roles are kept by studies: name one with --study, or in Python use Study";
    case Status::needs_context:
      return "the study has contexts: say in which context these rewards were measured";
  }
  return "unknown status";
}

const ContextSpace& Optimizer::contexts() const {
  static const ContextSpace none;
  return none;
}

Pull Optimizer::ask_in(Context /*context*/, std::uint64_t pulls) {
  return ask(pulls);
}

Pull Optimizer::ask_as(const Pull& earlier, std::uint64_t pulls, Context context) {
  return earlier.purpose == Purpose::search ? ask_in(context, pulls) : Pull();
}

Status Optimizer::observe_in(Context /*context*/, Arm arm, const Rewards& rewards) {
  return observe(arm, rewards);
}

Status Optimizer::measure_in(Context /*context*/, Arm arm, const Metrics& metrics) {
  return measure(0, arm, metrics);
}

std::optional<Best> Optimizer::nearest_in(Context /*context*/) const {
  return nearest();
}

std::optional<Best> Optimizer::best_in(Context /*context*/) const {
  return best();
}

}  // namespace canopy
