#include "canopy/partition.hpp"

#include "canopy/errors.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <utility>

namespace canopy {
namespace {

/// One step of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014): random cuts of a cell depend only on the seed and the cell.
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

/// A number in [0, 1), a multiple of 2^-53.
double uniform_from(std::uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

/// Parses a text that is a whole number and nothing else.
template <class Whole>
std::optional<Whole> whole_from(std::string_view text) {
  Whole whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return whole;
}

/// The upper ends of all parts but the last, for a random cut.
CutAxis::PerPart random_ends(const CutAxis& axis, double from, double to, std::uint32_t parts,
                             std::uint64_t seed) {
  CutAxis::PerPart shares{};
  for (std::uint32_t i = 0; i + 1 < parts; ++i) shares[i] = uniform_from(seed = scrambled(seed));
  std::sort(shares.begin(), shares.begin() + (parts - 1));
  return axis.ends_at(from, to, parts, shares);
}

bool is_part_count(std::uint32_t parts) {
  return parts >= 2 && parts <= Partition::kMostParts;
}

/// The number of parts of a cell of a box with `dimension` sides.
std::uint32_t arity_of(const PartitionRule& rule, std::size_t dimension) {
  const auto refuse = [&](std::string expected) {
    throw ConfigurationError({{"optimizer.partition", text_of(rule), std::move(expected)}});
  };
  const std::uint32_t parts = rule.parts.value_or(2);
  if (!is_part_count(parts)) refuse("the number of parts must be 2 to 10");
  if (rule.split != SplitRule::every_side) return parts;
  if (parts != 2) refuse("must not have a number of parts: every_side halves every side");
  if (dimension > 3) {
    refuse("cannot be used here: with " + std::to_string(dimension) +
           " parameters it makes more than 10 parts");
  }
  return 1U << dimension;
}

}  // namespace

std::uint32_t checked_arity(const Partition& partition, std::uint32_t wanted) {
  const std::uint32_t arity = partition.arity();
  if (wanted == 0 ? is_part_count(arity) : arity == wanted) return arity;
  const std::string needs = wanted == 0 ? "2 to 10" : std::to_string(wanted);
  throw ConfigurationError({{"optimizer.partition", "",
                             "this algorithm needs cells with " + needs +
                                 " parts, the partition makes " + std::to_string(arity)}});
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

// For each axis, a cell has the lower and then the upper end of its side.

BoxPartition::BoxPartition(const Space& space, const PartitionRule& rule)
    : space_(space),
      rule_(rule),
      side_parts_(rule.parts.value_or(2)),
      arity_(arity_of(rule, space.dimension())) {
  for (const Parameter& parameter : space.parameters()) {
    sides_.push_back({parameter.domain.axis(), parameter.domain.is_ordered()});
  }
}

void BoxPartition::root(std::span<double> cell) const {
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const auto [low, high] = sides_[i].axis->root();
    cell[2 * i] = low;
    cell[2 * i + 1] = high;
  }
}

bool BoxPartition::can_cut(std::span<const double> cell, std::size_t axis) const {
  return sides_[axis].axis->part_count(cell[2 * axis], cell[2 * axis + 1], side_parts_) != 0;
}

std::size_t BoxPartition::choose_axis(std::span<const double> cell, std::uint32_t depth) const {
  std::size_t chosen = sides_.size();
  double longest = 0.0;
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    const std::size_t axis = rule_.split == SplitRule::cyclic ? (depth + k) % sides_.size() : k;
    if (!can_cut(cell, axis)) continue;
    if (rule_.split == SplitRule::cyclic) return axis;
    const double width = sides_[axis].axis->relative_width(cell[2 * axis], cell[2 * axis + 1]);
    if (chosen == sides_.size() || width > longest) {
      longest = width;
      chosen = axis;
    }
  }
  return chosen;
}

std::size_t BoxPartition::random_axis(std::span<const double> cell, std::uint64_t seed) const {
  std::size_t chosen = sides_.size();
  std::uint32_t seen = 0;
  for (std::size_t axis = 0; axis < sides_.size(); ++axis) {
    if (!can_cut(cell, axis)) continue;
    ++seen;  // reservoir sampling: keep this one with probability 1 / seen
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
  if (axis == sides_.size()) return 0;
  const CutAxis& along = *sides_[axis].axis;
  const double from = cell[2 * axis];
  const double to = cell[2 * axis + 1];
  const std::uint32_t count = along.part_count(from, to, side_parts_);
  const CutAxis::PerPart ends = rule_.split == SplitRule::random_cut
                                    ? random_ends(along, from, to, count, ~hash)
                                    : along.equal_ends(from, to, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::span<double> part = parts.subspan(i * cell.size(), cell.size());
    std::copy(cell.begin(), cell.end(), part.begin());
    if (i > 0) part[2 * axis] = along.next_start(ends[i - 1]);
    if (i + 1 < count) part[2 * axis + 1] = ends[i];
  }
  return count;
}

/// Part i has the right half of the k-th side that can be cut if bit k of i is set.
std::uint32_t BoxPartition::halve_every_side(std::span<const double> cell,
                                             std::span<double> parts) const {
  std::copy(cell.begin(), cell.end(), parts.begin());
  std::uint32_t count = 1;
  for (std::size_t axis = 0; axis < sides_.size(); ++axis) {
    if (!can_cut(cell, axis)) continue;
    const CutAxis& along = *sides_[axis].axis;
    const double end = along.equal_ends(cell[2 * axis], cell[2 * axis + 1], 2)[0];
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::span<double> left = parts.subspan(i * cell.size(), cell.size());
      const std::span<double> right = parts.subspan((count + i) * cell.size(), cell.size());
      std::copy(left.begin(), left.end(), right.begin());
      left[2 * axis + 1] = end;
      right[2 * axis] = along.next_start(end);
    }
    count *= 2;
  }
  return count == 1 ? 0 : count;
}

void BoxPartition::arm(std::span<const double> cell, std::span<double> arm) const {
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const CutAxis& along = *sides_[i].axis;
    arm[i] = along.coordinate(along.middle(cell[2 * i], cell[2 * i + 1]));
  }
}

Extent BoxPartition::extent(std::span<const double> cell) const {
  bool one_arm = true;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const bool single = cell[2 * i] == cell[2 * i + 1];
    if (!single && !sides_[i].ordered) return Extent::unordered;
    one_arm = one_arm && single;
  }
  return one_arm ? Extent::one_arm : Extent::shrinks;
}

bool BoxPartition::holds(std::span<const double> cell, Arm arm) const {
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const double value = sides_[i].axis->place(arm[i]);
    if (value < cell[2 * i] || value > cell[2 * i + 1]) return false;
  }
  return true;
}

std::optional<Partition::Reach> BoxPartition::reach(std::span<const double> cell,
                                                    std::size_t axis) const {
  return sides_[axis].axis->reach(cell[2 * axis], cell[2 * axis + 1]);
}

std::array<double, 2> BoxPartition::side(std::span<const double> cell, std::size_t axis) const {
  const CutAxis& along = *sides_[axis].axis;
  return {along.coordinate(cell[2 * axis]), along.coordinate(cell[2 * axis + 1])};
}

}  // namespace canopy
