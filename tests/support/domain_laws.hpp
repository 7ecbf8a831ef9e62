#pragma once

#include "canopy/domain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include <rapidcheck.h>

namespace canopy::testing {

/// A random valid domain of the kind of the argument.
inline Real random_kind(const Real& /*kind*/) {
  if (*rc::gen::arbitrary<bool>()) {
    const double low = std::pow(10.0, *rc::gen::inRange(-300, 200) / 10.0);
    return {low, low * std::pow(10.0, *rc::gen::inRange(1, 100) / 10.0), Scale::log};
  }
  const double low = *rc::gen::inRange(-100'000, 100'000) / 1000.0;
  return {low, low + *rc::gen::inRange(1, 100'000) / 1000.0};
}

inline Integer random_kind(const Integer& /*kind*/) {
  const bool log = *rc::gen::arbitrary<bool>();
  const auto low = *rc::gen::inRange<std::int64_t>(log ? 1 : -1000, 1000);
  const auto width = *rc::gen::inRange<std::int64_t>(1, 300);
  const auto step = log ? 1 : *rc::gen::inRange<std::int64_t>(1, width + 1);
  return {low, low + width, log ? Scale::log : Scale::linear, step};
}

inline Choice random_kind(const Choice& /*kind*/) {
  Choice choice;
  const int values = *rc::gen::inRange(1, 30);
  for (int i = 0; i < values; ++i) choice.choices.push_back("value" + std::to_string(i));
  return choice;
}

template <class... Kinds>
Domain random_of(const std::variant<Kinds...>* /*kinds*/) {
  return *rc::gen::oneOf(rc::gen::exec([] { return Domain(random_kind(Kinds{})); })...);
}

/// A random valid domain of any kind.
inline Domain random_domain() {
  return random_of(static_cast<const Domain::Kinds*>(nullptr));
}

/// Checks that coordinates are increasing, different, and in the domain.
template <ParameterKind Kind>
void check_coordinates(const Kind& kind, const std::vector<double>& coordinates) {
  RC_ASSERT(!coordinates.empty());
  RC_ASSERT(std::is_sorted(coordinates.begin(), coordinates.end(), std::less_equal<>()));
  for (const double each : coordinates) RC_ASSERT(kind.contains(each));
}

/// Follows cells down to one that cannot be cut, or to a depth of 100.
template <ParameterKind Kind>
void check_cells(const Kind& kind) {
  const auto axis = kind.axis();
  auto [from, to] = axis->root();
  const auto wanted = *rc::gen::inRange<std::uint32_t>(2, CutAxis::kMostParts + 1);
  for (int depth = 0; depth < 100; ++depth) {
    const double arm = axis->coordinate(axis->middle(from, to));
    RC_ASSERT(kind.contains(arm));
    RC_ASSERT(axis->reach(from, to).half_side <= 0.5 + 1e-12);
    const std::uint32_t parts = axis->part_count(from, to, wanted);
    if (parts == 0) break;
    const CutAxis::PerPart ends = axis->equal_ends(from, to, parts);
    const auto chosen = *rc::gen::inRange<std::uint32_t>(0, parts);
    const double start = chosen == 0 ? from : axis->next_start(ends.at(chosen - 1));
    const double end = chosen + 1 == parts ? to : ends.at(chosen);
    RC_ASSERT(from <= start && start <= end && end <= to);
    from = start;
    to = end;
  }
}

/// Invariants of every kind of parameter.
template <ParameterKind Kind>
void check_laws(const Kind& kind) {
  RC_ASSERT(kind.violations().empty());
  RC_ASSERT(kind.measures_like(kind));
  const auto [first, last] = kind.ends();
  RC_ASSERT(kind.contains(first) && kind.contains(last) && first <= last);
  RC_ASSERT(!kind.contains(std::nextafter(last, HUGE_VAL)));
  RC_ASSERT((kind.spacing() == 0.0) == !kind.count().has_value());

  const double at = kind.at(*rc::gen::inRange(0, 1001) / 1000.0);
  RC_ASSERT(kind.contains(at));
  RC_ASSERT(kind.coordinate(kind.value(at)) == at);
  const double back = kind.at(kind.share(at));
  const double rounding = kind.count() ? 0.0 : 1e-9 * (last - first);
  RC_ASSERT(std::abs(back - at) <= rounding);

  const auto most = *rc::gen::inRange<std::uint64_t>(3, 400);
  const std::vector<double> grid = kind.grid(most);
  check_coordinates(kind, grid);
  RC_ASSERT(grid.size() <= most);
  if (kind.count() && *kind.count() <= most) RC_ASSERT(grid.size() == *kind.count());
  const std::vector<double> ticks = kind.ticks(most);
  check_coordinates(kind, ticks);
  RC_ASSERT(ticks.size() <= most);
  check_cells(kind);
}

template <class... Kinds>
void check_laws_of(const std::variant<Kinds...>* /*kinds*/) {
  (check_laws(random_kind(Kinds{})), ...);
}

}  // namespace canopy::testing
