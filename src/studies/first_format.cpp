#include "studies/first_format.hpp"

#include "canopy/errors.hpp"
#include "canopy/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace canopy::first_format {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- options -------------------------------------------------------------------------------------

double real(const OptionValues& options, std::string_view name) {
  return std::get<double>(*options.find(name));
}

std::uint64_t whole(const OptionValues& options, std::string_view name) {
  return std::get<std::uint64_t>(*options.find(name));
}

/// Whether an option is there and has this word for its value.
bool is(const OptionValues& options, std::string_view name, const std::string& word) {
  const OptionValue* value = options.find(name);
  return value != nullptr && *value == OptionValue(word);
}

OptionValues defaults(const std::string& optimizer, const OptionValues& given,
                      std::size_t dimension) {
  const double rho = std::pow(2.0, -1.0 / static_cast<double>(dimension));
  const OptionValues::Named seed{"seed", std::uint64_t{1}};
  const std::uint64_t ten = 10;
  if (optimizer == "hct") {
    const bool paper = is(given, "preset", "paper");
    const double practical_scale = is(given, "feedback", "correlated") ? 0.006 : 0.025;
    return {{"feedback", "iid"},
            {"mixing_time", 1.0},
            {"preset", "practical"},
            {"nu1", paper ? 1.0 : 4.0},
            {"rho", paper ? rho : 0.5},
            {"confidence_scale", paper ? 1.0 : practical_scale},
            {"delta", 0.05},
            {"constants", "main"}};
  }
  if (optimizer == "thoo") {
    return {{"horizon", {}}, {"nu1", 1.0}, {"rho", rho}, {"confidence_scale", 0.2}, seed};
  }
  if (optimizer == "hoo") return {{"nu1", 1.0}, {"rho", rho}, {"confidence_scale", 0.2}, seed};
  if (optimizer == "power") {
    return {{"sigma", 0.1}, {"window", ten}, {"rollout_length", ten}, seed};
  }
  if (optimizer == "grid") return {{"points", std::uint64_t{32}}, {"confidence_scale", 0.1}};
  if (optimizer == "random") return {seed};
  throw ConfigurationError(
      {{"optimizer.name", optimizer, "must be hct, thoo, hoo, power, grid or random"}});
}

// --- formulas ------------------------------------------------------------------------------------

// Copies of what canopy/confidence.hpp was. The order of the operations matters: the last bit of a
// bound may decide between two arms.

double confidence_width(double c, double log, double pulls) {
  return c * std::sqrt(log / pulls);
}

double resolution(double nu1, double rho, std::uint32_t depth) {
  return nu1 * std::pow(rho, static_cast<double>(depth));
}

double upper_bound(double mean, double resolution, double width) {
  return mean + resolution + width;
}

std::uint64_t phase_end(std::uint64_t t) {
  return std::bit_floor(t) * 2;
}

double log_confidence(double c1, double delta, double t_plus) {
  return std::log(1.0 / std::min(c1 * delta / t_plus, 1.0));
}

double expansion_threshold(double c, double log, double nu1, double rho, std::uint32_t depth) {
  return c * c * log * std::pow(rho, -2.0 * static_cast<double>(depth)) / (nu1 * nu1);
}

/// c of HCT, with the scale.
double hct_c(const OptionValues& options) {
  const double scale = real(options, "confidence_scale");
  const double spread = std::sqrt(1.0 / (1.0 - real(options, "rho")));
  if (is(options, "feedback", "iid")) return scale * (2.0 * spread);
  const double factor = is(options, "constants", "main") ? 3.0 : 6.0;
  return scale * (factor * (3.0 * real(options, "mixing_time") + 1.0) * spread);
}

double hct_c1(const OptionValues& options) {
  const double nu1 = real(options, "nu1");
  const double rho = real(options, "rho");
  return is(options, "feedback", "iid") ? std::pow(rho / (3.0 * nu1), 1.0 / 8.0)
                                        : std::pow(rho / (4.0 * nu1), 1.0 / 9.0);
}

std::uint32_t thoo_depth_limit(double n, double nu1, double rho) {
  const double depth = std::ceil((std::log(n) / 2.0 + std::log(nu1)) / -std::log(rho));
  return static_cast<std::uint32_t>(std::clamp(depth, 0.0, 1e9));
}

// --- the protocol --------------------------------------------------------------------------------

/// Mapped rewards of one arm.
struct Sample {
  double pulls = 0.0;
  double sum = 0.0;

  void operator+=(const Sample& more) {
    pulls += more.pulls;
    sum += more.sum;
  }
};

struct Setup {
  OptionValues options;
  Space space;
  SplitRule split;
  bool minimizes;
  std::array<double, 2> reward_range;
};

/// All optimizers went turn by turn: choose an arm, play it a number of times, learn from these
/// rewards, choose again. Until the turn was over every ask gave its arm, beyond its length if need
/// be. Answers that came later were learnt on their own.
class TurnPlayer : public Player {
 public:
  Played ask(std::uint64_t pulls) final {
    if (!turn_) turn_ = Turn(choose());
    const std::uint64_t length =
        turn_->ungranted == 0 ? 1 : std::clamp<std::uint64_t>(pulls, 1, turn_->ungranted);
    turn_->ungranted -= std::min(turn_->ungranted, length);
    open_[++last_ticket_] = {turn_->node, length};
    return {last_ticket_, turn_->arm, length};
  }

  bool tell(std::uint64_t ticket, std::span<const double> rewards) final {
    double sum = 0.0;
    for (const double reward : rewards) {
      const double mapped = (reward - origin_) / span_;
      if (!usable(mapped)) return false;
      sum += mapped;
    }
    return accept(ticket, rewards.size(), sum);
  }

  bool tell_sums(std::uint64_t ticket, std::uint64_t count, double sum, double squares) final {
    const auto pulls = static_cast<double>(count);
    const double mapped = (sum - pulls * origin_) / span_;
    const double mean = sum / pulls;
    if (count == 0 || !std::isfinite(sum) || !std::isfinite(squares)) return false;
    if (!usable(mapped / pulls)) return false;
    if (!(mean * mean <= squares / pulls * (1.0 + 1e-6))) return false;  // no rewards have these
    return accept(ticket, count, mapped);
  }

  bool drop(std::uint64_t ticket) final { return open_.erase(ticket) != 0; }

  void finish() final {
    if (turn_ && turn_->told.pulls != 0.0) end_turn();  // one without answers goes on
  }

 protected:
  explicit TurnPlayer(const Setup& setup)
      : space_(setup.space),
        origin_(setup.reward_range[setup.minimizes ? 1 : 0]),
        span_(setup.reward_range[setup.minimizes ? 0 : 1] - origin_) {}

  struct Choice {
    std::size_t node = 0;  // a number for the arm, by which late answers find it
    std::vector<double> arm;
    std::uint64_t length = 1;
  };

  [[nodiscard]] virtual Choice choose() = 0;
  /// Learns the rewards of a turn that has ended.
  virtual void learn(std::size_t node, const Sample& sample) = 0;
  /// Learns answers that came after their turn.
  virtual void learn_late(std::size_t node, const Sample& late) { learn(node, late); }
  /// Whether no turn may go on.
  [[nodiscard]] virtual bool phase_is_over() const { return false; }

  [[nodiscard]] std::vector<double> arm_at(const std::vector<double>& unit_cube_point) const {
    std::vector<double> arm(space_.dimension());
    space_.from_unit_cube(unit_cube_point, arm);
    return arm;
  }

  const Space space_;
  std::uint64_t t_ = 1;  // answers so far, plus one

 private:
  struct Turn : Choice {
    explicit Turn(Choice choice) : Choice(std::move(choice)) {}

    std::uint64_t ungranted = length;   // pulls that no ticket was given for
    std::uint64_t unanswered = length;  // pulls until the end
    Sample told;
  };

  struct Ticket {
    std::size_t node = 0;
    std::uint64_t remaining = 0;
  };

  /// False for NaN too.
  [[nodiscard]] static bool usable(double mapped) { return std::abs(mapped) <= 1e100; }

  [[nodiscard]] bool accept(std::uint64_t ticket, std::uint64_t count, double sum) {
    const auto open = open_.find(ticket);
    if (open == open_.end() || count > open->second.remaining) return false;
    if (count == 0) return true;
    const std::size_t node = open->second.node;
    open->second.remaining -= count;
    if (open->second.remaining == 0) open_.erase(open);
    t_ += count;
    const Sample sample{static_cast<double>(count), sum};
    if (turn_ && turn_->node == node) {
      turn_->told += sample;
      turn_->unanswered -= std::min(turn_->unanswered, count);
    } else {
      learn_late(node, sample);
    }
    if (turn_ && (turn_->unanswered == 0 || phase_is_over())) end_turn();
    return true;
  }

  void end_turn() {
    const Turn ended = *std::exchange(turn_, std::nullopt);
    if (ended.told.pulls != 0.0) learn(ended.node, ended.told);
  }

  double origin_;  // the reward that is mapped to 0
  double span_;    // from there to the one that is mapped to 1
  std::optional<Turn> turn_;
  std::map<std::uint64_t, Ticket> open_;
  std::uint64_t last_ticket_ = 0;
};

// --- optimizers with a tree ----------------------------------------------------------------------

/// A binary tree of cells. With c and a logarithm that each optimizer chose in its own way,
///
///     U(v) = mean + nu1 rho^h + c sqrt(log / pulls)
///     B(v) = U(v) at a leaf, else min(U(v), max of the children's B)
class TreePlayer : public TurnPlayer {
 protected:
  struct Node {
    double resolution = 0.0;  // nu1 rho^h
    std::uint32_t depth = 0;  // h
    std::size_t parent = 0;
    std::size_t left = 0;      // the right child stands next to it; 0: a leaf
    double bound = kInfinity;  // B
    Sample sample = {};
  };

  TreePlayer(const Setup& setup, double c)
      : TurnPlayer(setup),
        nu1_(real(setup.options, "nu1")),
        rho_(real(setup.options, "rho")),
        c_(c),
        partition_(space_, setup.split) {
    plant();
  }

  /// Begins with the root alone.
  void plant() {
    nodes_.assign(1, {.resolution = resolution(nu1_, rho_, 0)});
    cells_.resize(partition_.cell_size());
    partition_.root(cells_);
  }

  /// Gives a node children, if it is a leaf whose cell can be cut.
  void expand(std::size_t at) {
    if (nodes_[at].left != 0) return;
    const std::size_t left = nodes_.size();
    const std::uint32_t depth = nodes_[at].depth;
    cells_.resize((left + 2) * partition_.cell_size());
    const auto children = std::span(cells_).last(2 * partition_.cell_size());
    if (!partition_.split(cell(at), depth, children)) return;
    nodes_[at].left = left;
    const double finer = resolution(nu1_, rho_, depth + 1);
    nodes_.resize(left + 2, {.resolution = finer, .depth = depth + 1, .parent = at});
  }

  void update_bound(Node& node) const {
    node.bound = kInfinity;
    if (const auto [pulls, sum] = node.sample; pulls != 0.0) {
      const double width = confidence_width(c_, log_, pulls);
      node.bound = upper_bound(sum / pulls, node.resolution, width);
    }
    if (node.left == 0) return;
    const double tighter = std::max(nodes_[node.left].bound, nodes_[node.left + 1].bound);
    node.bound = std::min(node.bound, tighter);
  }

  void update_all_bounds() {
    for (std::size_t i = nodes_.size(); i-- > 0;) update_bound(nodes_[i]);  // children come first
  }

  /// Visits a node and all above it, the root last.
  template <class Visit>
  void climb(std::size_t at, Visit&& visit) {
    for (; at != 0; at = nodes_[at].parent) visit(nodes_[at]);
    visit(nodes_[0]);
  }

  [[nodiscard]] std::vector<double> arm(std::size_t node) const {
    std::vector<double> arm(partition_.dimension());
    partition_.arm(cell(node), arm);
    return arm;
  }

  const double nu1_;
  const double rho_;
  const double c_;
  double log_ = 0.0;
  std::vector<Node> nodes_;  // the root first, children behind their parents

 private:
  [[nodiscard]] std::span<const double> cell(std::size_t node) const {
    return std::span(cells_).subspan(node * partition_.cell_size(), partition_.cell_size());
  }

  BoxPartition partition_;
  std::vector<double> cells_;  // of all nodes, one behind the other
};

class Hct final : public TreePlayer {
 public:
  explicit Hct(const Setup& setup)
      : TreePlayer(setup, hct_c(setup.options)),
        c1_(hct_c1(setup.options)),
        delta_(real(setup.options, "delta")),
        correlated_(is(setup.options, "feedback", "correlated")) {
    expand(0);
  }

 private:
  Choice choose() override {
    if (phase_is_over()) {
      t_plus_ = phase_end(t_);
      log_ = log_confidence(c1_, delta_, static_cast<double>(t_plus_));
      update_all_bounds();
    }
    std::size_t at = 0;
    while (nodes_[at].left != 0 && (at == 0 || has_enough_pulls(nodes_[at]))) {
      const std::size_t left = nodes_[at].left;
      at = nodes_[left].bound >= nodes_[left + 1].bound ? left : left + 1;
    }
    // With correlated feedback until the pulls have doubled, but not beyond the phase.
    const auto pulls = static_cast<std::uint64_t>(correlated_ ? nodes_[at].sample.pulls : 1.0);
    return {at, arm(at), std::clamp<std::uint64_t>(pulls, 1, t_plus_ - t_)};
  }

  void learn(std::size_t at, const Sample& sample) override {
    nodes_[at].sample += sample;
    climb(at, [this](Node& node) { update_bound(node); });
    if (has_enough_pulls(nodes_[at])) expand(at);
  }

  [[nodiscard]] bool has_enough_pulls(const Node& node) const {
    return node.sample.pulls >= expansion_threshold(c_, log_, nu1_, rho_, node.depth);
  }

  /// Late answers may end a phase, and with it a turn that is short of answers.
  [[nodiscard]] bool phase_is_over() const override { return t_ >= t_plus_; }

  double c1_;
  double delta_;
  bool correlated_;
  std::uint64_t t_plus_ = 1;  // t at the end of the phase
};

class Hoo : public TreePlayer {
 public:
  explicit Hoo(const Setup& setup)
      : TreePlayer(setup, real(setup.options, "confidence_scale")),
        random_({.seed = whole(setup.options, "seed"), .algorithm = "hoo"}) {
    expand(0);
  }

 protected:
  Choice choose() override {
    std::size_t at = 0;
    while (nodes_[at].left != 0) {
      const std::size_t left = nodes_[at].left;
      const double rival = nodes_[left + 1].bound;
      const bool tie = nodes_[left].bound == rival;
      const bool goes_left = tie ? random_.coin() : nodes_[left].bound > rival;
      at = goes_left ? left : left + 1;
    }
    return {at, arm(at)};
  }

  void learn(std::size_t at, const Sample& sample) override {
    log_ = 2.0 * std::log(static_cast<double>(t_ - 1));
    add_on_path(at, sample);
    expand(at);
    update_all_bounds();
  }

  /// The statistics of a node are those of its whole subtree.
  void add_on_path(std::size_t at, const Sample& sample) {
    climb(at, [&](Node& node) {
      node.sample += sample;
      update_bound(node);
    });
  }

 private:
  RandomStream random_;
};

/// Truncated HOO: ln n in place of ln t, and no node below a certain depth. Without a horizon n it
/// started over for periods of 2, 4, 8, ... pulls.
class Thoo final : public Hoo {
 public:
  explicit Thoo(const Setup& setup) : Hoo(setup) {
    const auto* horizon = std::get_if<std::uint64_t>(setup.options.find("horizon"));
    doubling_ = horizon == nullptr;
    begin_period(doubling_ ? 2 : *horizon);
  }

 private:
  void begin_period(std::uint64_t length) {
    length_ = length;
    end_ = t_ + length;
    const auto n = static_cast<double>(length);
    log_ = 2.0 * std::log(n);
    depth_limit_ = thoo_depth_limit(n, nu1_, rho_);
    plant();
    if (depth_limit_ > 0) expand(0);
  }

  Choice choose() override {
    if (doubling_ && t_ >= end_) {
      first_ += nodes_.size();
      begin_period(2 * length_);
    }
    Choice choice = Hoo::choose();
    choice.node += first_;
    return choice;
  }

  void learn(std::size_t node, const Sample& sample) override {
    if (node < first_) return;  // late, of an earlier period
    const std::size_t at = node - first_;
    add_on_path(at, sample);
    if (nodes_[at].depth < depth_limit_) expand(at);
  }

  bool doubling_ = false;
  std::uint64_t length_ = 0;  // of the period
  std::uint64_t end_ = 0;     // t at which the next one begins
  std::uint32_t depth_limit_ = 0;
  std::size_t first_ = 0;  // the root's number: they go on from one period to the next
};

// --- optimizers without one ----------------------------------------------------------------------

/// UCB1. Arms are numbered along the first parameter first.
class Grid final : public TurnPlayer {
 public:
  explicit Grid(const Setup& setup)
      : TurnPlayer(setup), scale_(real(setup.options, "confidence_scale")) {
    const std::uint64_t points = whole(setup.options, "points");
    std::size_t arms = 1;
    for (std::size_t i = 0; i < space_.dimension(); ++i) {
      counts_.push_back(std::min(points, space_.value_count(i).value_or(points)));
      arms *= counts_.back();
    }
    samples_.resize(arms);
  }

 private:
  Choice choose() override {
    const double log = 2.0 * std::log(static_cast<double>(t_ - 1));
    std::size_t chosen = 0;
    double largest = -kInfinity;
    for (std::size_t i = 0; i < samples_.size() && largest < kInfinity; ++i) {
      const auto [pulls, sum] = samples_[i];
      const double index =
          pulls == 0.0 ? kInfinity : sum / pulls + confidence_width(scale_, log, pulls);
      if (index > largest) chosen = i;
      largest = std::max(largest, index);
    }
    return {chosen, arm(chosen)};
  }

  void learn(std::size_t node, const Sample& sample) override { samples_[node] += sample; }

  [[nodiscard]] std::vector<double> arm(std::size_t node) const {
    std::vector<double> point;
    for (const std::uint64_t count : counts_) {
      point.push_back((static_cast<double>(node % count) + 0.5) / static_cast<double>(count));
      node /= count;
    }
    return arm_at(point);
  }

  double scale_;
  std::vector<std::uint64_t> counts_;  // of points, by parameter
  std::vector<Sample> samples_;        // by arm
};

class Power final : public TurnPlayer {
 public:
  explicit Power(const Setup& setup)
      : TurnPlayer(setup),
        sigma_(real(setup.options, "sigma")),
        window_size_(whole(setup.options, "window")),
        length_(whole(setup.options, "rollout_length")),
        random_({.seed = whole(setup.options, "seed"), .algorithm = "power"}) {
    for (std::size_t i = 0; i < space_.dimension(); ++i) theta_.push_back(random_.uniform());
  }

 private:
  struct Rollout {
    std::vector<double> theta;
    double mean = 0.0;
  };

  /// Folds the line at 0 and 1 until it lies within [0, 1].
  static double reflected(double coordinate) {
    const double folded = std::fmod(std::abs(coordinate), 2.0);
    return folded <= 1.0 ? folded : 2.0 - folded;
  }

  Choice choose() override {
    explored_.clear();
    for (const double coordinate : theta_) {
      explored_.push_back(reflected(coordinate + sigma_ * random_.normal()));
    }
    return {t_, arm_at(explored_), length_};  // no two turns begin at the same t
  }

  void learn(std::size_t /*node*/, const Sample& sample) override {
    const double mean = sample.sum / sample.pulls;
    least_ = std::min(least_, mean);
    const auto better = [](double value, const Rollout& other) { return value > other.mean; };
    window_.insert(std::upper_bound(window_.begin(), window_.end(), mean, better),
                   {explored_, mean});
    if (window_.size() > window_size_) window_.pop_back();
    move_theta();
  }

  void learn_late(std::size_t /*node*/, const Sample& /*late*/) override {}

  void move_theta() {
    double total = 0.0;
    std::vector<double> pull(theta_.size(), 0.0);
    for (const Rollout& rollout : window_) {
      const double weight = rollout.mean - least_;
      total += weight;
      for (std::size_t i = 0; i < theta_.size(); ++i)
        pull[i] += weight * (rollout.theta[i] - theta_[i]);
    }
    if (!(total > 0.0)) return;
    for (std::size_t i = 0; i < theta_.size(); ++i) theta_[i] += pull[i] / total;
  }

  double sigma_;
  std::uint64_t window_size_;
  std::uint64_t length_;
  RandomStream random_;
  std::vector<double> theta_;
  std::vector<double> explored_;  // theta with noise: what the present rollout plays
  std::vector<Rollout> window_;   // the best so far, the best first
  double least_ = 0.0;            // of all means and 0
};

class Random final : public TurnPlayer {
 public:
  explicit Random(const Setup& setup)
      : TurnPlayer(setup), random_({.seed = whole(setup.options, "seed"), .algorithm = "random"}) {}

 private:
  Choice choose() override {
    std::vector<double> point(space_.dimension());
    for (double& coordinate : point) coordinate = random_.uniform();
    return {t_, arm_at(point)};
  }

  void learn(std::size_t /*node*/, const Sample& /*sample*/) override {}

  RandomStream random_;
};

}  // namespace

OptionValues completed_options(const std::string& optimizer, const OptionValues& given,
                               std::size_t dimension) {
  OptionValues options = defaults(optimizer, given, dimension);
  for (const auto& [name, value] : given) {
    const bool is_set = !std::holds_alternative<std::monostate>(value);
    if (is_set && options.find(name) != nullptr) options.set(name, value);
  }
  return options;
}

std::unique_ptr<Player> make_player(const std::string& optimizer, const OptionValues& options,
                                    const Space& space, SplitRule split, bool minimizes,
                                    const std::array<double, 2>& reward_range) {
  const Setup setup{completed_options(optimizer, options, space.dimension()), space, split,
                    minimizes, reward_range};
  if (optimizer == "hct") return std::make_unique<Hct>(setup);
  if (optimizer == "thoo") return std::make_unique<Thoo>(setup);
  if (optimizer == "hoo") return std::make_unique<Hoo>(setup);
  if (optimizer == "power") return std::make_unique<Power>(setup);
  if (optimizer == "grid") return std::make_unique<Grid>(setup);
  return std::make_unique<Random>(setup);  // any other name has been refused
}

}  // namespace canopy::first_format
