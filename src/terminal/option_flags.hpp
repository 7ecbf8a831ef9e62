#pragma once

#include "canopy/catalogue.hpp"
#include "canopy/options.hpp"

#include "terminal/argument_parser.hpp"
#include "terminal/failure.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy::terminal {

/// `--mixing-time` for `mixing_time`.
[[nodiscard]] std::string flag(std::string_view name);

/// What is wrong with a configuration, by the names of the flags that set it.
[[nodiscard]] std::string in_flags(const ConfigurationError& error);

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
  /// Lists the fields of what is known by that name.
  void list(const std::string& owner, const std::vector<OptionField>& fields);

  /// Adds all that was listed to a command.
  void add_to(ArgumentParser& command, const std::string& group);

  /// What was given of these fields. Throws WrongUse for what is out of range, and for what was
  /// given but is not one of them.
  [[nodiscard]] OptionValues parse(const std::string& owner,
                                   const std::vector<OptionField>& fields) const;

 private:
  struct Flag {
    std::string name;
    std::string help;
    std::vector<std::string> owners;
    std::vector<std::string> defaults;  // one an owner
    std::optional<std::string> text;    // as given
  };

  void refuse_others(const std::string& owner, const std::vector<OptionField>& fields) const;

  std::vector<std::unique_ptr<Flag>> flags_;  // the command line keeps references to the texts
};

/// `--optimizer NAME` or the like, with the options of everything that may be named.
class SelectionFlags {
 public:
  /// `option` is how the command line has it (`--optimizer`, or `NAME` for a word without a flag),
  /// `name` what is selected when nothing is given; empty: something must be.
  template <class Entry>
  SelectionFlags(const Catalogue<Entry>& catalogue, std::string option, std::string name)
      : kind_(catalogue.kind()), option_(std::move(option)), name_(std::move(name)) {
    for (const Entry& entry : catalogue) {
      flags_.list(entry.name, entry.fields);
      known_.emplace_back(entry.name, &entry.fields);
    }
  }

  void add_to(ArgumentParser& command);

  /// What is selected, with the options that were given. Throws WrongUse.
  [[nodiscard]] Selection parse() const;

 private:
  std::string kind_;
  std::string option_;
  std::string name_;
  std::vector<std::pair<std::string, const std::vector<OptionField>*>> known_;
  OptionFlags flags_;
};

}  // namespace canopy::terminal
