// Systems with memory: compares the adaptive tree, with and without a declared settling time, to
// HCT and HCT-Gamma whose constants were chosen in hindsight for each system and number of pulls.
// Regret is the mean reward of the best arm, when held, less the rewards earned, including
// transients.

#include "canopy/adaptive.hpp"
#include "canopy/auction.hpp"
#include "canopy/routing.hpp"

#include "suite.hpp"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

/// A state that follows the arm, s' = (1 - beta) s + beta x, with a function of it as reward.
class Follower final : public SteadyEnvironment {
 public:
  Follower(std::unique_ptr<SteadyEnvironment> function, double beta)
      : function_(std::move(function)), beta_(beta), state_(space().dimension()) {}

  [[nodiscard]] const Space& space() const override { return function_->space(); }
  [[nodiscard]] double mean_reward(Arm arm) const override { return function_->mean_reward(arm); }
  [[nodiscard]] Optimum optimum() const override { return function_->optimum(); }
  void start(RandomStream& random) override {
    for (double& coordinate : state_) coordinate = random.uniform();
    space().from_unit_cube(std::vector<double>(state_), state_);
  }
  double pull(Arm arm, RandomStream& random) override {
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += beta_ * (arm[i] - state_[i]);
    return function_->pull(state_, random);
  }

 private:
  std::unique_ptr<SteadyEnvironment> function_;
  double beta_;
  std::vector<double> state_;
};

struct System {
  std::string name;
  double pulls_to_settle;
  std::function<std::unique_ptr<SteadyEnvironment>()> make;
};

/// The number of pulls until about 5 % of a change is left.
double to_settle(double beta) {
  return 3.0 / -std::log1p(-beta);
}

std::vector<System> systems() {
  std::vector<System> all;
  const auto add = [&](const std::string& name, const auto& make) {
    for (const double beta : {0.5, 0.2, 0.05}) {
      all.push_back({fmt::format("{}, beta {}", name, beta), to_settle(beta),
                     [=]() -> std::unique_ptr<SteadyEnvironment> { return make(beta); }});
    }
  };
  add("garland-mdp",
      [](double beta) { return std::make_unique<GarlandMdp>(GarlandMdpOptions{.beta = beta}); });
  add("double-sine",
      [](double beta) { return std::make_unique<Follower>(std::make_unique<DoubleSine>(), beta); });
  add("himmelblau",
      [](double beta) { return std::make_unique<Follower>(std::make_unique<Himmelblau>(), beta); });
  add("auction-reactive", [](double beta) {
    return std::make_unique<ReactiveAuction>(ReactiveAuctionOptions{.beta = beta});
  });
  // The busier queue's memory decays as exp(-t (sqrt(service) - sqrt(arrivals))^2).
  const Routing routing;
  const RoutingOptions rates;
  const double first = routing.optimum().arm[0] * rates.arrival_rate;
  const double slower =
      std::min(std::sqrt(rates.first_rate) - std::sqrt(first),
               std::sqrt(rates.second_rate) - std::sqrt(rates.arrival_rate - first));
  all.push_back({"routing", 3.0 * rates.arrival_rate / (slower * slower),
                 [] { return std::make_unique<Routing>(); }});
  return all;
}

/// Regret per step, averaged over the runs with these numbers.
template <class Make>
double regret(const System& of, std::uint64_t pulls, std::uint64_t first, std::uint64_t runs,
              const Make& make) {
  const std::unique_ptr<SteadyEnvironment> environment = of.make();
  double earned = 0.0;
  for (std::uint64_t run = first; run < first + runs; ++run) {
    RandomStream random({.environment = of.name, .run = run});
    environment->start(random);
    auto optimizer = make(environment->space());
    for (std::uint64_t done = 0; done < pulls;) {
      const Pull pull = optimizer.ask(pulls - done);
      for (std::uint64_t i = 0; i < pull.length; ++i) {
        const double reward = environment->pull(pull.arm, random);
        (void)optimizer.tell(pull.ticket, reward);
        earned += reward;
      }
      done += pull.length;
    }
  }
  return environment->optimum().value - earned / static_cast<double>(runs * pulls);
}

struct Lost {
  double adaptive = 0.0;
  double settled = 0.0;
  double gamma = 0.0;  ///< HCT-Gamma with its defaults
  double tuned_gamma = 0.0;
  double tuned_iid = 0.0;

  [[nodiscard]] double tuned() const { return std::min(tuned_gamma, tuned_iid); }
};

constexpr std::uint64_t kRuns = 40;
constexpr std::uint64_t kTuningRuns = 12;

Lost measure(const System& of, std::uint64_t pulls) {
  const auto tuned_hct = [&](Feedback feedback) {
    const auto lost = [&](const HctOptions& options, std::uint64_t first, std::uint64_t runs) {
      return regret(of, pulls, first, runs, [&](const Space& space) {
        return Hct(space, options, {.reward_range = {{0.0, 1.0}}});
      });
    };
    const HctOptions best = tuned({.feedback = feedback}, [&](const HctOptions& options) {
      return lost(options, kFirstTuningRun, kTuningRuns);
    });
    return lost(best, 0, kRuns);
  };
  const auto adaptive = [&](double settle) {
    const AdaptiveOptions options{.settle = static_cast<std::uint64_t>(std::round(settle))};
    return regret(of, pulls, 0, kRuns,
                  [&](const Space& space) { return Adaptive(space, options); });
  };
  const auto defaults = [](const Space& space) {
    return Hct(space, {.feedback = Feedback::correlated});
  };
  return {adaptive(0.0), adaptive(of.pulls_to_settle), regret(of, pulls, 0, kRuns, defaults),
          tuned_hct(Feedback::correlated), tuned_hct(Feedback::iid)};
}

}  // namespace

int main() {
  const std::vector<std::uint64_t> lengths{10'000, 100'000};
  const std::vector<System> all = systems();
  std::vector<Lost> lost(all.size() * lengths.size());
  on_all_cores(lost.size(), [&](std::size_t i) {
    lost[i] = measure(all[i / lengths.size()], lengths[i % lengths.size()]);
  });

  fmt::print(
      "Regret per step, and in brackets over the better of HCT and HCT-Gamma tuned by hindsight\n"
      "for the row and told the range. settle: the pulls that were declared.\n\n");
  fmt::print("{:<28}{:>8}{:>8}{:>17}{:>17}{:>17}{:>11}{:>11}\n", "system", "n", "settle",
             "adaptive", "with settle", "HCT-Gamma", "tuned", "HCT tuned");
  for (std::size_t i = 0; i < lost.size(); ++i) {
    const System& system = all[i / lengths.size()];
    const auto with_ratio = [&](double regret) {
      return fmt::format("{:.4f} ({:.2f})", regret, regret / lost[i].tuned());
    };
    fmt::print("{:<28}{:>8}{:>8.0f}{:>17}{:>17}{:>17}{:>11.4f}{:>11.4f}\n", system.name,
               lengths[i % lengths.size()], system.pulls_to_settle, with_ratio(lost[i].adaptive),
               with_ratio(lost[i].settled), with_ratio(lost[i].gamma), lost[i].tuned_gamma,
               lost[i].tuned_iid);
  }
  return EXIT_SUCCESS;
}
