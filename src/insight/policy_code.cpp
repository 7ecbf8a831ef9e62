#include "insight/policy_code.hpp"

#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/json.hpp"
#include "files/parameter_document.hpp"
#include "insight/policy_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Names that variables must not have: Python keywords, and names that the module uses.
constexpr std::array<std::string_view, 43> kTaken{
    "False", "None",     "True",    "and",        "as",   "assert", "async",    "await",    "break",
    "class", "continue", "def",     "del",        "elif", "else",   "except",   "finally",  "for",
    "from",  "global",   "if",      "import",     "in",   "is",     "lambda",   "nonlocal", "not",
    "or",    "pass",     "raise",   "return",     "try",  "while",  "with",     "yield",    "math",
    "max",   "min",      "setting", "ValueError", "str",  "float",  "__debug__"};

std::string literal(const Document& value) {
  if (value.kind() == Document::Kind::number) {
    std::string text = to_text(*value.as_number());
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  if (const Document::Table* table = value.as_table()) {
    std::vector<std::string> parts;
    for (const auto& [key, each] : *table) parts.push_back(literal(key) + ": " + literal(each));
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  return json_text(value);  // texts and whole numbers are equal in JSON and Python
}

/// Unique Python identifiers for the variables, in their order.
std::vector<std::string> python_names(const ContextSpace& contexts) {
  std::vector<std::string> names;
  for (const ContextVariable& variable : contexts.variables()) {
    std::string name;
    for (const char letter : variable.name) {
      const bool may_be = std::isalnum(static_cast<unsigned char>(letter)) != 0;
      name += may_be ? letter : '_';
    }
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, 1, '_');
    const auto is_taken = [&] {
      return std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end() ||
             std::find(names.begin(), names.end(), name) != names.end();
    };
    while (is_taken()) name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

/// The Python condition for a variable to be in a region. The ends of the whole range are not
/// checked, because numbers outside of it are clamped.
std::string condition(const ContextVariable& variable, const ContextRange& range,
                      const std::string& name) {
  const Domain& domain = variable.domain;
  if (!domain.is_ordered()) {
    std::vector<std::string> values;
    for (const double value : range.values)
      values.push_back(literal(value_document(domain, value)));
    if (values.size() == 1) return name + " == " + values.front();
    return fmt::format("{} in ({})", name, fmt::join(values, ", "));
  }
  const auto [low, high] = domain.ends();
  const auto [from, to] = range.ends;
  const auto end = [&](double value) { return literal(value_document(domain, value)); };
  const char* below = domain.count() ? "<=" : "<";
  if (from > to) return fmt::format("({0} >= {1} or {0} {2} {3})", name, end(from), below, end(to));
  if (from == low) return fmt::format("{} {} {}", name, below, end(to));
  if (to == high) return fmt::format("{} >= {}", name, end(from));
  return fmt::format("{} <= {} {} {}", end(from), name, below, end(to));
}

/// Lines that validate a variable and clamp it to its range.
std::string preparation(const ContextVariable& variable, const std::string& name) {
  const Domain& domain = variable.domain;
  const double period = variable.period;
  const auto refuse_unless = [&](const std::string& test, const std::string& must_be) {
    return fmt::format("    if not {}:\n        raise ValueError({})\n", test,
                       literal(variable.name + " " + must_be));
  };
  if (!domain.is_ordered()) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < domain.count().value_or(0); ++i) {
      const double value = domain.ends()[0] + static_cast<double>(i) * domain.spacing();
      values.push_back(literal(value_document(domain, value)));
    }
    return refuse_unless(fmt::format("{} in ({},)", name, fmt::join(values, ", ")),
                         observed_must_be(domain));
  }
  std::string lines =
      refuse_unless(fmt::format("math.isfinite({})", name), observed_must_be(domain));
  const auto [low, high] = domain.ends();
  if (period != 0.0) {
    lines += fmt::format("    {0} = {0} % {1}\n", name, literal(period));
  } else if (domain.count()) {
    const std::string first = literal(value_document(domain, low));
    const std::string spacing = literal(static_cast<std::int64_t>(domain.spacing()));
    lines += fmt::format(
        "    {0} = min(max({0}, {1}), {2})\n"
        "    {0} = {1} + {3} * math.floor(({0} - {1}) / {3} + 0.5)\n",
        name, first, literal(value_document(domain, high)), spacing);
  }
  return lines;
}

std::string row_code(const StudySpecification& study, const PolicyRow& row,
                     const std::vector<std::string>& names, bool is_last) {
  std::vector<std::string> conditions;
  for (std::size_t i = 0; i < row.where.size(); ++i) {
    if (row.where[i].is_everything) continue;
    conditions.push_back(condition(study.contexts[i], row.where[i], names[i]));
  }
  const std::string setting = row.arm.empty()
                                  ? "None  # no rewards here yet"
                                  : literal(arm_document(study.space, row.arm)) +
                                        fmt::format("  # {} pulls here{}", row.pulls,
                                                    row.breaks_limits ? "; no setting "
                                                                        "keeps the limits"
                                                                      : "");
  if (is_last) return fmt::format("    return {}\n", setting);
  return fmt::format("    if {}:\n        return {}\n", fmt::join(conditions, " and "), setting);
}

/// Escapes a text for a docstring.
std::string in_docstring(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\\' || letter == '"') safe += '\\';
    safe += letter;
  }
  return safe;
}

}  // namespace

std::string policy_python(const std::string& name, const StudySpecification& study,
                          const Policy& policy, std::uint64_t pulls) {
  const std::vector<std::string> names = python_names(study.contexts);
  std::string code = fmt::format(
      "\"\"\"The policy that the study {} has learnt from {} pulls: the setting to use, by {}.\n\n"
      "Generated by `canopy policy`; rewards learnt after that are not included.\n\"\"\"\n\n"
      "import math\n\n\n"
      "def setting({}):\n"
      "    \"\"\"Returns the setting for the observed context, as a dictionary by "
      "parameter.\"\"\"\n",
      in_docstring(name), pulls, in_docstring(names_text(study.contexts)), fmt::join(names, ", "));
  for (std::size_t i = 0; i < names.size(); ++i) code += preparation(study.contexts[i], names[i]);
  // The rows cover all contexts, so the last row needs no condition.
  for (std::size_t i = 0; i < policy.rows.size(); ++i) {
    code += row_code(study, policy.rows[i], names, i + 1 == policy.rows.size());
  }
  return code;
}

}  // namespace canopy
