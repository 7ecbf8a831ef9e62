#include "canopy/domains/real.hpp"

#include "core/domains/points.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace canopy {
namespace {

/// The end of an interval that begins at `from` and has exactly this middle, correcting for
/// rounding. None if there is no such double.
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

/// Moves the ends of a part by a few bits, so that its middle, which differs from `middle` only in
/// the last bit, is exactly `middle`. About two parts in a million cannot be adjusted.
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

/// An interval, cut in the units of its numbers.
class IntervalAxis : public CutAxis {
 public:
  IntervalAxis(double low, double high) : low_(low), high_(high) {}

  [[nodiscard]] std::array<double, 2> root() const final { return {low_, high_}; }

  /// As many as wanted, unless rounding would make one of them empty.
  [[nodiscard]] std::uint32_t part_count(double from, double to, std::uint32_t wanted) const final {
    return do_increase(from, to, wanted, equal_ends(from, to, wanted)) ? wanted : 0;
  }

  [[nodiscard]] PerPart equal_ends(double from, double to, std::uint32_t parts) const final {
    PerPart ends{};
    if (parts == 2) {
      ends[0] = std::midpoint(from, to);
      return ends;
    }
    for (std::uint32_t i = 0; i + 1 < parts; ++i) {
      ends[i] = std::lerp(from, to, static_cast<double>(i + 1) / parts);
    }
    const std::uint32_t half = parts / 2;
    if (parts % 2 == 1) centre(ends[half - 1], ends[half], std::midpoint(from, to));
    return ends;
  }

  [[nodiscard]] PerPart ends_at(double from, double to, std::uint32_t parts,
                                const PerPart& shares) const final {
    PerPart ends{};
    for (std::uint32_t i = 0; i + 1 < parts; ++i) ends[i] = std::lerp(from, to, shares[i]);
    return do_increase(from, to, parts, ends) ? ends : equal_ends(from, to, parts);
  }

  [[nodiscard]] double next_start(double end) const final { return end; }
  [[nodiscard]] double middle(double from, double to) const final {
    return std::midpoint(from, to);
  }

  // Halve first: the width of a very wide range may overflow.
  [[nodiscard]] double relative_width(double from, double to) const final {
    return (to / 2.0 - from / 2.0) / (high_ / 2.0 - low_ / 2.0);
  }
  [[nodiscard]] Reach reach(double from, double to) const final {
    const double arm = (middle(from, to) / 2.0 - low_ / 2.0) / (high_ / 2.0 - low_ / 2.0);
    return {arm, 0.5 * (to / 2.0 - from / 2.0) / (high_ / 2.0 - low_ / 2.0)};
  }

 private:
  [[nodiscard]] static bool do_increase(double from, double to, std::uint32_t parts,
                                        const PerPart& ends) {
    double before = from;
    for (std::uint32_t i = 0; i + 1 < parts; ++i) {
      if (!(before < ends[i])) return false;
      before = ends[i];
    }
    return before < to;
  }

  double low_;
  double high_;
};

/// An interval, cut in log units.
class LogIntervalAxis final : public IntervalAxis {
 public:
  LogIntervalAxis(double low, double high)
      : IntervalAxis(std::log(low), std::log(high)), lowest_(low), highest_(high) {}

  // Rounding in exp may go beyond an end of the range, which must not be exceeded.
  [[nodiscard]] double coordinate(double place) const override {
    return std::clamp(std::exp(place), lowest_, highest_);
  }
  [[nodiscard]] double place(double coordinate) const override { return std::log(coordinate); }

 private:
  double lowest_;
  double highest_;
};

}  // namespace

std::vector<Violation> Real::violations() const {
  std::vector<Violation> found;
  const bool low_finite = std::isfinite(low);
  const bool high_finite = std::isfinite(high);
  if (!low_finite) found.push_back({"low", to_text(low), "must be finite"});
  if (!high_finite) found.push_back({"high", to_text(high), "must be finite"});
  if (low_finite && high_finite && !(low < high)) {
    found.push_back({"low", to_text(low), "must be below high = " + to_text(high)});
  }
  if (scale == Scale::log && low_finite && !(low > 0.0)) {
    found.push_back({"low", to_text(low), "must be above 0 on a log scale"});
  }
  return found;
}

bool Real::contains(double coordinate) const {
  return coordinate >= low && coordinate <= high;
}

std::optional<double> Real::coordinate(const Value& value) const {
  std::optional<double> number;
  if (const auto* real = std::get_if<double>(&value)) number = *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) number = exact_double(*whole);
  return number && contains(*number) ? number : std::nullopt;
}

double Real::at(double share) const {
  const double value = scale == Scale::log
                           ? std::exp(std::lerp(std::log(low), std::log(high), share))
                           : std::lerp(low, high, share);
  return std::clamp(value, low, high);
}

double Real::share(double coordinate) const {
  // Halve first: the width of a very wide range may overflow.
  const double share =
      scale == Scale::log
          ? (std::log(coordinate) - std::log(low)) / (std::log(high) - std::log(low))
          : (coordinate / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
  return std::clamp(share, 0.0, 1.0);
}

std::shared_ptr<const CutAxis> Real::axis() const {
  if (scale == Scale::log) return std::make_shared<LogIntervalAxis>(low, high);
  return std::make_shared<IntervalAxis>(low, high);
}

std::vector<double> Real::grid(std::uint64_t points) const {
  return middles(*this, points);
}

std::vector<double> Real::ticks(std::size_t most) const {
  return scale == Scale::log ? powers_of_ten(low, high, most) : round_numbers(low, high, most);
}

std::string Real::text(double coordinate) const {
  // A difference of a hundred-thousandth of the range is negligible.
  return scale == Scale::log ? significant_text(coordinate, 5)
                             : rounded_text(coordinate, 1e-5 * (high - low));
}

std::string Real::description() const {
  return "a number from " + to_text(low) + " to " + to_text(high) +
         (scale == Scale::log ? " on a log scale" : "");
}

}  // namespace canopy
