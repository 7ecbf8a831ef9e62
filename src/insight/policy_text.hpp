#pragma once
// Descriptions of a policy.

#include "canopy/context.hpp"
#include "canopy/policy.hpp"
#include "canopy/study_specification.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// The extent of a region along one variable: `8 to 17.25`, `3`, `a, c`; `all`.
[[nodiscard]] std::string where_text(const ContextVariable& variable, const ContextRange& range);

/// The extent along all variables: `hour 8 to 17.25, tenant a, c`; `all contexts`.
[[nodiscard]] std::string region_text(const ContextSpace& contexts, const PolicyRow& row);

/// Whether a context belongs to the region of a row. The context must be within the ranges of its
/// variables.
[[nodiscard]] bool is_in_region(const ContextSpace& contexts, const PolicyRow& row,
                                Context context);

/// How much the best setting depends on a variable: `2 splits, evidence 34.1 nats`.
[[nodiscard]] std::string weight_text(const ContextWeight& weight);

/// The effect of a variable on all rewards: where it is smallest and largest, and a line of up to
/// 16 bars from its first value to its last: `-0.02 (2.25 to 2.625) to +0.31 (12 to 12.375)  ▁▂█`.
/// Empty if there is none.
[[nodiscard]] std::string effect_text(const ContextSpace& contexts, std::size_t variable,
                                      const ContextEffect& effect);

/// Says how many contexts were outside their ranges; empty if none.
[[nodiscard]] std::string moved_text(const Policy& policy);

/// The names of the variables, as in a sentence: `hour, load and tenant`.
[[nodiscard]] std::string names_text(const ContextSpace& contexts);

/// Says what the best setting depends on: `3 regions of hour and load`, or that it is the same in
/// all contexts so far.
[[nodiscard]] std::string policy_summary(const ContextSpace& contexts, const Policy& policy);

/// The flags that `canopy best` requires: `--context hour=NUMBER --context tenant=a|b`.
[[nodiscard]] std::string context_flags(const ContextSpace& contexts);

/// A table of the rows for users, with a line of headings.
[[nodiscard]] std::vector<std::string> policy_table(const StudySpecification& study,
                                                    const Policy& policy);

/// The rows as CSV lines: both ends of ordered variables, the values of choices separated by |, the
/// setting, and its rewards. An empty field means all values of a variable, or unknown. `limits` is
/// the state of the limit that is least certain to be kept: `kept`, `probably_kept`,
/// `probably_broken` or `broken`.
[[nodiscard]] std::vector<std::string> policy_csv(const StudySpecification& study,
                                                  const Policy& policy);

}  // namespace canopy
