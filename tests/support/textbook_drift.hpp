#pragma once

#include "support/textbook_adaptive.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace canopy::testing {

/// A literal implementation of the adaptive tree with drift, one pull at a time. Letters are those
/// of the formulas: trackers j = 0 frozen, 1 returning, 2 to 4 with gains g, of which c is in use;
/// levels L_j, fractions a_j of an error of m that tracker j has absorbed, scores A_j.
///
/// While the turn is open (is_open()), learn() takes the next reward of turn().
class TextbookDrift {
 public:
  using Node = TextbookAdaptive::Node;

  explicit TextbookDrift(std::shared_ptr<const Partition> partition) : tree_(std::move(partition)) {
    tree_.kept_first_ = TextbookAdaptive::FirstRewards();
  }

  /// The node to pull.
  std::size_t choose() {
    tree_.turn_ = next_turn();
    left_ = tree_.turn_.pulls;
    if (tree_.has_started_) begin_turn();
    mean_before_ = node().mean;
    return tree_.turn_.node;
  }

  [[nodiscard]] bool is_open() const { return left_ != 0; }

  void learn(double y) {
    ++t_;
    --left_;
    if (!tree_.has_started_) {
      learn_first(y);
    } else if (is_probing_) {
      readings_.push_back({tree_.turn_.node, y, y - level() - m_, v_ + s_});
      if (probe_.empty()) judge();
    } else {
      gather(y);
      if (score(y)) {
        left_ = 0;
        learn_turn();
        tree_.update_leaf(tree_.turn_.node);
        cut_if_ripe();
        raise_alarm();
        return;
      }
      if (left_ == 0) end_turn();
    }
  }

  [[nodiscard]] const std::vector<double>& arm(std::size_t i) const { return tree_.arm(i); }
  [[nodiscard]] const std::vector<Node>& nodes() const { return tree_.nodes_; }
  [[nodiscard]] double level() const { return c_ == 1 && !subtracts_ ? base_ : L_[c_]; }
  [[nodiscard]] std::size_t c() const { return c_; }
  [[nodiscard]] std::size_t changes_of_level() const { return levels_; }
  [[nodiscard]] std::size_t changes_of_f() const { return shapes_; }

 private:
  static constexpr std::size_t kNone = TextbookAdaptive::kNone;
  static constexpr std::array<double, 5> g{0.0, 1.0, 1.0 / 64.0, 1.0 / 8.0, 1.0};

  struct Reading {
    std::size_t node;
    double y;
    double r;
    double V;
  };

  [[nodiscard]] Node& node() { return tree_.nodes_[tree_.turn_.node]; }

  // ---- Decisions ----

  [[nodiscard]] TextbookAdaptive::Turn next_turn() {
    if (!probe_.empty()) {
      const std::size_t leaf = probe_.back();
      probe_.pop_back();
      return {leaf, 1, false};
    }
    if (std::exchange(surprised_, false) && surprises_ < 32 + (t_ + 1) / 256) {
      ++surprises_;
      return {largest_leaf(kNone), 1, false};
    }
    TextbookAdaptive::Turn turn = tree_.next_turn();
    const double u = 1.0 - a_[c_];
    const bool tells_little = follows() && turn.node == last_ && !turn.explorer &&
                              tree_.nodes_[turn.node].T < 13.0 && u * u < 0.5;
    if (!tells_little) return turn;
    std::size_t next = kNone;
    for (const std::size_t leaf : tree_.leaves()) {
      if (leaf == turn.node) continue;
      if (next == kNone || tree_.nodes_[leaf].index > tree_.nodes_[next].index) next = leaf;
    }
    const double pulls = std::max(1.0, std::floor(0.15 * tree_.nodes_[next].T));
    return {next, static_cast<std::uint64_t>(pulls), false};
  }

  [[nodiscard]] bool follows() const { return c_ > 1 || (c_ == 1 && subtracts_); }

  void begin_turn() {
    if (reconsider()) forget_residuals();
    m_ = node().m;
    v_ = node().v;
    s_ = std::max(tree_.noise_of_one(node()), tree_.sigma2_);
    number_ = t_ + 1;
    const double k = n_q_ < 64.0 ? 1.0 : n_q_ * q2_ / (q_ * q_);
    threshold_ = (5.0 + std::log(static_cast<double>(number_))) *
                 (1.0 + std::max(0.0, std::sqrt(k) - std::sqrt(5.0)));
    if (tree_.turn_.node != last_ || node().T >= 13.0) a_.fill(0.0);
    last_ = tree_.turn_.node;
  }

  // ---- Rewards ----

  void learn_first(double y) {
    see(y);
    Node& first = node();
    first.T = 1.0;
    first.mean = first.m = y;
    ++tree_.t_;
    if (++tree_.started_ == tree_.start_.size()) tree_.end_start();
  }

  /// Adds a reward to the turn, less the level, with its weight if the level moves.
  void gather(double y) {
    const double u = follows() ? 1.0 - a_[c_] : 1.0;
    const double off = y - level() - (follows() ? m_ : mean_before_);
    U_ += u * off;
    I_ += u * u;
    Q2_ += off * off;
    k_ += 1.0;
    see(y - level());
    if (!follows()) tree_.pair_residuals(y - level(), mean_before_);
  }

  void see(double value) {
    tree_.low_ = std::min(tree_.low_, value);
    tree_.high_ = std::max(tree_.high_, value);
  }

  void learn_turn() {
    tree_.t_ += static_cast<std::uint64_t>(k_);
    tree_.pulls_since_pass_ += static_cast<std::uint64_t>(k_);
    const double worth = follows() ? std::max(I_, 1e-3) : k_;
    const double mean = (follows() ? m_ : mean_before_) + U_ / worth;
    const double squares = std::max(0.0, Q2_ - U_ * U_ / worth) * (worth / k_);
    add(tree_.turn_.node, worth, mean, squares);
    if (tree_.turn_.explorer) node().G += worth;
    U_ = I_ = Q2_ = k_ = 0.0;
  }

  void add(std::size_t at, double worth, double mean, double squares) {
    Node& known = tree_.nodes_[at];
    const double all = known.T + worth;
    const double apart = mean - known.mean;
    const double added = squares + apart * apart * (known.T * worth / all);
    if (known.T < 8.0) {
      const double early = std::min(worth, 8.0 - known.T);
      tree_.kept_first_->squares += added * (early / worth);
      tree_.kept_first_->freedom += known.T == 0.0 ? std::max(0.0, early - 1.0) : early;
    }
    known.M2 += added;
    known.mean = known.T == 0.0 ? mean : known.mean + apart * (worth / all);
    known.T = all;
  }

  void end_turn() {
    learn_turn();
    tree_.update_leaf(tree_.turn_.node);
    cut_if_ripe();
    pass_if_due();
  }

  void cut_if_ripe() {
    const double most = 64.0 + 12.0 * std::sqrt(static_cast<double>(tree_.t_));
    const bool has_room = static_cast<double>(tree_.nodes_.size()) < most;
    if (node().T >= 2.0 && node().v <= node().D2 && has_room) tree_.cut(tree_.turn_.node);
  }

  void pass_if_due() {
    const auto size = static_cast<double>(tree_.nodes_.size());
    if (static_cast<double>(tree_.pulls_since_pass_) >= size / 16.0) tree_.pass();
  }

  // ---- Trackers ----

  /// Every tracker predicts the reward, is scored, and is updated.
  [[nodiscard]] bool score(double y) {
    const double variance = v_ + s_;
    const double w = s_ / variance;
    const double e0 = y - m_;
    const bool known = v_ <= s_ / 2.0;
    const auto cost = [&](double l) { return std::min(16.0, (e0 - l) * (e0 - l) / variance); };
    const double own = cost(L_[c_]);
    if (++n_q_ > 4096.0) {
      n_q_ /= 2.0;
      q_ /= 2.0;
      q2_ /= 2.0;
    }
    q_ += own;
    q2_ += own * own;
    surprised_ = number_ >= 128 && e0 > level() && own > 9.0;
    bool alarm = false;
    if (++n_E_ > 256.0) {
      n_E_ /= 2.0;
      for (double& sum : E_) sum /= 2.0;
    }
    for (std::size_t j = 0; j < g.size(); ++j) {
      const double e = e0 - L_[j];
      E_[j] += w * e * e;
      if (number_ >= 128 && j != c_ && (j != 2 || w >= 32.0 / 33.0)) {
        A_[j] = std::max(0.0, A_[j] + std::clamp((own - cost(L_[j])) / 2.0, -1.0, 1.0));
        if (j == 2) A_[j] = std::max(0.0, A_[j] - 0.002);
        alarm = alarm || A_[j] > threshold_;
      }
      const double gain = j == 1 ? K_ : g[j];
      L_[j] += gain * w * e;
      a_[j] += gain * w * (1.0 - a_[j]);
    }
    L_[1] = base_ + phi_ * (L_[1] - base_);
    a_[1] *= phi_;
    const double past = past_;
    past_ *= 15.0 / 16.0;
    if (known) {
      if (chained_) pair(e0 - base_, past);
      before_ = e0 - base_;
      past_ += before_ / 16.0;
    }
    chained_ = known;
    return alarm;
  }

  void pair(double e, double past) {
    if (++pairs_ > 4096.0) {
      pairs_ /= 2.0;
      products_ /= 2.0;
      past_products_ /= 2.0;
      squares_ /= 2.0;
    }
    products_ += e * before_;
    past_products_ += e * past;
    squares_ += e * e;
    if (++estimated_ % 8 != 0) return;
    phi_ = 0.0;
    K_ = 1.0;
    if (pairs_ < 32.0 || products_ <= 0.0) return;
    const double rho = std::min(products_ / squares_, 0.9);
    const double ratio = past_products_ / products_;
    phi_ = ratio > 1.0 / 16.0 ? (1.0 - 1.0 / (16.0 * ratio)) / (15.0 / 16.0) : 0.0;
    phi_ = std::clamp(phi_, rho, 0.9);
    // The variance p with which the lasting part is predicted does not change from reward to
    // reward: p = phi^2 p r / (p + r) + (1 - phi^2) q.
    const double q = rho / phi_;
    const double r = 1.0 - q;
    const double b = r - phi_ * phi_ * r - (1.0 - phi_ * phi_) * q;
    const double p = (std::sqrt(b * b + 4.0 * (1.0 - phi_ * phi_) * q * r) - b) / 2.0;
    K_ = p / (p + r);
  }

  /// Whether autocorrelated noise is subtracted: from half of the variance explained on, and no
  /// longer below 0.4.
  bool reconsider() {
    if (c_ != 1 || n_E_ < 64.0) return false;
    const double explained = 1.0 - E_[1] / E_[0];
    const bool before = subtracts_;
    subtracts_ = explained >= (before ? 0.4 : 0.5);
    return before != subtracts_;
  }

  void forget_residuals() {
    tree_.pairs_ = 0;
    tree_.sum_ee_ = tree_.sum_e2_ = 0.0;
    tree_.last_residual_ = {};
  }

  // ---- Changes ----

  void raise_alarm() {
    J_ = kNone;
    for (std::size_t j = 0; j < g.size(); ++j) {
      if (j != c_ && (J_ == kNone || A_[j] >= A_[J_])) J_ = j;
    }
    const bool faster = J_ > 1 && (c_ == 1 || g[J_] > g[c_]);
    if (faster && L_[J_] != level()) list_probe();
    is_probing_ = !probe_.empty();
    surprised_ = false;
    if (!is_probing_) return judge();
    chained_ = false;
    last_ = kNone;
  }

  /// For each other cell of depth 3, the leaf with the largest T.
  void list_probe() {
    const std::size_t here = cell_of(tree_.turn_.node);
    for (const std::size_t cell : tree_.start_) {
      if (cell == here) continue;
      if (const std::size_t most = largest_leaf(cell); most != kNone) probe_.push_back(most);
    }
  }

  /// The leaf with the largest T, within this cell of depth 3 if given.
  [[nodiscard]] std::size_t largest_leaf(std::size_t cell) const {
    std::size_t most = kNone;
    for (std::size_t i = 0; i < tree_.nodes_.size(); ++i) {
      if (tree_.nodes_[i].left != 0 || tree_.nodes_[i].T == 0.0) continue;
      if (cell != kNone && cell_of(i) != cell) continue;
      if (most == kNone || tree_.nodes_[i].T > tree_.nodes_[most].T) most = i;
    }
    return most;
  }

  [[nodiscard]] std::size_t cell_of(std::size_t i) const {
    while (tree_.nodes_[i].depth > 3) i = tree_.nodes_[i].parent;
    return i;
  }

  void judge() {
    const double moved = L_[J_] - level();
    double proof = 0.0;
    for (const Reading& reading : readings_) {
      const double by_level = (reading.r - moved) * (reading.r - moved) / reading.V;
      const double by_f = reading.r * reading.r / (reading.V + moved * moved);
      proof += std::log(1.0 + moved * moved / reading.V) / 2.0;
      proof += (std::min(16.0, by_f) - std::min(16.0, by_level)) / 2.0;
    }
    if (!readings_.empty() && proof < 3.0) {
      ++shapes_;
      inject(moved * moved);
      restart_others();
    } else {
      ++levels_;
      adopt();
    }
    for (const Reading& reading : readings_) {
      see(reading.y - level());
      add(reading.node, 1.0, reading.y - level(), 0.0);
    }
    tree_.t_ += readings_.size();
    readings_.clear();
    is_probing_ = false;
    A_.fill(0.0);
    if (J_ != 1 || follows()) forget_residuals();
    for (int i = 0; i < 3; ++i) tree_.pass();
  }

  void inject(double Q) {
    for (Node& each : tree_.nodes_) {
      const double part = 1.0 / (1.0 + each.T * Q / tree_.noise_of_one(each));
      each.T *= part;
      each.M2 *= part;
      each.G *= part;
    }
  }

  void adopt() {
    const double s = E_[J_] / n_E_;
    const double missed = std::max(0.0, E_[c_] / n_E_ - s);
    if (c_ != 1) base_ = level();
    c_ = J_;
    subtracts_ = false;
    (void)reconsider();
    if (c_ != 1) base_ = level();
    if (c_ != 1 || subtracts_) {
      inject(missed);
      relearn_noise(s);
    }
    restart_others();
  }

  void relearn_noise(double s) {
    TextbookAdaptive::FirstRewards& first = *tree_.kept_first_;
    first.freedom = std::min(first.freedom, 64.0);
    first.squares = std::min(first.squares, s * first.freedom);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (Node& each : tree_.nodes_) {
      each.M2 = std::min(each.M2, s * std::max(0.0, each.T - 1.0));
      if (each.T == 0.0) continue;
      low = std::min(low, each.mean);
      high = std::max(high, each.mean);
    }
    if (high > low) {
      tree_.low_ = low;
      tree_.high_ = high;
    }
  }

  void restart_others() {
    const double here = level();
    for (std::size_t j = 0; j < g.size(); ++j) {
      if (j != c_) L_[j] = c_ == 1 ? base_ : here;
    }
  }

  TextbookAdaptive tree_;
  std::uint64_t t_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t number_ = 0;  // number of the turn's first reward
  std::size_t last_ = kNone;  // leaf of the previous turn
  bool surprised_ = false;
  double mean_before_ = 0.0;
  double m_ = 0.0;
  double v_ = 0.0;
  double s_ = 0.0;
  double U_ = 0.0;
  double I_ = 0.0;
  double Q2_ = 0.0;
  double k_ = 0.0;

  std::size_t c_ = 0;
  std::array<double, 5> L_{};
  std::array<double, 5> a_{};
  std::array<double, 5> A_{};
  std::array<double, 5> E_{};
  double n_E_ = 0.0;
  double n_q_ = 0.0;  // number of squared standardised errors of the tracker in use
  double q_ = 0.0;    // their sum
  double q2_ = 0.0;   // sum of their squares, for the kurtosis k
  double threshold_ = 0.0;
  std::uint64_t surprises_ = 0;
  double base_ = 0.0;
  double phi_ = 0.0;
  double K_ = 1.0;
  std::uint64_t estimated_ = 0;  // pairs so far
  bool subtracts_ = false;
  double pairs_ = 0.0;
  double products_ = 0.0;
  double past_products_ = 0.0;  // with a moving average of earlier deviations
  double squares_ = 0.0;
  double past_ = 0.0;
  double before_ = 0.0;
  bool chained_ = false;

  std::size_t J_ = kNone;
  bool is_probing_ = false;
  std::vector<std::size_t> probe_;  // the next one last
  std::vector<Reading> readings_;
  std::size_t levels_ = 0;
  std::size_t shapes_ = 0;
};

}  // namespace canopy::testing
