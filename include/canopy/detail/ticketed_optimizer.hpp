#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/detail/reward_map.hpp"
#include "canopy/detail/tickets.hpp"
#include "canopy/evidence.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// Base of all optimizers here. It handles tickets, rewards in the user's units, all forms of
/// telling (checked and reduced to one form), and the record of all rewards, from which `best` is
/// chosen.
class TicketedOptimizer : public Optimizer {
 public:
  TicketedOptimizer& operator=(const TicketedOptimizer&) = delete;
  ~TicketedOptimizer() override = default;

  [[nodiscard]] Status tell(Ticket ticket, double reward) override;
  [[nodiscard]] Status tell(Ticket ticket, std::span<const double> rewards) override;
  [[nodiscard]] Status tell(Ticket ticket, const Rewards& rewards) override;
  [[nodiscard]] Status penalize(Ticket ticket, double reward) final;
  [[nodiscard]] Status bar(Arm arm, double reward) final;
  [[nodiscard]] bool is_barred(Arm arm) const final;
  [[nodiscard]] std::optional<double> failure_reward() const final;
  [[nodiscard]] Status observe(Arm arm, const Rewards& rewards) override;
  [[nodiscard]] Status remember(Arm arm, const Rewards& rewards) final;
  [[nodiscard]] Status measure(Ticket ticket, Arm arm, const Metrics& metrics) final;
  void set_reward_range(const std::optional<RewardRange>& range) final;
  [[nodiscard]] std::optional<RewardRange> reward_range() const final { return next_range_; }
  [[nodiscard]] Status drop(Ticket ticket) override;

  /// Skips a ticket number, for a pull that another optimizer makes.
  virtual Ticket skip_ticket() { return tickets_.skip(); }

  [[nodiscard]] std::optional<Best> best() const final;
  [[nodiscard]] std::optional<Best> nearest() const final;
  [[nodiscard]] std::vector<LimitCheck> limit_checks(Arm arm) const override;
  [[nodiscard]] std::optional<ArmEstimate> estimate(Arm arm) const final;
  [[nodiscard]] std::optional<Evidence> evidence() const final;
  [[nodiscard]] std::optional<Pull> pull_of(Ticket ticket) const final;
  [[nodiscard]] std::vector<Pull> in_flight() const final;
  [[nodiscard]] std::string save() final;
  void restore(std::string_view saved) final;

 protected:
  TicketedOptimizer(const TicketedOptimizer&) = default;  // used by clone
  TicketedOptimizer(TicketedOptimizer&&) = default;
  TicketedOptimizer& operator=(TicketedOptimizer&&) = default;
  /// For arms of `dimension` numbers.
  TicketedOptimizer(const Objective& objective, std::size_t dimension);

  /// Learns mapped rewards, told for a ticket of this node. The caller has already subtracted them
  /// from the ticket and added them to t.
  virtual void accept(NodeIndex node, const Rewards& mapped) = 0;

  /// `accept_penalty` learns that a pull of this node failed; the ticket and t are already updated.
  /// `accept_bar` learns that an arm is excluded, with the weight of `weight` rewards. By default
  /// both are treated as rewards.
  virtual void accept_penalty(NodeIndex node, double mapped);
  virtual void accept_bar(Arm arm, double mapped, std::uint64_t weight);

  /// Whether `best` must not name an arm: it is barred, or has only failures.
  [[nodiscard]] bool is_excluded(Arm arm) const;

  /// Records that the next `pulls` pulls are of this node. Returns whether they measure its settled
  /// arm. If not, their rewards are discarded: they count as steps only, and `pass_over` is called.
  virtual bool record_pulls(NodeIndex /*node*/, std::uint64_t /*pulls*/) { return true; }
  virtual void pass_over(NodeIndex /*node*/, std::uint64_t /*pulls*/) {}

  /// The algorithm's own recommendation, with its mean in mapped units.
  struct Recommendation {
    Arm arm;
    double mean = 0.0;
    double pulls = 0.0;
    bool by_model = false;  ///< based on a model of f, which also uses neighbouring arms
  };

  /// None: `best` names the arm with the most pulls, and among those the best mean.
  [[nodiscard]] virtual std::optional<Recommendation> recommendation() const {
    return std::nullopt;
  }

  /// The model's 95 % interval for f at an arm, valid at a single look, in mapped units.
  [[nodiscard]] virtual std::optional<Interval> model_interval(Arm /*arm*/) const {
    return std::nullopt;
  }

  /// Call when the system has changed: earlier rewards no longer describe the arms, and `best` uses
  /// only new ones. If `level_moves`, there are no intervals until the next call.
  void forget_arms(bool level_moves);

  [[nodiscard]] const std::vector<Limit>& limits() const { return limits_; }

  /// Learns the metrics of one pull of an arm, in the order of the limits; NaN: not measured. By
  /// default an arm that breaks a limit at the 95 % level is barred. An algorithm that handles
  /// limits differently reports its estimates in `limit_checks`.
  virtual void accept_metrics(Ticket ticket, Arm arm, const std::vector<double>& values);

  /// Learns mapped rewards of an arm of the space that was not asked for.
  virtual void accept_observed(Arm arm, const Rewards& mapped) = 0;

  /// The arm of a node that has an open ticket.
  [[nodiscard]] virtual Arm arm_of(NodeIndex node) const = 0;

  /// Whether these numbers are an arm.
  [[nodiscard]] virtual bool contains(Arm arm) const = 0;

  /// Saves or restores; every class first calls that of its base.
  virtual void transfer(State& state);

  /// Throws StateError unless every open ticket is for an existing node; `require_nodes_below`: for
  /// a node below `end`.
  virtual void require_nodes(const std::function<bool(NodeIndex)>& is_node) const;
  void require_nodes_below(std::uint64_t end) const;

  /// Pulls that failed.
  [[nodiscard]] std::uint64_t penalized() const { return penalized_; }

  /// Sets the number of pulls told.
  void count_anew(std::uint64_t pulls);

  /// The part of the summary common to all optimizers: t, rewards out of range, in flight,
  /// observed.
  [[nodiscard]] Summary basic_summary() const;

  /// Converts nodes of a tree to the user's units.
  [[nodiscard]] std::vector<NodeView> in_user_units(std::vector<NodeView> nodes) const;

  // R, the factor of resolution and width: the size of the declared range, or the spread of rewards
  // at the start of the phase. While all rewards are equal it is 1; the first different reward
  // makes an update due at once, so that decisions do not depend on units.

  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] bool scale_is_due() const { return !range_ && !has_spread_ && has_spread(); }
  [[nodiscard]] bool scale_is_provisional() const { return !range_ && !has_spread_; }
  /// Updates R when a phase begins or an update is due; returns whether it changed. A new range
  /// takes effect when a phase begins.
  bool update_scale(bool phase_begins);
  /// For algorithms without phases of their own; call before choosing. Phases begin at 1, 2, 4, ...
  bool update_scale_if_due();

  /// Without a range, the first reward becomes the origin.
  void note_origin(double reward) {
    if (map_.needs_origin()) [[unlikely]]
      map_.set_origin(reward);
  }

  std::uint64_t t_ = 1;  ///< Index of the next pull.
  RewardMap map_;
  Tickets tickets_;
  Evidence evidence_;
  std::uint64_t observed_ = 0;  ///< Rewards of arms that were not asked for.

 private:
  [[nodiscard]] bool has_spread() const { return evidence_.min() < evidence_.max(); }
  [[nodiscard]] Status check_arm(Arm arm, const Rewards& rewards) const;
  [[nodiscard]] bool passes_over(Tickets::Open& ticket, std::uint64_t pulls);
  void pass_on(Tickets::Open& ticket, const Rewards& mapped);
  /// Absorbs new evidence at once if it may affect the next decision.
  void after_evidence() {
    if (scale_is_provisional()) evidence_.absorb();
  }

  void bar_broken_arms(Arm measured);
  [[nodiscard]] Evidence recommendable() const;
  [[nodiscard]] Best described(const Evidence& now, std::optional<std::size_t> index,
                               Best::Basis basis, const std::optional<Recommendation>& own) const;
  [[nodiscard]] std::size_t insured(const Evidence& now, std::size_t modelled) const;
  /// Which arm `best` names, none if there are no rewards, and the basis of the choice.
  [[nodiscard]] std::pair<std::optional<std::size_t>, Best::Basis> choose_best(
      const Evidence& now, const std::optional<Recommendation>& own) const;

  /// The penalties of an arm.
  struct Penalty {
    std::uint64_t weight = 0;  ///< number of rewards the penalty counts as
    bool barred = false;

    void transfer(State& state) { state(weight, barred); }
  };

  std::vector<Limit> limits_;
  std::vector<Evidence> metrics_;  // one per limit
  std::map<std::vector<double>, Penalty> penalties_;
  std::uint64_t penalized_ = 0;  // failed pulls

  std::optional<std::uint64_t> since_;  // last pull before forget_arms

  bool range_is_hard_ = false;
  std::optional<RewardRange> range_;       // range whose size is R
  std::optional<RewardRange> next_range_;  // range from the next phase on
  double scale_ = 1.0;
  bool has_spread_ = false;  // R is a spread of rewards
  std::uint64_t scale_until_ = 1;
};

}  // namespace canopy
