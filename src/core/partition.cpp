#include "canopy/partition.hpp"

#include "canopy/errors.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

namespace canopy {
namespace {

/// Where the integers from..to are halved on a log scale, on which i is the part from log i to
/// log(i + 1). A square root is the same on every machine; logarithms are not.
double geometric_middle(double from, double to) {
  return std::sqrt(from * (to + 1.0));
}

/// The number to the right of that share of the integers from..to on a log scale.
double geometric_start(double from, double to, double share) {
  return std::round(from * std::pow((to + 1.0) / from, share));
}

/// The other end of a part that begins at `from` and has this middle, bit for bit: rounding may be
/// off by little. None if there is no such end.
std::optional<double> end_around(double from, double middle) {
  double above = middle + (middle - from);
  double below = above;
  for (int i = 0; i < 4; ++i) {
    if (std::midpoint(from, above) == middle) return above;
    if (std::midpoint(from, below) == middle) return below;
    above = std::nextafter(above, HUGE_VAL);
    below = std::nextafter(below, -HUGE_VAL);
  }
  return std::nullopt;
}

/// Moves the ends of a part by a few bits, so that it has this middle; it is there but for the last
/// bit. Of a million parts, about two are left as they are.
void centre(double& from, double& to, double middle) {
  double above = from;
  double below = from;
  for (int i = 0; i < 8; ++i) {
    for (const double start : {above, below}) {
      if (const auto end = end_around(start, middle)) {
        from = start;
        to = *end;
        return;
      }
    }
    above = std::nextafter(above, HUGE_VAL);
    below = std::nextafter(below, -HUGE_VAL);
  }
}

/// One step of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014): what is drawn for a cell depends on the seed and the cell alone.
std::uint64_t scrambled(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

std::uint64_t hash_of(std::uint64_t seed, std::span<const double> cell) {
  std::uint64_t hash = scrambled(seed);
  for (const double end : cell) hash = scrambled(hash ^ std::bit_cast<std::uint64_t>(end));
  return hash;
}

/// In [0, 1), a multiple of 2^-53.
double uniform_from(std::uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

/// Whole numbers from a text that is nothing else.
template <class Whole>
std::optional<Whole> whole_from(std::string_view text) {
  Whole whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return whole;
}

bool is_part_count(std::uint32_t parts) {
  return parts >= 2 && parts <= Partition::kMostParts;
}

/// How many parts there are of a cell of so many sides.
std::uint32_t arity_of(const PartitionRule& rule, std::size_t dimension) {
  const auto refuse = [&](std::string expected) {
    throw ConfigurationError({{"optimizer.partition", text_of(rule), std::move(expected)}});
  };
  const std::uint32_t parts = rule.parts.value_or(2);
  if (!is_part_count(parts)) refuse("must have 2 to 10 parts");
  if (rule.split != SplitRule::every_side) return parts;
  if (parts != 2) refuse("must have no number of parts: every side is halved");
  if (dimension > 3) {
    refuse("must be another one: with " + std::to_string(dimension) +
           " parameters there are more than 10 parts");
  }
  return 1U << dimension;
}

}  // namespace

std::uint32_t checked_arity(const Partition& partition, std::uint32_t wanted) {
  const std::uint32_t arity = partition.arity();
  if (wanted == 0 ? is_part_count(arity) : arity == wanted) return arity;
  const std::string needs = wanted == 0 ? "2 to 10" : std::to_string(wanted);
  throw ConfigurationError(
      {{"optimizer.partition", "",
        "this algorithm needs " + needs + " parts of a cell, there are " + std::to_string(arity)}});
}

std::string text_of(const PartitionRule& rule) {
  std::string text(name_of(rule.split));
  if (rule.parts) text += "/" + std::to_string(*rule.parts);
  if (rule.seed != PartitionRule().seed) text += "@" + std::to_string(rule.seed);
  return text;
}

std::optional<PartitionRule> partition_rule_from(std::string_view text) {
  PartitionRule rule;
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    const auto seed = whole_from<std::uint64_t>(text.substr(at + 1));
    if (!seed) return std::nullopt;
    rule.seed = *seed;
    text = text.substr(0, at);
  }
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    rule.parts = whole_from<std::uint32_t>(text.substr(slash + 1));
    if (!rule.parts || !is_part_count(*rule.parts)) return std::nullopt;
    text = text.substr(0, slash);
  }
  const auto split = value_named<SplitRule>(text);
  if (!split) return std::nullopt;
  rule.split = *split;
  return rule;
}

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

std::uint32_t BoxPartition::Axis::part_count(double from, double to, std::uint32_t wanted) const {
  if (is_whole()) {
    const double values = (to - from) / static_cast<double>(step) + 1.0;
    return values < 2.0 ? 0 : static_cast<std::uint32_t>(std::min<double>(wanted, values));
  }
  const Ends ends = equal_ends(from, to, wanted);
  double before = from;
  for (std::uint32_t i = 0; i + 1 < wanted; ++i) {
    if (!(before < ends[i])) return 0;
    before = ends[i];
  }
  return before < to ? wanted : 0;
}

BoxPartition::Ends BoxPartition::Axis::equal_ends(double from, double to,
                                                  std::uint32_t parts) const {
  Ends ends{};
  const auto share = [&](std::uint32_t i) { return static_cast<double>(i + 1) / parts; };
  if (kind == Kind::whole) {
    const auto first = static_cast<std::int64_t>(from);
    const std::int64_t values = (static_cast<std::int64_t>(to) - first) / step + 1;
    for (std::uint32_t i = 0; i + 1 < parts; ++i) {  // the number that is nearest to the share
      const std::int64_t taken =
          (2 * (std::int64_t{i} + 1) * values + parts) / (2 * std::int64_t{parts});
      ends[i] = static_cast<double>(first + (taken - 1) * step);
    }
  } else if (parts == 2) {
    const double middle =
        kind == Kind::whole_log ? std::round(geometric_middle(from, to)) : std::midpoint(from, to);
    ends[0] = kind == Kind::whole_log ? std::clamp(middle, from + 1.0, to) - 1.0 : middle;
  } else if (kind == Kind::whole_log) {
    for (std::uint32_t i = 0; i + 1 < parts; ++i) ends[i] = geometric_start(from, to, share(i));
    ends = as_ends_of_integers(ends, from, to, parts);
  } else {
    for (std::uint32_t i = 0; i + 1 < parts; ++i) ends[i] = std::lerp(from, to, share(i));
    const std::uint32_t half = parts / 2;
    if (parts % 2 == 1) centre(ends[half - 1], ends[half], std::midpoint(from, to));
  }
  return ends;
}

BoxPartition::Ends BoxPartition::Axis::random_ends(double from, double to, std::uint32_t parts,
                                                   std::uint64_t seed) const {
  Ends shares{};
  for (std::uint32_t i = 0; i + 1 < parts; ++i) shares[i] = uniform_from(seed = scrambled(seed));
  std::sort(shares.begin(), shares.begin() + (parts - 1));
  Ends ends{};
  const double values = (to - from) / static_cast<double>(step) + 1.0;
  bool increase = true;
  for (std::uint32_t i = 0; i + 1 < parts; ++i) {
    if (kind == Kind::whole) {
      ends[i] = from + (1.0 + std::floor(shares[i] * (values - 1.0))) * static_cast<double>(step);
    } else if (kind == Kind::whole_log) {
      ends[i] = geometric_start(from, to, shares[i]);
    } else {
      ends[i] = std::lerp(from, to, shares[i]);
      increase = increase && (i == 0 ? from : ends[i - 1]) < ends[i] && ends[i] < to;
    }
  }
  if (is_whole()) return as_ends_of_integers(ends, from, to, parts);
  return increase ? ends : equal_ends(from, to, parts);
}

/// From where parts of a list begin, to where those before them end: each has a value at least.
BoxPartition::Ends BoxPartition::Axis::as_ends_of_integers(Ends starts, double from, double to,
                                                           std::uint32_t parts) const {
  const auto distance = static_cast<double>(step);
  double least = from + distance;
  for (std::uint32_t i = 0; i + 1 < parts; ++i) {
    const double start = std::clamp(starts[i], least, to - distance * (parts - 2.0 - i));
    starts[i] = start - distance;
    least = start + distance;
  }
  return starts;
}

double BoxPartition::Axis::next_start(double end) const {
  return is_whole() ? end + static_cast<double>(step) : end;
}

double BoxPartition::Axis::in_user_units(double value) const {
  // Rounding in exp may step over an end of the range; the user never asked for such a value.
  return kind == Kind::log ? std::clamp(std::exp(value), lowest_arm, highest_arm) : value;
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

BoxPartition::BoxPartition(const Space& space, const PartitionRule& rule)
    : space_(space),
      rule_(rule),
      side_parts_(rule.parts.value_or(2)),
      arity_(arity_of(rule, space.dimension())) {
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

bool BoxPartition::can_cut(std::span<const double> cell, std::size_t axis) const {
  return axes_[axis].part_count(cell[2 * axis], cell[2 * axis + 1], side_parts_) != 0;
}

std::size_t BoxPartition::choose_axis(std::span<const double> cell, std::uint32_t depth) const {
  std::size_t chosen = axes_.size();
  double longest = 0.0;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const std::size_t axis = rule_.split == SplitRule::cyclic ? (depth + k) % axes_.size() : k;
    if (!can_cut(cell, axis)) continue;
    if (rule_.split == SplitRule::cyclic) return axis;
    const double width = axes_[axis].relative_width(cell[2 * axis], cell[2 * axis + 1]);
    if (chosen == axes_.size() || width > longest) {
      longest = width;
      chosen = axis;
    }
  }
  return chosen;
}

std::size_t BoxPartition::random_axis(std::span<const double> cell, std::uint64_t seed) const {
  std::size_t chosen = axes_.size();
  std::uint32_t seen = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (!can_cut(cell, axis)) continue;
    ++seen;  // the last of these is the one with probability 1 / seen
    seed = scrambled(seed);
    if (uniform_from(seed) * seen < 1.0) chosen = axis;
  }
  return chosen;
}

std::uint32_t BoxPartition::cut(std::span<const double> cell, std::uint32_t depth,
                                std::span<double> parts) const {
  if (rule_.split == SplitRule::every_side) return halve_every_side(cell, parts);
  const bool random = rule_.split == SplitRule::random_side || rule_.split == SplitRule::random_cut;
  const std::uint64_t hash = random ? hash_of(rule_.seed, cell) : 0;
  const std::size_t axis = random ? random_axis(cell, hash) : choose_axis(cell, depth);
  if (axis == axes_.size()) return 0;
  const double from = cell[2 * axis];
  const double to = cell[2 * axis + 1];
  const std::uint32_t count = axes_[axis].part_count(from, to, side_parts_);
  const Ends ends = rule_.split == SplitRule::random_cut
                        ? axes_[axis].random_ends(from, to, count, ~hash)
                        : axes_[axis].equal_ends(from, to, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::span<double> part = parts.subspan(i * cell.size(), cell.size());
    std::copy(cell.begin(), cell.end(), part.begin());
    if (i > 0) part[2 * axis] = axes_[axis].next_start(ends[i - 1]);
    if (i + 1 < count) part[2 * axis + 1] = ends[i];
  }
  return count;
}

/// The part with number i has the right half of the k-th side that can be cut if bit k of i is set.
std::uint32_t BoxPartition::halve_every_side(std::span<const double> cell,
                                             std::span<double> parts) const {
  std::copy(cell.begin(), cell.end(), parts.begin());
  std::uint32_t count = 1;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (!can_cut(cell, axis)) continue;
    const double end = axes_[axis].equal_ends(cell[2 * axis], cell[2 * axis + 1], 2)[0];
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::span<double> left = parts.subspan(i * cell.size(), cell.size());
      const std::span<double> right = parts.subspan((count + i) * cell.size(), cell.size());
      std::copy(left.begin(), left.end(), right.begin());
      left[2 * axis + 1] = end;
      right[2 * axis] = axes_[axis].next_start(end);
    }
    count *= 2;
  }
  return count == 1 ? 0 : count;
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
