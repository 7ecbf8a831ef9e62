#pragma once

#include "canopy/domain.hpp"
#include "canopy/space.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace canopy {

/// A variable that is observed before an arm is chosen: the load, the hour, the size of a request,
/// the tenant.
struct ContextVariable {
  std::string name;
  Domain domain;

  /// Values that differ by a multiple of `period` are equal: with 24, the hours 0 and 24. 0: not
  /// periodic. The domain is then Real{0, period}.
  double period = 0.0;

  friend bool operator==(const ContextVariable&, const ContextVariable&) = default;
};

/// One coordinate (see Domain) per variable, in the order of the variables.
using Context = std::span<const double>;

/// The bin of each variable that a context is in, packed in one number.
using ContextBins = std::uint32_t;

/// A set of bins of one variable: bit b is bin b.
using BinSet = std::uint64_t;

/// The variables that are observed. Each is divided into up to 64 bins: equal parts of a real's
/// range (in log units on a log scale), one bin for each value of a list, or 64 runs of a longer
/// list. Contexts in the same bins are treated as the same. Immutable.
class ContextSpace {
 public:
  static constexpr std::size_t kMostVariables = 3;
  static constexpr std::size_t kMostBins = 64;

  /// No variable is observed.
  ContextSpace() = default;

  /// Throws ConfigurationError for more than three variables, an empty or repeated name, a domain
  /// with violations, or a period that does not fit the domain.
  explicit ContextSpace(std::vector<ContextVariable> variables);

  [[nodiscard]] bool empty() const { return variables_.empty(); }
  [[nodiscard]] std::size_t size() const { return variables_.size(); }
  [[nodiscard]] const std::vector<ContextVariable>& variables() const { return variables_; }
  [[nodiscard]] const ContextVariable& operator[](std::size_t index) const {
    return variables_[index];
  }

  /// Brings a coordinate into its variable's domain: reduced by the period, else moved to the
  /// nearest end. Throws ConfigurationError if it is not finite, or is not a value of the list.
  [[nodiscard]] double within(std::size_t variable, double coordinate) const;

  /// Brings all coordinates into their domains; sets `moved` if one was outside.
  [[nodiscard]] std::vector<double> within(Context context, bool& moved) const;

  [[nodiscard]] std::size_t bin_count(std::size_t variable) const { return bins_[variable]; }

  /// Whether each bin of a variable is a single value of a list.
  [[nodiscard]] bool has_bin_per_value(std::size_t variable) const;

  /// The variables as parameters, for reading and printing contexts in the same way as arms.
  [[nodiscard]] std::vector<Parameter> parameters() const;

  /// The bins of a context whose coordinates are all in their domains.
  [[nodiscard]] ContextBins bins_of(Context context) const;

  /// Whether `bins` is a valid combination of bins of these variables.
  [[nodiscard]] bool has(ContextBins bins) const;

  /// The bin of one variable.
  [[nodiscard]] static std::size_t bin(ContextBins bins, std::size_t variable) {
    return (bins >> (kBits * variable)) % kMostBins;
  }

  /// Every bin of a variable.
  [[nodiscard]] BinSet all_bins(std::size_t variable) const {
    return bins_[variable] == kMostBins ? ~BinSet{0} : (BinSet{1} << bins_[variable]) - 1;
  }

  /// For a list: the first and the last value in a bin; on a log scale a bin may be empty, and then
  /// the first is the value after the last. For a real: the first number in a bin, and the first
  /// number after the bin or the end of the range.
  [[nodiscard]] std::array<double, 2> ends(std::size_t variable, std::size_t bin) const;

  /// All values of a list that are in some bins.
  [[nodiscard]] std::vector<double> values_in(std::size_t variable, BinSet bins) const;

  /// The context as text: `load = 0.25, tenant = small`.
  [[nodiscard]] std::string describe(Context context) const;

  friend bool operator==(const ContextSpace&, const ContextSpace&) = default;

 private:
  static constexpr std::size_t kBits = 6;

  [[nodiscard]] std::size_t bin_at(std::size_t variable, double coordinate) const;
  [[nodiscard]] double value_at(std::size_t variable, std::size_t index) const;
  [[nodiscard]] std::size_t first_value_of(std::size_t variable, std::size_t bin) const;
  [[nodiscard]] double border(std::size_t variable, std::size_t bin) const;

  std::vector<ContextVariable> variables_;
  std::array<std::size_t, kMostVariables> bins_{};
};

}  // namespace canopy
