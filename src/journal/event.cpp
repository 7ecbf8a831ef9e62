#include "canopy/event.hpp"

#include "canopy/study_error.hpp"

#include "files/row.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace canopy {
namespace {

constexpr std::size_t kKinds = std::variant_size_v<Event>;

template <std::size_t... kIndices>
constexpr std::array<std::string_view, kKinds> names_of_kinds(
    std::index_sequence<kIndices...> /*kinds*/) {
  return {std::variant_alternative_t<kIndices, Event>::kName...};
}

constexpr auto kNames = names_of_kinds(std::make_index_sequence<kKinds>());

/// A default-constructed event of each kind.
template <std::size_t... kIndices>
std::array<Event, kKinds> empty_events(std::index_sequence<kIndices...> /*kinds*/) {
  return {Event(std::in_place_index<kIndices>)...};
}

}  // namespace

std::span<const std::string_view> event_kinds() {
  return kNames;
}

std::string_view kind_name(const Event& event) {
  return kNames.at(event.index());
}

std::optional<Event> event_named(std::string_view kind) {
  static const auto all = empty_events(std::make_index_sequence<kKinds>());
  const auto* const found = std::find(kNames.begin(), kNames.end(), kind);
  if (found == kNames.end()) return std::nullopt;
  return all.at(static_cast<std::size_t>(found - kNames.begin()));
}

std::string encode(const Event& event) {
  std::string text;
  std::visit(
      [&](const auto& each) {
        RowWriter row(text, each.kName);
        visit_fields_of(each, row);
        row.finish();
      },
      event);
  return text;
}

Event decode(std::string_view text) {
  try {
    RowReader row(text);
    std::optional<Event> event = event_named(row.name());
    if (!event) throw RowError("there is no event kind \"" + row.name() + "\"");
    std::visit([&](auto& each) { visit_fields(each, row); }, *event);
    row.finish();
    return *std::move(event);
  } catch (const RowError& error) {
    throw StudyError(StudyError::Fault::damaged, error.what());
  }
}

}  // namespace canopy
