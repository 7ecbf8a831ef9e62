#pragma once

#include "cli/failure.hpp"
#include "core/alternatives.hpp"
#include "core/fields.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

namespace canopy::cli {

/// `--mixing-time` for `mixing_time`.
[[nodiscard]] std::string flag(std::string_view name);

/// The number that the text of an option means. Throws WrongUse when it means none, or one that is
/// out of range.
[[nodiscard]] double parse_real(std::string_view option, const std::string& text,
                                const Range& range);

/// The same for whole numbers, which may be written as 100000 or 1e5.
[[nodiscard]] std::uint64_t parse_whole(std::string_view option, const std::string& text,
                                        std::uint64_t least, std::uint64_t most);

/// The flags of some structs of options, with the names, ranges and help of their fields. A field
/// that several structs have is one flag.
class OptionFlags {
 public:
  /// Lists the fields of a struct of options, which is known by that name.
  template <class Options>
  void list(std::string_view owner, const Options& defaults) {
    visit_fields(defaults, [&](const Field& field, const auto& member) {
      const std::string text = field_text(field, member);
      list_field(field, owner, text.empty() ? "its own" : text);
    });
  }

  /// Adds all that was listed to a command.
  void add_to(CLI::App& command, const std::string& group);

  /// Sets what was given. Throws WrongUse for what is out of range, and for what was given but is
  /// none of these options'.
  template <class Options>
  void apply_to(Options& options, std::string_view owner) const {
    std::vector<std::string_view> own;
    visit_fields(options, [&](const Field& field, auto& member) {
      own.push_back(field.name);
      if (const auto text = given(field.name)) set(field, *text, member);
    });
    refuse_others(own, owner);
  }

 private:
  struct Flag {
    std::string name;
    std::string help;
    std::vector<std::string> owners;
    std::vector<std::string> defaults;  // one an owner
    std::optional<std::string> text;    // as given
  };

  void list_field(const Field& field, std::string_view owner, const std::string& default_text);
  [[nodiscard]] std::optional<std::string> given(std::string_view name) const;
  void refuse_others(const std::vector<std::string_view>& own, std::string_view owner) const;

  static void set(const Field& field, const std::string& text, double& member);
  static void set(const Field& field, const std::string& text, std::uint64_t& member);
  template <class Enum>
  requires std::is_enum_v<Enum>
  static void set(const Field& field, const std::string& text, Enum& member) {
    const auto value = value_named<Enum>(text);
    if (!value) throw WrongUse(flag(field.name) + " " + text + ": " + must_be_named<Enum>());
    member = *value;
  }
  template <class Value>
  static void set(const Field& field, const std::string& text, std::optional<Value>& member) {
    member.reset();
    if (!field.unset.empty() && text == field.unset) return;
    set(field, text, member.emplace());
  }

  std::vector<std::unique_ptr<Flag>> flags_;  // the command line keeps references to the texts
};

/// `--optimizer NAME` or the like, with the options of whatever may be named.
template <class Variant, template <class> class Entry>
class ChoiceFlags {
 public:
  /// `kind` is what is chosen, `option` how the command line has it (`--optimizer`, or `NAME` for a
  /// word without a flag), `name` what is chosen when nothing is given; empty: something must be.
  ChoiceFlags(std::string kind, std::string option, std::string name)
      : kind_(std::move(kind)), option_(std::move(option)), name_(std::move(name)) {
    for_each_alternative<Variant>(
        [&]<class Options>(const Options& options) { flags_.list(Entry<Options>::name, options); });
  }

  void add_to(CLI::App& command) {
    CLI::Option* option = command.add_option(option_, name_, "which one; see simulate --list");
    if (!name_.empty()) option->capture_default_str();
    flags_.add_to(command, "Options of the " + kind_);
  }

  /// The options as given, over the defaults. Throws WrongUse.
  [[nodiscard]] Variant parse() const {
    auto chosen = alternative_named<Variant, Entry>(name_);
    if (!chosen) {
      const std::vector<std::string_view> known = names_of_all<Variant, Entry>();
      if (name_.empty()) throw WrongUse(option_ + ": is missing; see --help for an example");
      throw WrongUse(option_ + " " + name_ + ": " + unknown_name(kind_, name_, known));
    }
    std::visit([&](auto& options) { flags_.apply_to(options, name_); }, *chosen);
    return *chosen;
  }

 private:
  std::string kind_;
  std::string option_;
  std::string name_;
  OptionFlags flags_;
};

}  // namespace canopy::cli
