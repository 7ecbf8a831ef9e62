#include "cli/options.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace canopy::cli {
namespace {

/// A whole number, which may be written as 1e5.
std::optional<std::uint64_t> whole_in(const std::string& text) {
  if (const auto whole = number_in<std::uint64_t>(text)) return whole;
  const auto real = number_in<double>(text);
  if (!real || *real < 0.0 || *real > 0x1p53 || std::floor(*real) != *real) return std::nullopt;
  return static_cast<std::uint64_t>(*real);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::string flag(std::string_view name) {
  std::string text = "--" + std::string(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

double parse_real(std::string_view option, const std::string& text, const Range& range) {
  const auto number = number_in<double>(text);
  if (number && range.contains(*number)) return *number;
  throw WrongUse(std::string(option) + " " + text + ": must be " + std::string(range.text));
}

std::uint64_t parse_whole(std::string_view option, const std::string& text, std::uint64_t least,
                          std::uint64_t most) {
  const auto whole = whole_in(text);
  if (whole && *whole >= least && *whole <= most) return *whole;
  throw WrongUse(std::string(option) + " " + text + ": must be a whole number from " +
                 std::to_string(least) + " to " + std::to_string(most));
}

void OptionFlags::set(const Field& field, const std::string& text, double& member) {
  const auto number = number_in<double>(text);
  if (!number || !field.range.contains(*number)) {
    throw WrongUse(flag(field.name) + " " + text + ": " + must_be(field));
  }
  member = *number;
}

void OptionFlags::set(const Field& field, const std::string& text, std::uint64_t& member) {
  const auto whole = whole_in(text);
  if (!whole || !field.range.contains(static_cast<double>(*whole))) {
    throw WrongUse(flag(field.name) + " " + text + ": " + must_be(field));
  }
  member = *whole;
}

void OptionFlags::list_field(const Field& field, std::string_view owner,
                             const std::string& default_text) {
  if (field.name == "seed") return;  // the tool gives every run its own
  auto found = std::find_if(flags_.begin(), flags_.end(),
                            [&](const auto& known) { return known->name == field.name; });
  if (found == flags_.end()) {
    std::string help(field.help);
    if (!field.range.text.empty()) help += "; " + std::string(field.range.text);
    flags_.push_back(
        std::make_unique<Flag>(Flag{std::string(field.name), std::move(help), {}, {}, {}}));
    found = std::prev(flags_.end());
  }
  (*found)->owners.emplace_back(owner);
  (*found)->defaults.push_back(default_text);
}

void OptionFlags::add_to(CLI::App& command, const std::string& group) {
  for (const std::unique_ptr<Flag>& known : flags_) {
    const bool same =
        std::equal(known->defaults.begin() + 1, known->defaults.end(), known->defaults.begin());
    command
        .add_option(flag(known->name), known->text,
                    known->help + " (" + joined(known->owners) + ")")
        ->group(group)
        ->type_name(same ? "VALUE=" + known->defaults.front() : "VALUE");
  }
}

std::optional<std::string> OptionFlags::given(std::string_view name) const {
  for (const std::unique_ptr<Flag>& known : flags_) {
    if (known->name == name) return known->text;
  }
  return std::nullopt;
}

void OptionFlags::refuse_others(const std::vector<std::string_view>& own,
                                std::string_view owner) const {
  for (const std::unique_ptr<Flag>& known : flags_) {
    if (!known->text || std::find(own.begin(), own.end(), known->name) != own.end()) continue;
    throw WrongUse(flag(known->name) + " " + *known->text + ": " + std::string(owner) +
                   " has no such option (" + joined(known->owners) +
                   (known->owners.size() > 1 ? " have)" : " has)"));
  }
}

}  // namespace canopy::cli
