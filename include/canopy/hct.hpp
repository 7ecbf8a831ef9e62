#pragma once

#include "canopy/confidence.hpp"
#include "canopy/detail/bounded_node.hpp"
#include "canopy/detail/observations.hpp"
#include "canopy/detail/ticketed_optimizer.hpp"
#include "canopy/errors.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/options.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// Defaults of nu1, rho and confidence_scale.
enum class Preset {
  practical,  ///< nu1 4, rho 0.5, confidence_scale 0.025 (iid) or 0.006 (correlated). Chosen by
              ///< experiment for rewards in about [0, 1]; no theorem.
  paper,      ///< nu1 1, rho 2^(-1/dimension), confidence_scale 1: as in the theorems, and
              ///< far too cautious in practice.
};

template <>
struct EnumNames<Preset> {
  static constexpr std::array<std::string_view, 2> names{"practical", "paper"};
};

struct HctOptions {
  /// Whether an arm's rewards are independent draws, or may depend on earlier pulls. Correlated
  /// feedback holds an arm for episodes that double in length.
  Feedback feedback = Feedback::iid;

  /// Gamma >= 0, correlated feedback only: bound on the sum over steps of the deviation of an arm's
  /// rewards from its long-run mean after a switch. c grows as 3 Gamma + 1: raising it makes HCT
  /// wait longer.
  double mixing_time = 1.0;

  /// Defaults of the next three options.
  Preset preset = Preset::practical;

  /// nu1 > 0 and rho in (0, 1): f varies by at most nu1 rho^h, in units of the scale R, around the
  /// maximum within a cell at depth h. Raising either explores more and goes deeper sooner.
  std::optional<double> nu1 = std::nullopt;
  std::optional<double> rho = std::nullopt;

  /// > 0: multiplies c, in every bound and threshold. Raising it explores more.
  std::optional<double> confidence_scale = std::nullopt;

  /// In (0, 1): the probability with which the bounds may fail. Lowering it explores a little more.
  double delta = 0.05;

  /// Correlated feedback only: the factor 3 of the main text or the 6 of the supplement in c.
  Constants constants = Constants::main;
};

template <class Visit>
void visit_fields(HctOptions& options, Visit&& visit) {
  visit(Field{"feedback", "whether rewards of an arm are iid or correlated"}, options.feedback);
  visit(Field{"mixing_time", "Gamma, correlated only: steps until rewards settle after a switch",
              kNotNegative},
        options.mixing_time);
  visit(Field{"preset", "defaults of nu1, rho, confidence_scale: practical or paper"},
        options.preset);
  visit(Field{"nu1", "f varies by at most nu1 rho^h in a cell at depth h", kPositive}, options.nu1);
  visit(Field{"rho", "see nu1", kOpenUnit}, options.rho);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
  visit(Field{"delta", "probability with which the bounds may fail", kOpenUnit}, options.delta);
  visit(Field{"constants", "correlated only: main or supplement (a factor 3 or 6 in c)"},
        options.constants);
}

/// Options with every default filled in.
struct HctParameters {
  Feedback feedback = Feedback::iid;
  double nu1 = 0.0;
  double rho = 0.0;
  double confidence_scale = 0.0;
  double delta = 0.0;
  Confidence confidence;  ///< c and c1; c includes the scale.
};

/// All violations of the options' constraints.
[[nodiscard]] std::vector<Violation> violations(const HctOptions& options);

/// Fills in the defaults for an arm space of `dimension` coordinates. Throws ConfigurationError.
[[nodiscard]] HctParameters resolve(const HctOptions& options, std::size_t dimension);

/// The High Confidence Tree of Azar, Lazaric and Brunskill, "Online Stochastic Optimization under
/// Correlated Bandit Feedback", ICML 2014.
///
/// A binary tree covers the space. Every node v at depth h keeps the mean of the rewards of its arm
/// and two upper bounds on f over its cell:
///
///     U(v) = mean + R (nu1 rho^h + c sqrt(L / pulls))     L = ln(1 / delta_tilde(t+))
///     B(v) = U(v) at a leaf, else min(U(v), max of the children's B)
///
/// R is the scale of the rewards: the size of the declared range, or the spread of rewards so far
/// at the beginning of the phase. A cell that holds a single arm has no term nu1 rho^h, since f
/// does not vary in it. In a cell that holds several values of a choice, the term is nu1.
///
/// A step follows the larger B down from the root to a leaf, or to a node with fewer pulls than
/// tau_h = c^2 L rho^(-2h) / nu1^2. It plays that node's arm: once or, if feedback is correlated,
/// for an episode that doubles its pulls. Then it updates the bounds, and gives a leaf with tau_h
/// pulls two children. Whenever t reaches a power of two, L grows and all bounds are recomputed.
///
/// Here a step costs O(1) while the arm stays the same. Let v be the selected node and theta the
/// largest B among the siblings of the nodes on the path to v. Rewards at v change only U(v), and
/// the next search ends at v again as long as U(v) >= theta (> theta where a tie would go to the
/// sibling), v lacks pulls, and the phase lasts. When one of these fails, the bounds above v are
/// updated, and the search resumes at the highest node whose choice changed. docs/design.md has the
/// proof; the tests compare every selection with a textbook HCT.
class Hct final : public TicketedOptimizer, private TreeView {
 public:
  /// Throws ConfigurationError when options or objective are wrong, or there is only one arm.
  explicit Hct(const Space& space, const HctOptions& options = {}, const Objective& objective = {});

  /// As above, over any partition: another rule for cutting boxes, or a tree over a custom set.
  explicit Hct(std::shared_ptr<const Partition> partition, const HctOptions& options = {},
               const Objective& objective = {});

  Hct(Hct&&) = default;

  Pull ask(std::uint64_t pulls = UINT64_MAX) override {
    if (stage_ == Stage::single_stay)
        [[likely]] {  // copied as pointer and size, the arm stays in registers
      stage_ = Stage::single_episode;
      return {tickets_.open_same(), Arm(selected_arm_.data(), selected_arm_.size()), 1};
    }
    const auto [ticket, length] = ask_anew(pulls);
    return {ticket, Arm(selected_arm_.data(), selected_arm_.size()), length};
  }

  Ticket skip_ticket() override {
    if (stage_ == Stage::single_episode) stage_ = Stage::episode;  // its ticket is not the newest
    return TicketedOptimizer::skip_ticket();
  }

  [[nodiscard]] Status tell(Ticket ticket, double reward) override {
    if (stage_ == Stage::single_episode && ticket == tickets_.newest()) [[likely]] {
      const double mapped = map_.to_mapped(reward);
      const Sample after{selected_node_->pulls + 1.0, selected_node_->sum + mapped};
      // False for NaN and for very large negative rewards.
      const bool surely_stays =
          evidence_.has_fast_path() && after.sum >= sufficient_mean_ * after.pulls;
      if (!surely_stays || mapped > RewardMap::kLargest) [[unlikely]]
        return end_single_episode(reward);

      selected_node_->pulls = after.pulls;
      selected_node_->sum = after.sum;
      tickets_.close_newest();
      ++t_;
      stage_ = Stage::single_stay;
      evidence_.add_fast(reward);
      return Status::ok;
    }
    return tell_in_episode(ticket, reward);
  }

  using TicketedOptimizer::tell;
  [[nodiscard]] Status drop(Ticket ticket) override;
  void finish() override;

  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() override;
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

  [[nodiscard]] const HctParameters& parameters() const { return parameters_; }

 private:
  using Node = BoundedTree::Node;

  Hct(const Hct&) = default;  // used by clone, which then resets the node pointer
  void point_at_selected();

  [[nodiscard]] std::vector<NodeView> nodes() const override;
  [[nodiscard]] std::optional<Place> place(Ticket ticket) const override;
  [[nodiscard]] std::string path(NodeIndex node) const override;

  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return tree_.arm(node); }
  [[nodiscard]] bool contains(Arm arm) const override { return tree_.partition().contains(arm); }
  void transfer(State& state) override;

  enum class Stage {
    choose,   // no episode is running, and the next ask has to search
    stay,     // no episode is running, and a search would end at the selected node again
    episode,  // an episode is running at the selected node
    // `stay` and `episode` in the case that must be fast: feedback is iid, and the newest ticket is
    // for the selected node. It is closed in `single_stay`, and open in `single_episode`.
    single_stay,
    single_episode,
  };

  /// A node on the path to the selected one, and the least B of the selected node for which this
  /// and all choices above it stay the same.
  struct Step {
    NodeIndex node;
    double stay_bound;

    void transfer(State& state) { state(node, stay_bound); }
  };

  /// Mapped rewards of one node.
  struct Sample {
    double pulls = 0.0;
    double sum = 0.0;

    void transfer(State& state) {
      state(pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };

  [[nodiscard]] bool episode_is_running() const {
    return stage_ == Stage::episode || stage_ == Stage::single_episode;
  }

  template <class Statistics>
  static void add(Statistics& to, const Sample& sample) {
    to.pulls += sample.pulls;
    to.sum += sample.sum;
  }

  [[nodiscard]] double own_upper_bound(const Node& node) const {
    return own_upper_bound(node, width_of(node));
  }
  [[nodiscard]] double own_upper_bound(const Node& node, double width) const {
    return upper_bound(node.sum / node.pulls, cell_resolution(node, resolutions_), width);
  }

  [[nodiscard]] double width_of(const Node& node) const {
    return confidence_width(scaled_c_, log_confidence_, node.pulls);
  }

  /// `tell` in the middle of an episode, and in all other cases that need not be fast.
  Status tell_in_episode(Ticket ticket, double reward);

  // The steps of the paper, in its order.
  void refresh();
  void set_scale();
  void select();
  void opt_traverse();
  void update_bounds(NodeIndex at);
  void expand_if_due(NodeIndex at);

  /// A pull of the selected arm; fits into two registers, so that it is returned without memory
  /// access.
  struct Issued {
    Ticket ticket;
    std::uint64_t length;
  };

  [[nodiscard]] Issued ask_anew(std::uint64_t pulls);
  void begin_episode();
  [[nodiscard]] std::uint64_t next_length(std::uint64_t pulls);
  void accept(NodeIndex node, const Rewards& mapped) override;
  void accept_penalty(NodeIndex node, double mapped) override;
  void accept_observed(Arm arm, const Rewards& mapped) override;
  void accept_late(NodeIndex node, const Sample& sample);
  void credit_observed(NodeIndex node);
  void forget_selection();
  Status end_single_episode(double reward);
  void end_episode();
  void stay_or_leave();
  void back_out();
  void set_sufficient_mean(double width_now, double margin);
  void grow_tables();
  [[nodiscard]] bool has_enough_pulls(const Node& node) const;
  [[nodiscard]] bool makes_sense(bool has_selected, const std::vector<Step>& path) const;

  BoundedTree tree_;
  HctParameters parameters_;

  std::uint64_t t_plus_ = 1;
  double log_confidence_ = 0.0;      // L of the current phase
  double scaled_c_ = 0.0;            // R c of the current phase
  std::vector<double> resolutions_;  // R nu1 rho^h by depth
  std::vector<double> thresholds_;   // tau_h by depth, in the current phase; 0 for the root

  Stage stage_ = Stage::choose;
  NodeIndex selected_ = BoundedTree::kRoot;
  Node* selected_node_ = nullptr;
  Arm selected_arm_;
  double stay_bound_ = 0.0;  // the search ends here again while U is at least this
  double stay_pulls_ = 0.0;  // ... and the node's pulls are below this
  double sufficient_mean_ =
      0.0;                  // a mean of this is enough to stay, while the evidence has a fast path
  std::vector<Step> path_;  // from the root to the selected node, by depth
  std::uint32_t path_depth_ = 0;  // path_ is valid down to this depth

  std::uint64_t unanswered_ = 1;  // rewards missing until the end of the episode
  std::uint64_t unissued_ = 0;    // correlated: missing rewards without a ticket
  Sample pending_;                // rewards of this episode, learnt at its end

  Observations waiting_;  // rewards of arms that have no node yet

  std::uint64_t switches_ = 0;
  std::uint64_t refreshes_ = 0;
};

}  // namespace canopy
