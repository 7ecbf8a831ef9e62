#include "canopy/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

namespace canopy {
namespace {

/// Where the integers from..to are halved on a log scale, on which i is the part from log i to
/// log(i + 1). A square root is the same on every machine; logarithms are not.
double geometric_middle(double from, double to) {
  return std::sqrt(from * (to + 1.0));
}

}  // namespace

// A cell holds, for each axis, the lower end and then the upper end. Ends of whole numbers belong
// to the cell and are in the user's units; they are exact doubles, since a Space keeps them within
// +-2^53.

double BoxPartition::Axis::middle(double from, double to) const {
  if (kind == Kind::whole_log) {
    return std::clamp(std::floor(geometric_middle(from, to)), from, to);
  }
  if (kind != Kind::whole) return std::midpoint(from, to);
  const auto first = static_cast<std::int64_t>(from);
  const std::int64_t steps = (static_cast<std::int64_t>(to) - first) / step;
  const std::int64_t half = steps / 2;
  return static_cast<double>(first + half * step);
}

std::array<double, 2> BoxPartition::Axis::cut(double from, double to) const {
  if (kind == Kind::whole_log) {
    const double right = std::clamp(std::round(geometric_middle(from, to)), from + 1.0, to);
    return {right - 1.0, right};
  }
  const double mid = middle(from, to);
  return {mid, kind == Kind::whole ? mid + static_cast<double>(step) : mid};
}

double BoxPartition::Axis::in_user_units(double value) const {
  // Rounding in exp may step over an end of the range; the user never asked for such a value.
  return kind == Kind::log ? std::clamp(std::exp(value), lowest_arm, highest_arm) : value;
}

bool BoxPartition::Axis::can_split(double from, double to) const {
  if (is_whole()) return from < to;
  const double mid = middle(from, to);
  return from < mid && mid < to;
}

double BoxPartition::Axis::relative_width(double from, double to) const {
  if (kind == Kind::whole_log) {
    return std::log1p((to - from + 1.0) / from) / std::log1p((high - low + 1.0) / low);
  }
  // Halved first: the width of a very wide range may be too large for a double.
  return (to / 2.0 - from / 2.0) / (high / 2.0 - low / 2.0);
}

/// Of a value within the whole range, which goes from 0 to 1; whole numbers are as wide as their
/// distance.
double BoxPartition::Axis::relative_place(double value) const {
  if (kind == Kind::whole_log) {
    return std::log((value + 0.5) / low) / std::log1p((high - low + 1.0) / low);
  }
  const double width = kind == Kind::whole ? static_cast<double>(step) : 0.0;
  return (value / 2.0 - low / 2.0 + width / 4.0) / (high / 2.0 - low / 2.0 + width / 2.0);
}

BoxPartition::BoxPartition(const Space& space, SplitRule rule) : space_(space), rule_(rule) {
  const auto list = [](Kind kind, std::int64_t first, std::int64_t last) {
    const auto low = static_cast<double>(first);
    const auto high = static_cast<double>(last);
    return Axis{kind, low, high, low, high};
  };
  for (const Parameter& parameter : space.parameters()) {
    if (const auto* real = std::get_if<Real>(&parameter.domain)) {
      const bool log = real->scale == Scale::log;
      axes_.push_back({log ? Kind::log : Kind::linear, log ? std::log(real->low) : real->low,
                       log ? std::log(real->high) : real->high, real->low, real->high});
    } else if (const auto* integer = std::get_if<Integer>(&parameter.domain)) {
      const Kind kind = integer->scale == Scale::log ? Kind::whole_log : Kind::whole;
      axes_.push_back(list(kind, integer->low, integer->last()));
      axes_.back().step = integer->step;
    } else {
      const auto& choice = std::get<Choice>(parameter.domain);
      axes_.push_back(list(Kind::whole, 0, static_cast<std::int64_t>(choice.choices.size()) - 1));
      axes_.back().unordered = true;
    }
  }
}

void BoxPartition::root(std::span<double> cell) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    cell[2 * i] = axes_[i].low;
    cell[2 * i + 1] = axes_[i].high;
  }
}

std::size_t BoxPartition::choose_axis(std::span<const double> cell, std::uint32_t depth) const {
  std::size_t chosen = axes_.size();
  double longest = 0.0;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const std::size_t axis = rule_ == SplitRule::cyclic ? (depth + k) % axes_.size() : k;
    const double from = cell[2 * axis];
    const double to = cell[2 * axis + 1];
    if (!axes_[axis].can_split(from, to)) continue;
    if (rule_ == SplitRule::cyclic) return axis;
    const double width = axes_[axis].relative_width(from, to);
    if (chosen == axes_.size() || width > longest) {
      longest = width;
      chosen = axis;
    }
  }
  return chosen;
}

bool BoxPartition::split(std::span<const double> cell, std::uint32_t depth,
                         std::span<double> parts) const {
  const std::size_t axis = choose_axis(cell, depth);
  if (axis == axes_.size()) return false;
  const std::span<double> left = parts.first(cell.size());
  const std::span<double> right = parts.last(cell.size());
  std::copy(cell.begin(), cell.end(), left.begin());
  std::copy(cell.begin(), cell.end(), right.begin());
  const auto [left_end, right_start] = axes_[axis].cut(cell[2 * axis], cell[2 * axis + 1]);
  left[2 * axis + 1] = left_end;
  right[2 * axis] = right_start;
  return true;
}

void BoxPartition::arm(std::span<const double> cell, std::span<double> arm) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    arm[i] = axes_[i].in_user_units(axes_[i].middle(cell[2 * i], cell[2 * i + 1]));
  }
}

Extent BoxPartition::extent(std::span<const double> cell) const {
  bool one_arm = true;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const bool single = cell[2 * i] == cell[2 * i + 1];
    if (!single && axes_[i].unordered) return Extent::unordered;
    one_arm = one_arm && single;
  }
  return one_arm ? Extent::one_arm : Extent::shrinks;
}

bool BoxPartition::holds(std::span<const double> cell, Arm arm) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const double value = axes_[i].kind == Kind::log ? std::log(arm[i]) : arm[i];
    if (value < cell[2 * i] || value > cell[2 * i + 1]) return false;
  }
  return true;
}

std::optional<Partition::Reach> BoxPartition::reach(std::span<const double> cell,
                                                    std::size_t axis) const {
  const Axis& along = axes_[axis];
  const double from = cell[2 * axis];
  const double to = cell[2 * axis + 1];
  const double arm = along.relative_place(along.middle(from, to));
  if (along.kind == Kind::whole_log) return Reach{arm, 0.5 * along.relative_width(from, to)};
  const double width = along.kind == Kind::whole ? static_cast<double>(along.step) : 0.0;
  const double side = to / 2.0 - from / 2.0 + width / 2.0;
  return Reach{arm, 0.5 * side / (along.high / 2.0 - along.low / 2.0 + width / 2.0)};
}

std::array<double, 2> BoxPartition::side(std::span<const double> cell, std::size_t axis) const {
  return {axes_[axis].in_user_units(cell[2 * axis]), axes_[axis].in_user_units(cell[2 * axis + 1])};
}

}  // namespace canopy
