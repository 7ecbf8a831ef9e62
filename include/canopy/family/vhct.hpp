#pragma once

#include "canopy/confidence.hpp"
#include "canopy/detail/bounded_node.hpp"
#include "canopy/detail/observations.hpp"
#include "canopy/hct.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"
#include "canopy/turn_optimizer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

struct VhctOptions {
  /// Defaults of the next three options. practical: nu1 4, rho 0.5, confidence_scale 0.05, chosen
  /// by experiment. paper: nu1 1, rho 2^(-1/dimension), confidence_scale 1.
  Preset preset = Preset::practical;

  /// nu1 > 0 and rho in (0, 1): f varies by at most nu1 rho^h, in units of the scale R, around the
  /// maximum within a cell at depth h. Raising either explores more and goes deeper sooner.
  std::optional<double> nu1 = std::nullopt;
  std::optional<double> rho = std::nullopt;

  /// > 0: multiplies c, in every bound and threshold. Raising it explores more.
  std::optional<double> confidence_scale = std::nullopt;

  /// In (0, 1): the probability with which the bounds may fail. Lowering it explores a little more.
  double delta = 0.05;

  /// b > 0, in units of the scale R: the range of the rewards of one arm. Raising it explores arms
  /// with little noise more.
  double bound = 1.0;
};

template <class Visit>
void visit_fields(VhctOptions& options, Visit&& visit) {
  visit(Field{"preset", "defaults of nu1, rho, confidence_scale: practical or paper"},
        options.preset);
  visit(Field{"nu1", "f varies by at most nu1 rho^h in a cell at depth h", kPositive}, options.nu1);
  visit(Field{"rho", "see nu1", kOpenUnit}, options.rho);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
  visit(Field{"delta", "probability with which the bounds may fail", kOpenUnit}, options.delta);
  visit(Field{"bound", "b: range of the rewards of an arm", kPositive}, options.bound);
}

/// Options with every default filled in.
struct VhctParameters {
  double nu1 = 0.0;
  double rho = 0.0;
  double confidence_scale = 0.0;
  double delta = 0.0;
  double bound = 0.0;
  Confidence confidence;  ///< c and c1 of HCT for iid rewards; c includes the scale.
};

/// Fills in the defaults for an arm space of `dimension` coordinates. Throws ConfigurationError.
[[nodiscard]] VhctParameters vhct_parameters(const VhctOptions& options, std::size_t dimension);

/// HCT with the variance of each arm: VHCT of Li, Wang, Cheng and Song, "Optimum-statistical
/// Collaboration Towards General and Efficient Black-box Optimization", TMLR 2023.
///
/// The tree, the search and the phases are those of HCT for independent rewards. The width of a
/// confidence interval is Bernstein's instead of Hoeffding's: with V the variance of the rewards of
/// a node's own arm, in units of R^2, and b the range of rewards,
///
///     U(v) = mean + R (nu1 rho^h + c sqrt(2 V L / pulls) + 3 b c^2 L / pulls)
///     B(v) as in HCT                                              L = ln(1 / delta_tilde(t+))
///
/// and the search moves from a node to its children once this width has shrunk to the resolution e
/// = nu1 rho^h. With s = c sqrt(L / pulls) that is 3 b s^2 + sqrt(2 V) s = e, whose positive root
/// gives
///
///     tau(v) = c^2 L (V + 3 b e + sqrt(V^2 + 6 b V e)) / e^2
///
/// With little noise this is far less than the c^2 L / e^2 of HCT: of order 1/e instead of 1/e^2.
/// For rewards of 0 or 1 and V near 1/4, it is about the same.
///
/// Implementation choices. V is the sum of squared deviations divided by the number of pulls, not
/// by one less, as in the program of the paper's first author (PyXAB) and in the underlying bound
/// (Audibert, Munos, Szepesvari, 2009). A single reward has V = 0, without a lower bound, since the
/// second term covers that case. c and c1 are HCT's. Ties go left. A cell that holds a single arm,
/// or several values of a choice, is treated as in HCT.
///
/// A node stores its tau, which changes only with its own rewards and with a new phase, so a step
/// costs O(depth).
class Vhct final : public TurnOptimizer, private TreeView {
 public:
  /// Throws ConfigurationError when options or objective are wrong, or there is only one arm.
  explicit Vhct(const Space& space, const VhctOptions& options = {},
                const Objective& objective = {});
  explicit Vhct(std::shared_ptr<const Partition> partition, const VhctOptions& options = {},
                const Objective& objective = {});

  [[nodiscard]] Summary summary() const override;
  [[nodiscard]] const TreeView* tree() override { return this; }
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

  [[nodiscard]] const VhctParameters& parameters() const { return parameters_; }

 private:
  struct VarianceNode : BoundedNode {
    double squared_deviations = 0.0;  ///< sum of squared deviations from the mean
    double threshold = 0.0;           ///< tau; valid once there are pulls, and 0 at the root

    [[nodiscard]] double variance() const { return squared_deviations / pulls; }
    void add(const Rewards& mapped);
    void transfer(State& state);
  };
  using Tree = CoverTree<VarianceNode>;
  using Node = Tree::Node;

  [[nodiscard]] Choice choose() override;
  void learn(NodeIndex node, const Rewards& mapped) override;
  void accept_observed(Arm arm, const Rewards& mapped) override;

  // The steps of the paper, in its order.
  void refresh();
  [[nodiscard]] NodeIndex opt_traverse() const;
  void update_bounds(NodeIndex at);
  void expand_if_due(NodeIndex at);

  void update_node(Node& node) const;
  void credit_observed(NodeIndex node);
  void grow_resolutions();

  [[nodiscard]] Arm arm_of(NodeIndex node) const override { return tree_.arm(node); }
  [[nodiscard]] bool contains(Arm arm) const override { return tree_.partition().contains(arm); }
  void transfer(State& state) override;

  [[nodiscard]] std::vector<NodeView> nodes() const override;
  [[nodiscard]] std::optional<Place> place(Ticket ticket) const override;
  [[nodiscard]] std::string path(NodeIndex node) const override;

  Tree tree_;
  VhctParameters parameters_;
  std::uint64_t t_plus_ = 1;
  std::uint64_t refreshes_ = 0;
  double weight_ = 0.0;              // c^2 L of the current phase
  std::vector<double> resolutions_;  // R nu1 rho^h by depth, in the current phase
  Observations waiting_;             // rewards of arms that have no node yet
};

}  // namespace canopy
