#pragma once
// A policy in words.

#include "canopy/context.hpp"
#include "canopy/policy.hpp"
#include "canopy/study_specification.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Where a region is along one variable: `8 to 17.25`, `3`, `a, c`; `all`.
[[nodiscard]] std::string where_text(const ContextVariable& variable, const ContextRange& range);

/// The same along all: `hour 8 to 17.25, tenant a, c`; `all contexts`.
[[nodiscard]] std::string region_text(const ContextSpace& contexts, const PolicyRow& row);

/// Whether a context that is within the ranges of its variables belongs to the region of a row.
[[nodiscard]] bool is_in_region(const ContextSpace& contexts, const PolicyRow& row,
                                Context context);

/// Whether the best setting depends on a variable: `2 splits, evidence 34.1 nats`.
[[nodiscard]] std::string weight_text(const ContextWeight& weight);

/// What a variable adds to all rewards: where that is least and where most, and a line of up to 16
/// bars from its first value to its last: `-0.02 (2.25 to 2.625) to +0.31 (12 to 12.375)  ▁▂█`.
/// Empty: nothing.
[[nodiscard]] std::string effect_text(const ContextSpace& contexts, std::size_t variable,
                                      const ContextEffect& effect);

/// That contexts were beyond their ranges; empty: none was.
[[nodiscard]] std::string moved_text(const Policy& policy);

/// The names of the variables, for sentences: `hour, load and tenant`.
[[nodiscard]] std::string names_text(const ContextSpace& contexts);

/// What the best setting depends on, in a few words: `3 regions of hour and load`, or, as long as
/// there is only one, that it is the same everywhere so far.
[[nodiscard]] std::string policy_summary(const ContextSpace& contexts, const Policy& policy);

/// What `canopy best` must be given: `--context hour=NUMBER --context tenant=a|b`.
[[nodiscard]] std::string context_flags(const ContextSpace& contexts);

/// A table of the rows for people, with a line of headings.
[[nodiscard]] std::vector<std::string> policy_table(const StudySpecification& study,
                                                    const Policy& policy);

/// The same for programs that read CSV, a row a line: the two ends of ordered variables, the values
/// of choices with | between them, the setting, and what it earns. Empty: all of a variable, or not
/// known. `limits` is how sure it is that the setting keeps the limit that it keeps least: `kept`,
/// `probably_kept`, `probably_broken` or `broken`.
[[nodiscard]] std::vector<std::string> policy_csv(const StudySpecification& study,
                                                  const Policy& policy);

}  // namespace canopy
