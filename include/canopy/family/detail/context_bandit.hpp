#pragma once

#include "canopy/context.hpp"
#include "canopy/detail/ticketed_optimizer.hpp"
#include "canopy/family/detail/grid_arms.hpp"
#include "canopy/space.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace canopy {

/// A bandit on a fixed grid of arms that is told a context before each pull, and plays the arm with
/// the largest index in it; of equal ones the first. Every ticket is for one pull: the next is in
/// another context. Barred arms are passed over, unless all are.
///
/// Without contexts it is a bandit like any other. With contexts, rewards that nobody asked for
/// teach it only with the context in which they were earned; without one they count for `best`
/// alone. `best` is about the pulls of an arm in whichever contexts it was played: what to set is
/// said by `best_in`.
class ContextBandit : public TicketedOptimizer {
 public:
  [[nodiscard]] std::size_t size() const { return arms_.size(); }
  [[nodiscard]] const ContextSpace& contexts() const final { return contexts_; }

  /// Throws ConfigurationError if there are contexts.
  Pull ask(std::uint64_t pulls = UINT64_MAX) final;
  /// One pull, whatever number is asked for.
  Pull ask_in(Context context, std::uint64_t pulls = UINT64_MAX) final;
  /// In the context of the last ask.
  Pull ask_again() final;
  /// Status::needs_context, if there are any.
  [[nodiscard]] Status observe(Arm arm, const Rewards& rewards) final;
  [[nodiscard]] Status observe_in(Context context, Arm arm, const Rewards& rewards) final;
  [[nodiscard]] std::optional<Best> best_in(Context context) const final;
  void finish() final {}
  [[nodiscard]] Summary summary() const final;

 protected:
  /// Throws ConfigurationError.
  ContextBandit(const Space& space, std::uint64_t points, const Objective& objective,
                ContextSpace contexts);

  /// What is the same for all arms in a context.
  using View = std::vector<double>;

  /// What an arm is worth in a context, in mapped units, and the rewards that this rests on.
  struct Known {
    double mean = 0.0;
    double pulls = 0.0;
  };

  [[nodiscard]] virtual View view_of(Context context) const = 0;
  /// Infinite for an arm that has to be tried.
  [[nodiscard]] virtual double index(const View& view, std::size_t arm) const = 0;
  [[nodiscard]] virtual std::optional<Known> known(const View& view, std::size_t arm) const = 0;
  virtual void learn(const View& view, std::size_t arm, const Rewards& mapped) = 0;

  void transfer(State& state) override;

 private:
  /// What an open ticket is for.
  struct Play {
    std::uint64_t arm = 0;
    std::vector<double> context = {};

    void transfer(State& state) { state(arm, context); }
  };

  [[nodiscard]] std::vector<double> within(Context context) const;
  [[nodiscard]] bool is_within(Context context) const;
  [[nodiscard]] std::size_t choose(Context context) const;
  Pull open(std::vector<double> context);
  void accept(NodeIndex node, const Rewards& mapped) final;
  /// It is passed over from now on.
  void accept_bar(Arm /*arm*/, double /*mapped*/, std::uint64_t /*weight*/) final {}
  void accept_observed(Arm arm, const Rewards& mapped) final;
  [[nodiscard]] Arm arm_of(NodeIndex node) const final { return arms_[plays_[node].arm]; }
  [[nodiscard]] bool contains(Arm arm) const final { return space_.contains(arm); }

  Space space_;
  GridArms arms_;
  ContextSpace contexts_;
  std::vector<Play> plays_;                // used again once no ticket is open for them
  std::optional<std::vector<double>> in_;  // the context of the rewards that are observed now
  std::vector<double> last_;               // the last context
  std::vector<double> last_arm_;
  std::uint64_t switches_ = 0;
};

}  // namespace canopy
