#include "canopy/optimizer.hpp"

namespace canopy {

std::string_view describe(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::passed_over:
      return "counted as a pull, but not learnt: the system had not settled";
    case Status::unknown_ticket:
      return "unknown ticket: it was never issued";
    case Status::closed_ticket:
      return "the ticket is closed: all its rewards were told, or it failed or was dropped";
    case Status::too_many_rewards:
      return "more rewards than may still be told for the ticket";
    case Status::not_a_reward:
      return "rewards and metrics must be finite numbers (at most 1e100)";
    case Status::impossible_sums:
      return "no rewards have this count, sum and spread; count must be at least 1";
    case Status::not_an_arm:
      return "the arm is not in the space";
    case Status::two_arms:
      return "metrics belong to one arm: tell the rewards of the two arms of a duel one after the "
             "other";
    case Status::needs_study:
      return "only studies support roles: name one with --study, or use Study in Python";
    case Status::needs_context:
      return "the study has contexts: give the context in which these rewards were measured";
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
