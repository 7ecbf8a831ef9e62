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

/// A bandit on a fixed grid of arms that gets a context before each pull, and plays the arm with
/// the largest index in it; ties go to the first arm. Every ticket is for one pull, since the next
/// pull has another context. Barred arms are skipped, unless all are barred.
///
/// Without contexts it is an ordinary bandit. With contexts, observed rewards are learnt only if
/// their context is given; otherwise they count only for `best`. `best` averages the pulls of an
/// arm over all contexts; `best_in` recommends an arm for a context.
class ContextBandit : public TicketedOptimizer {
 public:
  [[nodiscard]] std::size_t size() const { return arms_.size(); }
  [[nodiscard]] const ContextSpace& contexts() const final { return contexts_; }

  /// Throws ConfigurationError if there are contexts.
  Pull ask(std::uint64_t pulls = UINT64_MAX) final;
  /// Always one pull, whatever `pulls` is.
  Pull ask_in(Context context, std::uint64_t pulls = UINT64_MAX) final;
  /// Uses the context of the last ask.
  Pull ask_again() final;
  /// Returns Status::needs_context if there are contexts.
  [[nodiscard]] Status observe(Arm arm, const Rewards& rewards) final;
  [[nodiscard]] Status observe_in(Context context, Arm arm, const Rewards& rewards) final;
  [[nodiscard]] std::optional<Best> best_in(Context context) const final;
  void finish() final {}
  [[nodiscard]] Summary summary() const final;

 protected:
  /// Throws ConfigurationError.
  ContextBandit(const Space& space, std::uint64_t points, const Objective& objective,
                ContextSpace contexts);

  /// Values of a context that are common to all arms.
  using View = std::vector<double>;

  /// The estimated reward of an arm in a context, in mapped units, and the number of rewards it is
  /// based on.
  struct ArmValue {
    double mean = 0.0;
    double pulls = 0.0;
  };

  [[nodiscard]] virtual View view_of(Context context) const = 0;
  /// Infinite for an arm that must be tried.
  [[nodiscard]] virtual double index(const View& view, std::size_t arm) const = 0;
  [[nodiscard]] virtual std::optional<ArmValue> value_of(const View& view,
                                                         std::size_t arm) const = 0;
  virtual void learn(const View& view, std::size_t arm, const Rewards& mapped) = 0;

  void transfer(State& state) override;

 private:
  /// The arm and the context of an open ticket.
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
  /// The arm is skipped from now on.
  void accept_bar(Arm /*arm*/, double /*mapped*/, std::uint64_t /*weight*/) final {}
  void accept_observed(Arm arm, const Rewards& mapped) final;
  [[nodiscard]] Arm arm_of(NodeIndex node) const final { return arms_[plays_[node].arm]; }
  [[nodiscard]] bool contains(Arm arm) const final { return space_.contains(arm); }

  Space space_;
  GridArms arms_;
  ContextSpace contexts_;
  std::vector<Play> plays_;                // reused once no ticket is open for them
  std::optional<std::vector<double>> in_;  // context of the rewards being observed
  std::vector<double> last_;               // last context
  std::vector<double> last_arm_;
  std::uint64_t switches_ = 0;
};

}  // namespace canopy
