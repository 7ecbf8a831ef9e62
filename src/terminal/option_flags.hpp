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

/// Returns `--mixing-time` for `mixing_time`.
[[nodiscard]] std::string flag(std::string_view name);

/// The message of a configuration error, with the names of flags instead of fields.
[[nodiscard]] std::string in_flags(const ConfigurationError& error);

/// Parses the value of an option. Throws WrongUse if it is not a number in `range`.
[[nodiscard]] double parse_real(std::string_view option, const std::string& text,
                                const Range& range);

/// Parses a whole number, which may be written as 100000 or 1e5.
[[nodiscard]] std::uint64_t parse_whole(std::string_view option, const std::string& text,
                                        std::uint64_t least, std::uint64_t most);

/// The flags for the fields of several option structs, with their ranges and help. Fields of the
/// same name share a flag.
class OptionFlags {
 public:
  /// Adds the fields of `owner`.
  void list(const std::string& owner, const std::vector<OptionField>& fields);

  /// Adds flags for all fields to a command.
  void add_to(ArgumentParser& command, const std::string& group);

  /// Returns the given values of these fields. Throws WrongUse for a value out of range, and for a
  /// flag that is not one of them.
  [[nodiscard]] OptionValues parse(const std::string& owner,
                                   const std::vector<OptionField>& fields) const;

 private:
  struct Flag {
    std::string name;
    std::string help;
    std::vector<std::string> owners;
    std::vector<std::string> defaults;  // one per owner
    std::optional<std::string> text;    // the given value
  };

  void refuse_others(const std::string& owner, const std::vector<OptionField>& fields) const;

  std::vector<std::unique_ptr<Flag>> flags_;  // the parser keeps references to the texts
};

/// Flags that select an entry of a catalogue by name, such as `--optimizer NAME`, and set its
/// options.
class SelectionFlags {
 public:
  /// `option` is the flag (`--optimizer`) or positional argument (`NAME`). `name` is the default;
  /// if it is empty, the option is required.
  template <class Entry>
  SelectionFlags(const Catalogue<Entry>& catalogue, std::string option, std::string name)
      : kind_(catalogue.kind()), option_(std::move(option)), name_(std::move(name)) {
    for (const Entry& entry : catalogue) {
      flags_.list(entry.name, entry.fields);
      known_.emplace_back(entry.name, &entry.fields);
    }
  }

  void add_to(ArgumentParser& command);

  /// Returns the selected entry with the given options. Throws WrongUse.
  [[nodiscard]] Selection parse() const;

 private:
  std::string kind_;
  std::string option_;
  std::string name_;
  std::vector<std::pair<std::string, const std::vector<OptionField>*>> known_;
  OptionFlags flags_;
};

}  // namespace canopy::terminal
