#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {

/// Calls visit(options) with the default of every alternative of a variant of options.
template <class Variant, class Visit>
void for_each_alternative(Visit&& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::variant_alternative_t<I, Variant>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>{});
}

/// The names of all alternatives, each given by `Entry<Options>::name`.
template <class Variant, template <class> class Entry>
[[nodiscard]] std::vector<std::string_view> names_of_all() {
  std::vector<std::string_view> names;
  for_each_alternative<Variant>(
      [&]<class Options>(const Options&) { names.push_back(Entry<Options>::name); });
  return names;
}

/// The alternative of that name, with default options.
template <class Variant, template <class> class Entry>
[[nodiscard]] std::optional<Variant> alternative_named(std::string_view name) {
  std::optional<Variant> found;
  for_each_alternative<Variant>([&]<class Options>(const Options& options) {
    if (Entry<Options>::name == name) found = options;
  });
  return found;
}

/// The name of the alternative that a variant holds.
template <template <class> class Entry, class Variant>
[[nodiscard]] std::string_view name_of_alternative(const Variant& chosen) {
  return std::visit([]<class Options>(const Options&) { return Entry<Options>::name; }, chosen);
}

}  // namespace canopy
