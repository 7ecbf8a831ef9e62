#pragma once

#include "canopy/errors.hpp"
#include "canopy/hct.hpp"

#include "core/text.hpp"
#include "optimizers/enum_names.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace canopy {

/// The valid values of a number.
struct Range {
  std::string_view text;  ///< `in (0, 1)`, to follow "must be"
  bool (*contains)(double);
};

// Wide enough for anybody, narrow enough for squares and products to stay finite.
inline constexpr Range kPositive{"a number from 1e-50 to 1e50",
                                 [](double x) { return x >= 1e-50 && x <= 1e50; }};
inline constexpr Range kNotNegative{"a number from 0 to 1e50",
                                    [](double x) { return x >= 0.0 && x <= 1e50; }};
inline constexpr Range kOpenUnit{"in (0, 1)", [](double x) { return x > 0.0 && x < 1.0; }};
inline constexpr Range kNoRange{"", [](double) { return true; }};

/// What is to be known of an option beside its place in the struct.
struct Field {
  std::string_view name;
  std::string_view help;
  Range range = kNoRange;
};

/// The one list of HCT's options: study files, the command line and the checks all walk it. The
/// visitor is called with a Field and a reference to the member.
template <class Options, class Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"feedback", "how rewards of an arm relate: iid or correlated"}, options.feedback);
  visit({"mixing_time", "Gamma, correlated only: steps an arm's rewards take to settle",
         kNotNegative},
        options.mixing_time);
  visit({"preset", "defaults of nu1, rho, confidence_scale: practical or paper"}, options.preset);
  visit({"nu1", "f varies by at most nu1 rho^h in a cell at depth h", kPositive}, options.nu1);
  visit({"rho", "see nu1", kOpenUnit}, options.rho);
  visit({"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
  visit({"delta", "probability with which the bounds may fail", kOpenUnit}, options.delta);
  visit({"constants", "correlated only: main or supplement (a factor 3 or 6 in c)"},
        options.constants);
}

/// A visitor that collects what is out of range.
struct RangeCheck {
  std::vector<Violation>& found;

  void operator()(const Field& field, double value) const {
    if (field.range.contains(value)) return;
    found.push_back({"optimizer." + std::string(field.name), to_text(value),
                     "must be " + std::string(field.range.text)});
  }
  void operator()(const Field& field, const std::optional<double>& value) const {
    if (value) (*this)(field, *value);
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const Field& /*field*/, Enum /*value*/) const {}
};

}  // namespace canopy
