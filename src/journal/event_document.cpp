#include "journal/event_document.hpp"

#include "core/text.hpp"
#include "files/record.hpp"

#include <cstdint>
#include <utility>
#include <variant>

namespace canopy {
namespace {

/// The number and the time of an entry.
struct Place {
  std::uint64_t number = 0;
  double at = 0.0;
};

template <class Visit>
void visit_fields(Place& place, Visit&& visit) {
  visit(Field{"number", "1, 2, 3, ... in a study"}, place.number);
  visit(Field{"at", "seconds since 1970"}, place.at);
}

/// Creates a default event of the kind that the table names.
std::optional<Event> event_of_kind(const Document& table, DocumentReader& reader,
                                   const std::string& prefix) {
  if (!reader.require(table, prefix, "kind")) return std::nullopt;
  const Document& kind = *table.find("kind");
  const std::string* name = kind.as_text();
  if (name == nullptr) {
    reader.complain(prefix + "kind", &kind, "must be a string");
    return std::nullopt;
  }
  std::optional<Event> event = event_named(*name);
  if (!event) {
    reader.complain(prefix + "kind", &kind, unknown_name("kind", *name, event_kinds()));
  }
  return event;
}

void write_event(const Names& names, const Event& event, Document& table) {
  table.set("kind", kind_name(event));
  std::visit([&](const auto& each) { visit_fields_of(each, RecordWriter(names, table)); }, event);
}

/// Reads an event and, if `place` is not null, its number and time.
std::optional<Event> read_event(const Document& document, const Names& names,
                                DocumentReader& reader, const std::string& prefix, Place* place) {
  if (document.as_table() == nullptr) {
    const std::string field = prefix.empty() ? "event" : prefix.substr(0, prefix.size() - 1);
    reader.complain(field, &document, "must be a table");
    return std::nullopt;
  }
  const std::size_t before = reader.complaints();
  std::optional<Event> event = event_of_kind(document, reader, prefix);
  if (!event) return std::nullopt;
  RecordReader fields(names, document, reader, prefix);
  if (place != nullptr) visit_fields(*place, fields);
  std::visit([&](auto& each) { visit_fields(each, fields); }, *event);
  fields.check_keys({"kind"});
  return reader.complaints() == before ? std::move(event) : std::nullopt;
}

}  // namespace

Document event_document(const Names& names, const Event& event) {
  Document table;
  write_event(names, event, table);
  return table;
}

Document entry_document(const Names& names, const JournalEntry& entry) {
  Document table;
  visit_fields_of(Place{entry.number, entry.at}, RecordWriter(names, table));
  write_event(names, entry.event, table);
  return table;
}

std::optional<Event> event_from(const Document& document, const Names& names,
                                DocumentReader& reader, const std::string& prefix) {
  return read_event(document, names, reader, prefix, nullptr);
}

std::optional<JournalEntry> entry_from(const Document& document, const Names& names,
                                       DocumentReader& reader, const std::string& prefix) {
  Place place;
  auto event = read_event(document, names, reader, prefix, &place);
  if (!event) return std::nullopt;
  return JournalEntry{place.number, place.at, std::move(*event)};
}

Event event_from(const Document& document, const Names& names, const std::string& source) {
  DocumentReader reader(source);
  auto event = event_from(document, names, reader);
  reader.throw_if_any();
  return std::move(event).value();
}

JournalEntry entry_from(const Document& document, const Names& names, const std::string& source) {
  DocumentReader reader(source);
  auto entry = entry_from(document, names, reader);
  reader.throw_if_any();
  return std::move(entry).value();
}

}  // namespace canopy
