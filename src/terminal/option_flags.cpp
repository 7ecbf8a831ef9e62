#include "terminal/option_flags.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace canopy::terminal {
namespace {

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

std::string in_flags(const ConfigurationError& error) {
  std::string text;
  for (const Violation& violation : error.violations()) {
    if (!text.empty()) text += "; ";
    const std::size_t dot = violation.field.find('.');
    const std::string name = violation.field.substr(dot == std::string::npos ? 0 : dot + 1);
    text += flag(name) + (violation.value.empty() ? "" : " " + violation.value) + ": " +
            violation.expected;
  }
  return text;
}

double parse_real(std::string_view option, const std::string& text, const Range& range) {
  const auto number = number_in<double>(text);
  if (number && range.contains(*number)) return *number;
  throw WrongUse(std::string(option) + " " + text + ": must be " + std::string(range.text));
}

std::uint64_t parse_whole(std::string_view option, const std::string& text, std::uint64_t least,
                          std::uint64_t most) {
  OptionField field;
  field.kind = OptionField::Kind::whole;
  const auto value = parsed(field, text);
  const auto* whole = value ? std::get_if<std::uint64_t>(&*value) : nullptr;
  if (whole != nullptr && *whole >= least && *whole <= most) return *whole;
  throw WrongUse(std::string(option) + " " + text + ": must be a whole number from " +
                 std::to_string(least) + " to " + std::to_string(most));
}

void OptionFlags::list(const std::string& owner, const std::vector<OptionField>& fields) {
  for (const OptionField& field : fields) {
    if (field.name == "seed") continue;  // each run has its own seed
    auto found = std::find_if(flags_.begin(), flags_.end(),
                              [&](const auto& known) { return known->name == field.name; });
    if (found == flags_.end()) {
      std::string help = field.help;
      if (field.kind != OptionField::Kind::word) help += "; " + std::string(field.range.text);
      flags_.push_back(std::make_unique<Flag>(Flag{field.name, std::move(help), {}, {}, {}}));
      found = std::prev(flags_.end());
    }
    const std::string standard = text_of(field, field.standard);
    (*found)->owners.push_back(owner);
    (*found)->defaults.push_back(standard.empty() ? "automatic" : standard);
  }
}

void OptionFlags::add_to(ArgumentParser& command, const std::string& group) {
  for (const std::unique_ptr<Flag>& known : flags_) {
    const bool same =
        std::equal(known->defaults.begin() + 1, known->defaults.end(), known->defaults.begin());
    command.option(flag(known->name), known->text, known->help + " (" + joined(known->owners) + ")",
                   group, same ? "VALUE=" + known->defaults.front() : "VALUE");
  }
}

OptionValues OptionFlags::parse(const std::string& owner,
                                const std::vector<OptionField>& fields) const {
  refuse_others(owner, fields);
  OptionValues values;
  for (const OptionField& field : fields) {
    const auto found = std::find_if(flags_.begin(), flags_.end(),
                                    [&](const auto& known) { return known->name == field.name; });
    if (found == flags_.end() || !(*found)->text) continue;
    const std::string& text = *(*found)->text;
    const auto value = parsed(field, text);
    if (!value || !violations({field}, {{field.name, *value}}, "").empty()) {
      throw WrongUse(flag(field.name) + " " + text + ": " + field.must_be());
    }
    values.set(field.name, *value);
  }
  return values;
}

void OptionFlags::refuse_others(const std::string& owner,
                                const std::vector<OptionField>& fields) const {
  for (const std::unique_ptr<Flag>& known : flags_) {
    const bool own = std::any_of(fields.begin(), fields.end(), [&](const OptionField& field) {
      return field.name == known->name;
    });
    if (!known->text || own) continue;
    throw WrongUse(flag(known->name) + " " + *known->text + ": " + owner + " has no such option (" +
                   joined(known->owners) + (known->owners.size() > 1 ? " have)" : " has)"));
  }
}

void SelectionFlags::add_to(ArgumentParser& command) {
  command.option(option_, name_, "which one; see simulate --list");
  flags_.add_to(command, "Options of the " + kind_);
}

Selection SelectionFlags::parse() const {
  if (name_.empty()) throw WrongUse(option_ + ": is missing; see --help for an example");
  std::vector<std::string_view> names;
  for (const auto& [name, fields] : known_) {
    if (name == name_) return {name, flags_.parse(name, *fields)};
    names.push_back(name);
  }
  throw WrongUse(option_ + " " + name_ + ": " + unknown_name(kind_, name_, names));
}

}  // namespace canopy::terminal
