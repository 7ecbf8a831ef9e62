#include "core/domains/list_axis.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {
namespace {

/// Common base of both axes: whole numbers at equal distances.
class WholeAxis : public CutAxis {
 public:
  WholeAxis(std::int64_t first, std::int64_t last, std::int64_t step)
      : low_(static_cast<double>(first)), high_(static_cast<double>(last)), step_(step) {}

  [[nodiscard]] std::array<double, 2> root() const final { return {low_, high_}; }

  [[nodiscard]] std::uint32_t part_count(double from, double to, std::uint32_t wanted) const final {
    const double values = (to - from) / distance() + 1.0;
    return values < 2.0 ? 0 : static_cast<std::uint32_t>(std::min<double>(wanted, values));
  }

  [[nodiscard]] double next_start(double end) const final { return end + distance(); }

 protected:
  [[nodiscard]] double distance() const { return static_cast<double>(step_); }

  /// Converts the starts of parts to the ends of the parts before them, with at least one number in
  /// each part.
  [[nodiscard]] PerPart ends_before(PerPart starts, double from, double to,
                                    std::uint32_t parts) const {
    double least = from + distance();
    for (std::uint32_t i = 0; i + 1 < parts; ++i) {
      const double start = std::clamp(starts[i], least, to - distance() * (parts - 2.0 - i));
      starts[i] = start - distance();
      least = start + distance();
    }
    return starts;
  }

  double low_;
  double high_;
  std::int64_t step_;
};

class ListAxis final : public WholeAxis {
 public:
  using WholeAxis::WholeAxis;

  [[nodiscard]] PerPart equal_ends(double from, double to, std::uint32_t parts) const override {
    PerPart ends{};
    const auto first = static_cast<std::int64_t>(from);
    const std::int64_t values = (static_cast<std::int64_t>(to) - first) / step_ + 1;
    for (std::uint32_t i = 0; i + 1 < parts; ++i) {  // the number nearest to the fraction
      const std::int64_t taken =
          (2 * (std::int64_t{i} + 1) * values + parts) / (2 * std::int64_t{parts});
      ends[i] = static_cast<double>(first + (taken - 1) * step_);
    }
    return ends;
  }

  [[nodiscard]] PerPart ends_at(double from, double to, std::uint32_t parts,
                                const PerPart& shares) const override {
    const double values = (to - from) / distance() + 1.0;
    PerPart starts{};
    for (std::uint32_t i = 0; i + 1 < parts; ++i) {
      starts[i] = from + (1.0 + std::floor(shares[i] * (values - 1.0))) * distance();
    }
    return ends_before(starts, from, to, parts);
  }

  [[nodiscard]] double middle(double from, double to) const override {
    const auto first = static_cast<std::int64_t>(from);
    const std::int64_t steps = (static_cast<std::int64_t>(to) - first) / step_;
    const std::int64_t half = steps / 2;
    return static_cast<double>(first + half * step_);
  }

  [[nodiscard]] double relative_width(double from, double to) const override {
    return (to / 2.0 - from / 2.0) / (high_ / 2.0 - low_ / 2.0);
  }

  /// Each number is as wide as the distance between two neighbours.
  [[nodiscard]] Reach reach(double from, double to) const override {
    const double half = distance() / 2.0;
    const double whole = high_ / 2.0 - low_ / 2.0 + half;
    const double arm = (middle(from, to) / 2.0 - low_ / 2.0 + half / 2.0) / whole;
    return {arm, 0.5 * (to / 2.0 - from / 2.0 + half) / whole};
  }
};

class LogListAxis final : public WholeAxis {
 public:
  LogListAxis(std::int64_t first, std::int64_t last) : WholeAxis(first, last, 1) {}

  [[nodiscard]] PerPart equal_ends(double from, double to, std::uint32_t parts) const override {
    PerPart result{};
    if (parts == 2) {
      const double start = std::round(halfway(from, to));
      result[0] = std::clamp(start, from + 1.0, to) - 1.0;
      return result;
    }
    for (std::uint32_t i = 0; i + 1 < parts; ++i) {
      result[i] = static_cast<double>(i + 1) / parts;
    }
    return ends_at(from, to, parts, result);
  }

  [[nodiscard]] PerPart ends_at(double from, double to, std::uint32_t parts,
                                const PerPart& shares) const override {
    PerPart starts{};
    for (std::uint32_t i = 0; i + 1 < parts; ++i) {
      starts[i] = std::round(from * std::pow((to + 1.0) / from, shares[i]));
    }
    return ends_before(starts, from, to, parts);
  }

  [[nodiscard]] double middle(double from, double to) const override {
    return std::clamp(std::floor(halfway(from, to)), from, to);
  }

  [[nodiscard]] double relative_width(double from, double to) const override {
    return std::log1p((to - from + 1.0) / from) / log_of_whole();
  }

  [[nodiscard]] Reach reach(double from, double to) const override {
    return {std::log((middle(from, to) + 0.5) / low_) / log_of_whole(),
            0.5 * relative_width(from, to)};
  }

 private:
  /// Square roots are the same on every machine; logarithms are not.
  [[nodiscard]] static double halfway(double from, double to) {
    return std::sqrt(from * (to + 1.0));
  }

  [[nodiscard]] double log_of_whole() const { return std::log1p((high_ - low_ + 1.0) / low_); }
};

}  // namespace

std::shared_ptr<const CutAxis> list_axis(std::int64_t first, std::int64_t last, std::int64_t step) {
  return std::make_shared<ListAxis>(first, last, step);
}

std::shared_ptr<const CutAxis> log_list_axis(std::int64_t first, std::int64_t last) {
  return std::make_shared<LogListAxis>(first, last);
}

}  // namespace canopy
