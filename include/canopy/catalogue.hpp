#pragma once

#include "canopy/options.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// An entry of a catalogue by its name, with the options that are set.
struct Selection {
  std::string name;
  OptionValues options = {};

  friend bool operator==(const Selection&, const Selection&) = default;
};

namespace detail {

/// Throws ConfigurationError: `optimizer = hvt: unknown optimizer, did you mean "hct"?`
[[noreturn]] void refuse_unknown(const std::string& kind, std::string_view name,
                                 const std::vector<std::string_view>& known);
/// Throws ConfigurationError if the name is empty or taken.
void check_new_name(const std::string& kind, const std::string& name, bool taken);

}  // namespace detail

/// Entries (structs with `name`, `line` and `fields`) by name. Built-in entries are present from
/// the start; a program adds its own before first use. References to entries stay valid. Lookups
/// are thread-safe, adding is not.
template <class Entry>
class Catalogue {
 public:
  Catalogue(std::string kind, std::vector<Entry> entries)
      : kind_(std::move(kind)), entries_(entries.begin(), entries.end()) {}

  /// Throws ConfigurationError if the name is empty or taken.
  void add(Entry entry) {
    detail::check_new_name(kind_, entry.name, find(entry.name) != nullptr);
    entries_.push_back(std::move(entry));
  }

  /// The entry with that name, or null.
  [[nodiscard]] const Entry* find(std::string_view name) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    return found != entries_.end() ? &*found : nullptr;
  }

  /// The entry with that name; throws ConfigurationError, which suggests the most similar name, if
  /// there is none.
  [[nodiscard]] const Entry& at(std::string_view name) const {
    if (const Entry* entry = find(name)) return *entry;
    detail::refuse_unknown(kind_, name, names());
  }

  [[nodiscard]] std::vector<std::string_view> names() const {
    std::vector<std::string_view> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return names;
  }

  /// The singular noun for an entry: "optimizer".
  [[nodiscard]] const std::string& kind() const { return kind_; }

  /// The selected options on one line: `nu1 1, rho 0.5`.
  [[nodiscard]] std::string text_of(const Selection& selected) const {
    return options_text(at(selected.name).fields, selected.options);
  }

  /// The selection with a value for every option: as given, or the default. Throws
  /// ConfigurationError.
  [[nodiscard]] Selection completed(const Selection& selected) const {
    const Entry& entry = at(selected.name);
    throw_if_any(violations(entry.fields, selected.options, kind_ + '.'));
    return {entry.name, canopy::completed(entry.fields, selected.options)};
  }

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

 private:
  std::string kind_;
  std::deque<Entry> entries_;
};

}  // namespace canopy
