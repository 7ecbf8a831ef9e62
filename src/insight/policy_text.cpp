#include "insight/policy_text.hpp"

#include "core/text.hpp"
#include "files/page.hpp"
#include "insight/best_text.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::size_t kMostBars = 16;
constexpr std::size_t kMostListed = 8;  // number of choices listed

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

std::vector<std::string> texts_of(const Domain& domain, const std::vector<double>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double value : values) texts.push_back(domain.text(value));
  return texts;
}

/// The values as text, with the separator escaped by a backslash.
std::vector<std::string> between_bars(const Domain& domain, const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const std::string& text : texts_of(domain, values)) {
    std::string& escaped = texts.emplace_back();
    for (const char letter : text) {
      if (letter == '|' || letter == '\\') escaped += '\\';
      escaped += letter;
    }
  }
  return texts;
}

std::string ends_text(const Domain& domain, const std::array<double, 2>& ends) {
  if (domain.count() && ends[0] == ends[1]) return domain.text(ends[0]);
  return domain.text(ends[0]) + " to " + domain.text(ends[1]);
}

std::string count_text(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// Averages runs of bins, so that there are at most `most`.
std::vector<double> in_fewer_bins(const std::vector<double>& bins, std::size_t most) {
  const std::size_t runs = std::min(bins.size(), most);
  std::vector<double> means;
  for (std::size_t i = 0; i < runs; ++i) {
    const auto begin = bins.begin() + static_cast<std::ptrdiff_t>(i * bins.size() / runs);
    const auto end = bins.begin() + static_cast<std::ptrdiff_t>((i + 1) * bins.size() / runs);
    means.push_back(std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin));
  }
  return means;
}

std::string bars(const std::vector<double>& heights) {
  static constexpr std::array<const char*, 8> kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
  std::string text;
  for (const double height : heights) {
    const double share = *most > *least ? (height - *least) / (*most - *least) : 0.0;
    text += kBars.at(static_cast<std::size_t>(std::min(7.0, 8.0 * share)));
  }
  return text;
}

/// The width in characters of UTF-8 text on a terminal.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & '\xC0') != '\x80'; }));
}

/// Pads columns to equal width, separated by two spaces.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - width_of(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

/// Remarks on a row besides its numbers.
std::string remarks(const PolicyRow& row, const std::string& shared) {
  std::vector<std::string> parts;
  if (row.breaks_limits) parts.emplace_back("no setting keeps the limits here");
  for (const LimitCheck& check : row.limits) parts.push_back(limit_text(check));
  if (!shared.empty()) parts.push_back("may be the same as " + shared);
  return joined(parts, "; ");
}

/// The numbers, from 1, of rows that may have the same setting.
std::string shared_text(const PolicyRow& row, std::string_view between) {
  std::vector<std::string> numbers;
  for (const std::size_t other : row.may_share) numbers.push_back(std::to_string(other + 1));
  return joined(numbers, between);
}

}  // namespace

std::string where_text(const ContextVariable& variable, const ContextRange& range) {
  if (range.is_everything) return "all";
  const Domain& domain = variable.domain;
  if (!domain.is_ordered()) return joined(texts_of(domain, range.values), ", ");
  return ends_text(domain, range.ends);
}

std::string region_text(const ContextSpace& contexts, const PolicyRow& row) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < row.where.size(); ++i) {
    if (row.where[i].is_everything) continue;
    parts.push_back(contexts[i].name + " " + where_text(contexts[i], row.where[i]));
  }
  return parts.empty() ? "all contexts" : joined(parts, ", ");
}

bool is_in_region(const ContextSpace& contexts, const PolicyRow& row, Context context) {
  for (std::size_t i = 0; i < row.where.size(); ++i) {
    const auto& [ends, values, is_everything] = row.where[i];
    const Domain& domain = contexts[i].domain;
    const double value = context[i];
    if (is_everything) continue;
    if (!domain.is_ordered()) {
      if (std::find(values.begin(), values.end(), value) == values.end()) return false;
      continue;
    }
    const bool has_last = domain.count() || ends[1] == domain.ends()[1];
    const bool is_above = value >= ends[0];
    const bool is_below = has_last ? value <= ends[1] : value < ends[1];
    if (ends[0] > ends[1] ? !is_above && !is_below : !is_above || !is_below) return false;
  }
  return true;
}

std::string weight_text(const ContextWeight& weight) {
  if (weight.splits == 0) return "no split: no effect on the best setting was found";
  return fmt::format("{}, evidence {} nats", count_text(weight.splits, "split"),
                     significant_text(weight.evidence, 3));
}

std::string effect_text(const ContextSpace& contexts, std::size_t variable,
                        const ContextEffect& effect) {
  const std::vector<double>& bins = effect.by_bin;
  const bool has_none =
      std::all_of(bins.begin(), bins.end(), [](double each) { return each == 0.0; });
  if (has_none) return "";
  std::vector<std::size_t> places;  // bins with a value
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    const auto [first, last] = contexts.ends(variable, bin);
    if (first <= last) places.push_back(bin);
  }
  const auto [least, most] =
      std::minmax_element(places.begin(), places.end(),
                          [&](std::size_t a, std::size_t b) { return bins[a] < bins[b]; });
  const double resolution = 0.01 * (bins[*most] - bins[*least]);
  const auto end = [&](std::size_t bin) {
    return fmt::format("{}{} ({})", bins[bin] > 0.0 ? "+" : "", rounded_text(bins[bin], resolution),
                       ends_text(contexts[variable].domain, contexts.ends(variable, bin)));
  };
  return end(*least) + " to " + end(*most) + "  " + bars(in_fewer_bins(bins, kMostBars));
}

std::string moved_text(const Policy& policy) {
  if (policy.moved == 0) return "";
  return fmt::format(
      "{} outside the range of a variable and treated as the end of the range",
      policy.moved == 1 ? "1 context was" : fmt::format("{} contexts were", policy.moved));
}

std::string names_text(const ContextSpace& contexts) {
  std::string text;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    if (i != 0) text += i + 1 == contexts.size() ? " and " : ", ";
    text += contexts[i].name;
  }
  return text;
}

std::string policy_summary(const ContextSpace& contexts, const Policy& policy) {
  if (policy.rows.size() == 1 && policy.rows[0].arm.empty()) return "no rewards yet";
  if (policy.rows.size() > 1) {
    return fmt::format("{} regions of {}", policy.rows.size(), names_text(contexts));
  }
  return fmt::format("the same for every {} so far", names_text(contexts));
}

std::string context_flags(const ContextSpace& contexts) {
  std::vector<std::string> flags;
  for (const ContextVariable& variable : contexts.variables()) {
    std::string value = "NUMBER";
    if (!variable.domain.is_ordered()) {
      std::vector<double> all(variable.domain.count().value_or(0));
      std::iota(all.begin(), all.end(), variable.domain.ends()[0]);
      value = all.size() > kMostListed ? "TEXT" : joined(texts_of(variable.domain, all), "|");
    }
    flags.push_back("--context " + variable.name + "=" + value);
  }
  return joined(flags, " ");
}

std::vector<std::string> policy_table(const StudySpecification& study, const Policy& policy) {
  std::vector<std::vector<std::string>> rows(1);
  std::vector<std::string>& head = rows.front();
  head.emplace_back("");
  for (const ContextVariable& variable : study.contexts.variables()) head.push_back(variable.name);
  for (const Parameter& parameter : study.space.parameters()) head.push_back(parameter.name);
  // With a measured baseline, means have no intervals, because the level of rewards may move.
  const bool has_intervals = !study.baseline || study.baseline->every == 0;
  head.insert(head.end(), {"pulls", "mean"});
  if (has_intervals) {
    head.push_back(fmt::format("{:.4g} % interval", 100.0 * study.objective.confidence));
  }
  head.emplace_back("");
  for (std::size_t i = 0; i < policy.rows.size(); ++i) {
    const PolicyRow& row = policy.rows[i];
    std::vector<std::string>& cells = rows.emplace_back();
    cells.push_back(std::to_string(i + 1));
    for (std::size_t k = 0; k < row.where.size(); ++k) {
      cells.push_back(where_text(study.contexts[k], row.where[k]));
    }
    for (std::size_t k = 0; k < study.space.dimension(); ++k) {
      cells.push_back(row.arm.empty() ? "?" : study.space.parameters()[k].domain.text(row.arm[k]));
    }
    cells.push_back(std::to_string(row.pulls));
    const bool is_bounded = row.interval && row.interval->bounded();
    const double resolution = is_bounded ? 0.05 * (row.interval->upper - row.interval->lower) : 0.0;
    cells.push_back(row.arm_pulls == 0 ? "?"
                    : resolution > 0.0 ? rounded_text(row.mean, resolution)
                                       : significant_text(row.mean, 4));
    if (has_intervals) {
      cells.push_back(is_bounded ? range_text(row.interval->lower, row.interval->upper)
                                 : "too few pulls");
    }
    cells.push_back(remarks(row, shared_text(row, ", ")));
  }
  return aligned(rows);
}

std::vector<std::string> policy_csv(const StudySpecification& study, const Policy& policy) {
  std::vector<std::string> head{"region"};
  for (const auto& [name, domain, period] : study.contexts.variables()) {
    if (domain.is_ordered()) {
      head.push_back(quoted_csv(name + "_from"));
      head.push_back(quoted_csv(name + "_to"));
    } else {
      head.push_back(quoted_csv(name));
    }
  }
  for (const Parameter& parameter : study.space.parameters()) {
    head.push_back(quoted_csv(parameter.name));
  }
  for (const char* name : {"pulls", "arm_pulls", "mean", "lower", "upper", "may_share", "limits"}) {
    head.emplace_back(name);
  }
  std::vector<std::string> lines{joined(head, ",")};
  for (std::size_t i = 0; i < policy.rows.size(); ++i) {
    const PolicyRow& row = policy.rows[i];
    std::vector<std::string> cells{std::to_string(i + 1)};
    for (std::size_t k = 0; k < row.where.size(); ++k) {
      const auto& [ends, values, is_everything] = row.where[k];
      const Domain& domain = study.contexts[k].domain;
      if (!domain.is_ordered()) {
        cells.push_back(is_everything ? "" : quoted_csv(joined(between_bars(domain, values), "|")));
        continue;
      }
      for (const double end : ends) cells.push_back(is_everything ? "" : to_text(end));
    }
    for (std::size_t k = 0; k < study.space.dimension(); ++k) {
      const Domain& domain = study.space.parameters()[k].domain;
      cells.push_back(row.arm.empty()       ? ""
                      : domain.is_ordered() ? to_text(row.arm[k])
                                            : quoted_csv(domain.text(row.arm[k])));
    }
    cells.push_back(std::to_string(row.pulls));
    cells.push_back(std::to_string(row.arm_pulls));
    cells.push_back(row.arm_pulls == 0 ? "" : to_text(row.mean));
    const bool is_bounded = row.interval && row.interval->bounded();
    cells.push_back(is_bounded ? to_text(row.interval->lower) : "");
    cells.push_back(is_bounded ? to_text(row.interval->upper) : "");
    cells.push_back(shared_text(row, "|"));
    const LimitCheck* worst = worst_of(row.limits);
    cells.push_back(worst == nullptr ? "" : std::string(name_of(worst->state)));
    lines.push_back(joined(cells, ","));
  }
  return lines;
}

}  // namespace canopy
