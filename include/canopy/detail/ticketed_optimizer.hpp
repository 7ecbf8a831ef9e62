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

/// What every optimizer here has: tickets, rewards in the user's units, all forms of telling, which
/// are checked and reduced to one, and the record of all rewards, from which `best` is chosen.
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

  /// Passes over the number of the next ticket, for a pull that this optimizer need not know of.
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
  TicketedOptimizer(const TicketedOptimizer&) = default;  // for clone
  TicketedOptimizer(TicketedOptimizer&&) = default;
  TicketedOptimizer& operator=(TicketedOptimizer&&) = default;
  /// For arms of so many numbers.
  TicketedOptimizer(const Objective& objective, std::size_t dimension);

  /// Learns mapped rewards, told for a ticket of this node. They are taken off the ticket and
  /// counted in t already.
  virtual void accept(NodeIndex node, const Rewards& mapped) = 0;

  /// Learns that a pull of this node failed, which is taken off the ticket and counted already; and
  /// that an arm is out of the question, as so many rewards. By default these are rewards as any
  /// other.
  virtual void accept_penalty(NodeIndex node, double mapped);
  virtual void accept_bar(Arm arm, double mapped, std::uint64_t weight);

  /// Whether `best` must never name an arm, or has nothing but failures to say about it.
  [[nodiscard]] bool is_out_of_question(Arm arm) const;

  /// Whether so many pulls of this node, which come next, tell about its arm. If not, their rewards
  /// are passed over: they count as steps alone, and `pass_over` is called.
  virtual bool tell_about_arm(NodeIndex /*node*/, std::uint64_t /*pulls*/) { return true; }
  virtual void pass_over(NodeIndex /*node*/, std::uint64_t /*pulls*/) {}

  /// What the algorithm itself would recommend, with its mean in mapped units.
  struct Recommendation {
    Arm arm;
    double mean = 0.0;
    double pulls = 0.0;
    bool by_model = false;  ///< rests on a model of f, which also knows the arms around
  };

  /// None: the arm with the most pulls, and among those the best mean.
  [[nodiscard]] virtual std::optional<Recommendation> recommendation() const {
    return std::nullopt;
  }

  /// Where f is at an arm by the algorithm's model, at the 95 % level at this look, in mapped
  /// units.
  [[nodiscard]] virtual std::optional<Interval> model_interval(Arm /*arm*/) const {
    return std::nullopt;
  }

  /// The system has changed: what rewards so far say about arms holds no longer, and `best` rests
  /// on those that come. While their level moves, until this is called again, there are no
  /// intervals.
  void forget_arms(bool level_moves);

  [[nodiscard]] const std::vector<Limit>& limits() const { return limits_; }

  /// Learns the metrics of one pull of an arm, in the order of the limits; NaN: it was not
  /// measured. By default an arm that breaks a limit beyond doubt is barred. An algorithm that does
  /// something else says what it knows in `limit_checks`.
  virtual void accept_metrics(Ticket ticket, Arm arm, const std::vector<double>& values);

  /// Learns mapped rewards of an arm of the space that nobody asked for.
  virtual void accept_observed(Arm arm, const Rewards& mapped) = 0;

  /// The arm of a node that has an open ticket.
  [[nodiscard]] virtual Arm arm_of(NodeIndex node) const = 0;

  /// Whether these numbers are an arm.
  [[nodiscard]] virtual bool contains(Arm arm) const = 0;

  /// Saves or restores; every class calls that of its base first.
  virtual void transfer(State& state);

  /// Throws StateError unless every open ticket is for a node, or for one below `end`.
  virtual void require_nodes(const std::function<bool(NodeIndex)>& is_node) const;
  void require_nodes_below(std::uint64_t end) const;

  /// Pulls that failed.
  [[nodiscard]] std::uint64_t penalized() const { return penalized_; }

  /// From here on it counts as if that many pulls had been told.
  void count_anew(std::uint64_t pulls);

  /// What is the same for all: t, what is out of range, in flight, observed.
  [[nodiscard]] Summary basic_summary() const;

  /// Nodes of a tree, in the user's units.
  [[nodiscard]] std::vector<NodeView> in_user_units(std::vector<NodeView> nodes) const;

  // R, which stands before resolution and width: the size of the range that was given, or the
  // spread of the rewards so far, as it was when the phase began. While all rewards are equal it is
  // 1; the first that differs makes it due at once, so that decisions do not depend on units.

  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] bool scale_is_due() const { return !range_ && !has_spread_ && has_spread(); }
  [[nodiscard]] bool scale_is_provisional() const { return !range_ && !has_spread_; }
  /// Brings it up to date, when a phase begins or it is due; true if it is another one now. A new
  /// range is in force when a phase begins.
  bool update_scale(bool phase_begins);
  /// For algorithms without phases of their own, when they choose: a phase begins at 1, 2, 4, ...
  bool update_scale_if_due();

  /// The first reward is the origin, without a range.
  void note_origin(double reward) {
    if (map_.needs_origin()) [[unlikely]]
      map_.set_origin(reward);
  }

  std::uint64_t t_ = 1;  ///< Index of the next pull.
  RewardMap map_;
  Tickets tickets_;
  Evidence evidence_;
  std::uint64_t observed_ = 0;  ///< Rewards of arms that nobody asked for.

 private:
  [[nodiscard]] bool has_spread() const { return evidence_.min() < evidence_.max(); }
  [[nodiscard]] Status check_arm(Arm arm, const Rewards& rewards) const;
  [[nodiscard]] bool passes_over(Tickets::Open& ticket, std::uint64_t pulls);
  void pass_on(Tickets::Open& ticket, const Rewards& mapped);
  /// What was added to the evidence may decide what is next.
  void after_evidence() {
    if (scale_is_provisional()) evidence_.absorb();
  }

  void bar_broken_arms(Arm measured);
  [[nodiscard]] Evidence recommendable() const;
  [[nodiscard]] Best described(const Evidence& now, std::optional<std::size_t> index,
                               Best::Basis basis, const std::optional<Recommendation>& own) const;
  [[nodiscard]] std::size_t insured(const Evidence& now, std::size_t modelled) const;
  /// Which arm `best` names, none if that has no rewards, and what this rests on.
  [[nodiscard]] std::pair<std::optional<std::size_t>, Best::Basis> choose_best(
      const Evidence& now, const std::optional<Recommendation>& own) const;

  /// What an arm was penalized by.
  struct Penalty {
    std::uint64_t weight = 0;  ///< rewards that it stands for
    bool barred = false;

    void transfer(State& state) { state(weight, barred); }
  };

  std::vector<Limit> limits_;
  std::vector<Evidence> metrics_;  // of each limit
  std::map<std::vector<double>, Penalty> penalties_;
  std::uint64_t penalized_ = 0;  // pulls

  std::optional<std::uint64_t> since_;  // the last pull before arms were forgotten

  bool range_is_hard_ = false;
  std::optional<RewardRange> range_;       // that R is the size of
  std::optional<RewardRange> next_range_;  // the same from the next phase on
  double scale_ = 1.0;
  bool has_spread_ = false;  // R is a spread of rewards
  std::uint64_t scale_until_ = 1;
};

}  // namespace canopy
