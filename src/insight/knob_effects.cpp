#include "insight/knob_effects.hpp"

#include "canopy/evidence.hpp"

#include "core/positive_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <boost/math/distributions/chi_squared.hpp>

namespace canopy {
namespace {

using Shares = std::vector<double>;

/// Everything known about one arm.
struct TriedArm {
  Arm arm;
  double pulls = 0.0;
  double mean = 0.0;
  Interval interval = {};
};

constexpr std::size_t kMostArms = 5000;

/// The arms with most data, limited so that the computation stays fast.
std::vector<TriedArm> best_known_arms(const Evidence& evidence) {
  std::vector<std::size_t> order(evidence.size());
  std::iota(order.begin(), order.end(), 0U);
  if (order.size() > kMostArms) {
    std::nth_element(order.begin(), order.begin() + kMostArms, order.end(),
                     [&](std::size_t a, std::size_t b) {
                       const auto rank = [&](std::size_t i) {
                         return std::pair(evidence.pulls(i), order.size() - i);
                       };
                       return rank(a) > rank(b);
                     });
    order.resize(kMostArms);
  }
  std::vector<TriedArm> arms;
  arms.reserve(order.size());
  for (const std::size_t i : order) {
    arms.push_back({evidence.arm(i), static_cast<double>(evidence.pulls(i)), evidence.mean(i),
                    evidence.estimate(i).interval});
  }
  return arms;
}

/// Scales shares to a sum of one, unless they are all zero.
Shares normalized(Shares shares) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = all > 0.0 ? share / all : 0.0;
  return shares;
}

/// The only parameter in which two arms differ, if there is exactly one.
std::optional<std::size_t> only_difference(Arm a, Arm b) {
  std::optional<std::size_t> only;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis] == b[axis]) continue;
    if (only) return std::nullopt;
    only = axis;
  }
  return only;
}

/// A part of the space, and the number of its own parts.
struct PartOfSpace {
  double size = 1.0;
  double parts = 0.0;
};

/// The parts of a cell have arms that differ in one parameter only. The squared difference of
/// neighbouring parts contributes to the variation of f in proportion to the cell's size.
Shares shares_of_cells(const std::vector<NodeView>& nodes, const Evidence& evidence,
                       std::size_t dimension) {
  const auto above = [](std::string_view path) { return path.substr(0, path.size() - 1); };
  std::unordered_map<std::string_view, PartOfSpace> cells;
  for (const NodeView& node : nodes) {
    if (!node.path.empty()) cells[above(node.path)].parts += 1.0;
  }
  const double noise = evidence.noise();
  Shares shares(dimension);
  for (std::size_t i = 1; i < nodes.size();
       ++i) {  // parents precede children, and siblings are adjacent
    const NodeView& right = nodes[i];
    const auto [size, parts] = cells[above(right.path)];
    cells[right.path].size = size / parts;
    const NodeView& left = nodes[i - 1];
    if (left.path.size() != right.path.size() || above(left.path) != above(right.path)) continue;
    const auto a = evidence.find(left.arm);
    const auto b = evidence.find(right.arm);
    if (!a || !b) continue;
    const double apart = evidence.mean(*a) - evidence.mean(*b);
    const double by_chance = noise / static_cast<double>(evidence.pulls(*a)) +
                             noise / static_cast<double>(evidence.pulls(*b));
    // May be negative: clipping at zero would bias the sum upwards.
    const double part = size / (parts - 1.0) * (apart * apart - by_chance);
    if (const auto axis = only_difference(left.arm, right.arm)) shares[*axis] += part;
  }
  for (double& share : shares) share = std::max(share, 0.0);
  return normalized(std::move(shares));
}

constexpr std::size_t kMostBins = 8;

/// Assigns arms to bins of about equal size by one coordinate, equal values to the same bin; or one
/// bin per value.
std::vector<std::size_t> bins_along(const std::vector<TriedArm>& arms, std::size_t axis,
                                    bool is_ordered) {
  std::map<double, std::size_t> values;
  for (const TriedArm& each : arms) ++values[each.arm[axis]];
  const std::size_t most =
      is_ordered ? std::min(kMostBins, std::max<std::size_t>(2, arms.size() / 5)) : values.size();
  std::map<double, std::size_t> bin_of;
  std::size_t before = 0;
  for (const auto& [value, count] : values) {
    bin_of[value] = is_ordered ? before * most / arms.size() : bin_of.size();
    before += count;
  }
  std::vector<std::size_t> bins(arms.size());
  for (std::size_t i = 0; i < bins.size(); ++i) bins[i] = bin_of[arms[i].arm[axis]];
  return bins;
}

/// The share of the variance of means that the bins explain, minus what is expected by chance
/// (omega squared).
double share_of_bins(const std::vector<TriedArm>& arms, const std::vector<std::size_t>& bins) {
  struct Bin {
    double count = 0.0;
    double sum = 0.0;
  };
  std::map<std::size_t, Bin> sums;
  double mean = 0.0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    sums[bins[i]].count += 1.0;
    sums[bins[i]].sum += arms[i].mean;
    mean += arms[i].mean / static_cast<double>(bins.size());
  }
  double all = 0.0;
  for (std::size_t i = 0; i < bins.size(); ++i) all += std::pow(arms[i].mean - mean, 2.0);
  double between = 0.0;
  for (const auto& [bin, each] : sums) {
    between += each.count * std::pow(each.sum / each.count - mean, 2.0);
  }
  const double freedom = static_cast<double>(bins.size()) - static_cast<double>(sums.size());
  if (!(freedom > 0.0) || !(all > 0.0)) return 0.0;
  const double within = std::max(0.0, all - between) / freedom;
  return std::max(0.0, between - (static_cast<double>(sums.size()) - 1.0) * within) / all;
}

Shares shares_of_arms(const Space& space, const std::vector<TriedArm>& arms) {
  Shares shares(space.dimension());
  for (std::size_t axis = 0; axis < shares.size(); ++axis) {
    const bool is_ordered = space.parameters()[axis].domain.is_ordered();
    shares[axis] = share_of_bins(arms, bins_along(arms, axis, is_ordered));
  }
  return normalized(std::move(shares));
}

// --- which knobs are significant -------------------------------------------------------------

/// Whether two arms that differ only in this coordinate have disjoint intervals. The intervals hold
/// for all arms simultaneously, so this is significant for any number of pairs.
bool differs_along(const std::vector<TriedArm>& arms, std::size_t axis) {
  struct Line {
    double highest_lower = -std::numeric_limits<double>::infinity();
    double lowest_upper = std::numeric_limits<double>::infinity();
  };
  std::map<std::vector<double>, Line> lines;
  for (const TriedArm& each : arms) {
    std::vector<double> others(each.arm.begin(), each.arm.end());
    others[axis] = 0.0;
    Line& line = lines[std::move(others)];
    line.highest_lower = std::max(line.highest_lower, each.interval.lower);
    line.lowest_upper = std::min(line.lowest_upper, each.interval.upper);
    if (line.highest_lower > line.lowest_upper) return true;
  }
  return false;
}

constexpr double kAlpha = 0.05;  // probability that any knob without effect is called significant
// Factor on the variance, because f is not exactly a sum of parabolas.
constexpr double kSafety = 2.0;
constexpr std::size_t kSpare = 8;   // minimum number of arms in excess of the columns
constexpr std::size_t kEnough = 4;  // arms per column required for parabolas instead of lines
constexpr std::size_t kMostColumns = 100;
constexpr int kRounds = 6;
constexpr double kRidge = 1e-9;

/// Models the means of arms as a sum of one function per knob: a parabola, a line if there are few
/// arms, or one number per value for unordered knobs.
struct SumOfKnobs {
  struct Columns {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::vector<Columns> knobs = {};
  std::size_t width = 1;  // the first column is the constant
  std::vector<double> rows = {};
};

SumOfKnobs columns_of(const Space& space, const std::vector<TriedArm>& arms, std::size_t degree) {
  SumOfKnobs sum;
  // For unordered parameters: all values but the first.
  std::vector<std::vector<double>> values(space.dimension());
  for (std::size_t axis = 0; axis < space.dimension(); ++axis) {
    std::size_t columns = degree;
    if (!space.parameters()[axis].domain.is_ordered()) {
      for (const TriedArm& each : arms) values[axis].push_back(each.arm[axis]);
      std::sort(values[axis].begin(), values[axis].end());
      values[axis].erase(std::unique(values[axis].begin(), values[axis].end()), values[axis].end());
      values[axis].erase(values[axis].begin());
      columns = values[axis].size();
    }
    sum.knobs.push_back({sum.width, sum.width + columns});
    sum.width += columns;
  }
  if (sum.width > kMostColumns) return sum;
  sum.rows.assign(arms.size() * sum.width, 0.0);
  std::vector<double> unit(space.dimension());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    double* row = sum.rows.data() + i * sum.width;
    row[0] = 1.0;
    space.to_unit_cube(arms[i].arm, unit);
    for (std::size_t axis = 0; axis < unit.size(); ++axis) {
      const auto [begin, end] = sum.knobs[axis];
      if (!space.parameters()[axis].domain.is_ordered()) {
        const auto place = std::find(values[axis].begin(), values[axis].end(), arms[i].arm[axis]);
        if (place != values[axis].end()) {
          row[begin + static_cast<std::size_t>(place - values[axis].begin())] = 1.0;
        }
        continue;
      }
      double power = 1.0;
      for (std::size_t column = begin; column < end; ++column) {
        power *= unit[axis] - 0.5;
        row[column] = power;
      }
    }
  }
  return sum;
}

/// The coefficients and their covariance. Variation that the sum does not explain is treated as
/// additional variance of every arm, so that a precisely known arm does not dominate.
struct Fit {
  std::vector<double> coefficients = {};
  std::vector<double> covariance = {};
};
std::optional<Fit> fitted(const SumOfKnobs& sum, const std::vector<TriedArm>& arms, double noise) {
  const std::size_t width = sum.width;
  Fit fit;
  double unexplained = 0.0;  // relative to the noise, like the weights
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> normal(width * width, 0.0);
    std::vector<double> right(width, 0.0);
    const auto weight = [&](std::size_t i) { return 1.0 / (1.0 / arms[i].pulls + unexplained); };
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const double* row = sum.rows.data() + i * width;
      const double w = weight(i);
      for (std::size_t a = 0; a < width; ++a) {
        if (row[a] == 0.0) continue;
        for (std::size_t b = 0; b < width; ++b) normal[a * width + b] += w * row[a] * row[b];
        right[a] += w * row[a] * arms[i].mean;
      }
    }
    // A ridge term, so that a knob with a single tried value does not make the matrix singular.
    for (std::size_t a = 0; a < width; ++a) normal[a * width + a] += kRidge * normal[0];
    if (!invert_positive(normal, width)) return std::nullopt;
    fit.coefficients.assign(width, 0.0);
    for (std::size_t a = 0; a < width; ++a) {
      for (std::size_t b = 0; b < width; ++b) {
        fit.coefficients[a] += normal[a * width + b] * right[b];
      }
    }
    for (double& each : normal) each *= noise;
    fit.covariance = std::move(normal);
    double misfit = 0.0;
    double weights = 0.0;
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const double* row = sum.rows.data() + i * width;
      const double error =
          arms[i].mean - std::inner_product(row, row + width, fit.coefficients.begin(), 0.0);
      misfit += weight(i) * error * error / noise;
      weights += weight(i);
    }
    const auto expected = static_cast<double>(arms.size() - width);
    unexplained = std::max(0.0, unexplained + (misfit - expected) / weights);
  }
  return fit;
}

/// The knobs without which the sum fits significantly worse (Wald test).
std::vector<bool> knobs_that_explain(const Space& space, const std::vector<TriedArm>& arms,
                                     double noise) {
  std::vector<bool> explain(space.dimension(), false);
  if (!(noise > 0.0)) return explain;
  SumOfKnobs sum = columns_of(space, arms, 2);
  if (arms.size() < kEnough * sum.width) sum = columns_of(space, arms, 1);
  if (sum.rows.empty() || arms.size() < sum.width + kSpare) return explain;
  const auto fit = fitted(sum, arms, noise);
  if (!fit) return explain;
  for (std::size_t axis = 0; axis < explain.size(); ++axis) {
    const auto [begin, end] = sum.knobs[axis];
    const std::size_t size = end - begin;
    if (size == 0) continue;
    std::vector<double> part(size * size);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) {
        part[a * size + b] = fit->covariance[(begin + a) * sum.width + begin + b];
      }
    }
    // Normalized to a unit diagonal, because rewards may have any unit.
    std::vector<double> scale(size);
    for (std::size_t a = 0; a < size; ++a) scale[a] = std::sqrt(part[a * size + a]);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) part[a * size + b] /= scale[a] * scale[b];
    }
    if (!invert_positive(part, size)) continue;
    double statistic = 0.0;
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) {
        statistic += fit->coefficients[begin + a] / scale[a] * part[a * size + b] *
                     fit->coefficients[begin + b] / scale[b];
      }
    }
    const double p_value = boost::math::cdf(
        complement(boost::math::chi_squared(static_cast<double>(size)), statistic / kSafety));
    explain[axis] = p_value < kAlpha / static_cast<double>(explain.size());
  }
  return explain;
}

}  // namespace

KnobEffects knob_effects(const StudySpecification& specification, Optimizer& optimizer) {
  const Space& space = specification.space;
  KnobEffects effects;
  Shares shares(space.dimension());
  const auto evidence = optimizer.evidence();
  const std::vector<TriedArm> arms =
      evidence ? best_known_arms(*evidence) : std::vector<TriedArm>();
  const auto learnt = optimizer.learnt();
  const TreeView* tree = optimizer.tree();
  if (!evidence || evidence->size() == 0) {
    effects.basis = "There are no rewards yet.";
  } else if (learnt && !learnt->shares.empty()) {
    shares = learnt->shares;
    effects.basis =
        "Shares of the variation of the mean reward over the search space, estimated by the model.";
  } else if (tree != nullptr) {
    shares = shares_of_cells(tree->nodes(), *evidence, space.dimension());
    effects.basis =
        "Shares of the variation of the mean reward over the search space: squared differences "
        "between the parts of cells, minus the contribution of noise.";
  } else {
    shares = shares_of_arms(space, arms);
    effects.basis =
        "Shares of the variation of the means of tried settings that each knob explains, minus "
        "what "
        "is expected by chance.";
  }
  for (std::size_t i = 0; i < shares.size(); ++i) effects.knobs.push_back({i, shares[i]});
  if (evidence) {
    const std::vector<bool> explain = knobs_that_explain(space, arms, evidence->noise());
    for (KnobEffect& knob : effects.knobs) {
      knob.clear = explain[knob.parameter] || differs_along(arms, knob.parameter);
    }
  }
  std::stable_sort(effects.knobs.begin(), effects.knobs.end(),
                   [](const KnobEffect& a, const KnobEffect& b) { return a.share > b.share; });
  return effects;
}

Document knobs_document(const StudySpecification& specification, Optimizer& optimizer) {
  const KnobEffects effects = knob_effects(specification, optimizer);
  Document::List knobs;
  for (const KnobEffect& knob : effects.knobs) {
    knobs.emplace_back(
        Document::Table{{"name", specification.space.parameters()[knob.parameter].name},
                        {"share", knob.share},
                        {"is_significant", knob.clear}});
  }
  return Document::Table{{"knobs", std::move(knobs)}, {"basis", effects.basis}};
}

}  // namespace canopy
