#include "insight/change_text.hpp"

#include "core/text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace canopy {

std::string change_text(const Change& change) {
  const std::string size = significant_text(std::abs(change.size), 2);
  switch (change.kind) {
    case Change::Kind::level:
      if (change.size == 0.0) return "the level of all rewards is stable again";
      return fmt::format("the level of all rewards {} by about {}",
                         change.size < 0.0 ? "fell" : "rose", size);
    case Change::Kind::shape:
      return fmt::format("rewards of settings changed by different amounts, about {}", size);
    case Change::Kind::memory:
      return "the noise is autocorrelated";
  }
  return "";
}

std::string changes_text(const Summary& summary) {
  if (!summary.last_change) return "";
  std::string text = change_text(*summary.last_change);
  text += fmt::format(", detected after pull {}", summary.last_change->pull);
  if (summary.changes > 1) text += fmt::format(", the last of {} changes", summary.changes);
  if (const auto& level = summary.followed_level) {
    text += fmt::format("; the level is tracked: {} is subtracted from every reward",
                        significant_text(*level, 2));
  }
  return text;
}

}  // namespace canopy
