#include "mpi/policy_search.hpp"

#include "canopy/adaptive.hpp"

#include "files/json.hpp"
#include "terminal/failure.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <vector>

#include <fmt/format.h>

namespace canopy::terminal {
namespace {

/// The task of a rank: a number of pulls of an arm. 0 pulls: stop.
struct Episode {
  std::uint64_t pulls = 0;
  std::vector<double> arm;
};

Rewards play(KnownEnvironment& environment, const Episode& episode, RandomStream& random) {
  Rewards rewards;
  while (rewards.count < episode.pulls) {
    rewards += Rewards::one(environment.pull(episode.arm, random));
  }
  return rewards;
}

/// Messages consist of doubles: pulls and arm to a rank, five numbers back.
void send_episode(const Episode& episode, int rank) {
  std::vector<double> message{static_cast<double>(episode.pulls)};
  message.insert(message.end(), episode.arm.begin(), episode.arm.end());
  MPI_Send(message.data(), static_cast<int>(message.size()), MPI_DOUBLE, rank, 0, MPI_COMM_WORLD);
}

Episode receive_episode(std::size_t dimension) {
  std::vector<double> message(dimension + 1);
  MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return {static_cast<std::uint64_t>(message[0]), {message.begin() + 1, message.end()}};
}

void send_rewards(const Rewards& rewards) {
  const std::vector<double> message{static_cast<double>(rewards.count), rewards.sum,
                                    rewards.squared_deviations, rewards.min, rewards.max};
  MPI_Send(message.data(), 5, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}

Rewards receive_rewards(int rank) {
  std::vector<double> message(5);
  MPI_Recv(message.data(), 5, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return {static_cast<std::uint64_t>(message[0]), message[1], message[2], message[3], message[4]};
}

/// The number of pulls that a rank executes.
std::uint64_t share(std::uint64_t pulls, int rank, int ranks) {
  const auto all = static_cast<std::uint64_t>(ranks);
  return pulls / all + (static_cast<std::uint64_t>(rank) < pulls % all ? 1 : 0);
}

struct Outcome {
  std::uint64_t episodes = 0;
  std::uint64_t messages = 0;
  double reward_sum = 0.0;
  double regret = 0.0;
};

Outcome lead(Optimizer& optimizer, KnownEnvironment& environment, RandomStream& random,
             std::uint64_t steps, int ranks) {
  Outcome outcome;
  const double optimum = environment.optimum_at(1).value;
  for (std::uint64_t done = 0; done < steps;) {
    const Pull pull = optimizer.ask(steps - done);
    Episode episode{0, {pull.arm.begin(), pull.arm.end()}};
    for (int rank = 1; rank < ranks; ++rank) {
      episode.pulls = share(pull.length, rank, ranks);
      if (episode.pulls == 0) break;
      send_episode(episode, rank);
      ++outcome.messages;
    }
    episode.pulls = share(pull.length, 0, ranks);
    Rewards all = play(environment, episode, random);
    for (int rank = 1; rank < ranks && share(pull.length, rank, ranks) > 0; ++rank) {
      const Rewards rewards = receive_rewards(rank);
      ++outcome.messages;
      all += rewards;
    }
    if (!is_taken(optimizer.tell(pull.ticket, all))) {
      throw EnvironmentError("the rewards of an episode are not numbers");
    }
    outcome.reward_sum += all.sum;
    outcome.regret +=
        static_cast<double>(pull.length) * (optimum - environment.mean_reward_at(pull.arm, 1));
    done += pull.length;
    ++outcome.episodes;
  }
  return outcome;
}

void print(const PolicySearchArguments& arguments, const Outcome& outcome,
           const Optimizer& optimizer, const KnownEnvironment& environment, std::uint64_t steps,
           int ranks) {
  const auto n = static_cast<double>(steps);
  const Optimum optimum = environment.optimum_at(1);
  const Best best = optimizer.best().value();
  if (arguments.json) {
    const Document::Table found{
        {"ranks", ranks},
        {"pulls", steps},
        {"episodes", outcome.episodes},
        {"messages", outcome.messages},
        {"per_step_regret", outcome.regret / n},
        {"per_step_realised_regret", optimum.value - outcome.reward_sum / n},
        {"simple_regret", optimum.value - environment.mean_reward_at(best.arm, 1)},
        {"best_arm", Document::List(best.arm.begin(), best.arm.end())}};
    fmt::print("{}\n", json_text(found, 2));
    return;
  }
  fmt::print("{} ranks: {} pulls in {} episodes, {} messages ({:.4f} per pull)\n", ranks, steps,
             outcome.episodes, outcome.messages, static_cast<double>(outcome.messages) / n);
  fmt::print("per-step regret           {:.5f}\n", outcome.regret / n);
  fmt::print("per-step realised regret  {:.5f}\n", optimum.value - outcome.reward_sum / n);
  fmt::print("best arm found:    {} (f = {:.5f})\n", environment.space().describe(best.arm),
             environment.mean_reward_at(best.arm, 1));
  fmt::print("optimal arm:       {} (f = {:.5f})\n", environment.space().describe(optimum.arm),
             optimum.value);
}

/// The selected optimizer, with options for a chain that continues when the arm changes and does
/// not drift.
Selection for_chain(Selection optimizer, std::uint64_t seed) {
  const OptimizerEntry& entry = optimizers().at(optimizer.name);
  if (entry.takes_correlated_feedback && optimizer.options.find("feedback") == nullptr) {
    optimizer.options.set("feedback", std::string("correlated"));
  }
  for (const OptionField& field : entry.fields) {
    if (field.name == "seed") optimizer.options.set("seed", seed);
    if (field.name == "drift" && optimizer.options.find("drift") == nullptr) {
      optimizer.options.set("drift", std::string(name_of(Drift::none)));
    }
  }
  return optimizer;
}

}  // namespace

void PolicySearchArguments::add_to(ArgumentParser& command) {
  environment.add_to(command);
  optimizer.add_to(command);
  command.option("--steps", steps, "pulls in total, 1 or more");
  command.option("--seed", seed, "seed of the random streams");
  command.flag("--json", json, "print one JSON object instead");
}

int run_policy_search(const PolicySearchArguments& arguments, const MpiSession& session) {
  const std::uint64_t steps = parse_whole("--steps", arguments.steps, 1, 1'000'000'000'000);
  const std::uint64_t seed = parse_whole("--seed", arguments.seed, 0, UINT64_MAX);
  const std::unique_ptr<KnownEnvironment> environment =
      make_environment(arguments.environment.parse());
  const Selection selected = for_chain(arguments.optimizer.parse(), seed);
  RandomStream random({.seed = seed,
                       .environment = "policy search",
                       .run = static_cast<std::uint64_t>(session.rank())});
  environment->start(random);
  if (session.rank() != 0) {
    for (;;) {
      const Episode episode = receive_episode(environment->space().dimension());
      if (episode.pulls == 0) return kSuccess;
      send_rewards(play(*environment, episode, random));
    }
  }
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(selected, environment->space());
  const Outcome outcome = lead(*optimizer, *environment, random, steps, session.ranks());
  const Episode home{0, std::vector<double>(environment->space().dimension())};
  for (int rank = 1; rank < session.ranks(); ++rank) send_episode(home, rank);
  print(arguments, outcome, *optimizer, *environment, steps, session.ranks());
  return kSuccess;
}

}  // namespace canopy::terminal
