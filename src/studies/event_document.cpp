#include "studies/event_document.hpp"

#include "core/text.hpp"
#include "studies/answers.hpp"
#include "studies/system_document.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

namespace canopy {
namespace {

/// What is in the events, by name, in the order in which it is written.
template <class Fields>
struct EachField {
  Fields& field;

  void operator()(Asked& event) const {
    field("ticket", event.ticket);
    field("pulls", event.pulls);
    field("length", event.length);
    field.arm(event.arm);
    field.unless_zero("lease_seconds", event.lease);
  }
  void operator()(AskedAgain& event) const {
    field("ticket", event.ticket);
    field.arm(event.arm);
  }
  void operator()(ToldList& event) const {
    field("ticket", event.ticket);
    field("rewards", event.rewards);
  }
  void operator()(ToldSums& event) const {
    field("ticket", event.ticket);
    sums(event.rewards);
  }
  void operator()(PassedOver& event) const {
    field("ticket", event.ticket);
    sums(event.rewards);
  }
  void operator()(Barred& event) const {
    field("reward", event.reward);
    field.arm(event.arm);
  }
  void operator()(Observed& event) const {
    field.arm(event.arm);
    sums(event.rewards);
  }
  void operator()(Remembered& event) const {
    field.arm(event.arm);
    sums(event.rewards);
  }
  void operator()(Dropped& event) const { field("ticket", event.ticket); }
  void operator()(RangeSet& event) const { field("range", event.range); }
  void operator()(Finished& /*event*/) const {}
  void operator()(TunerStarted& event) const { field("earlier_seconds", event.earlier_seconds); }
  void operator()(TunerStopped& event) const {
    field("why", event.why);
    field("at_limit", event.at_limit);
  }
  void operator()(Applied& event) const {
    field("ticket", event.ticket);
    field.arm(event.arm);
  }
  void operator()(BaselineMeasured& event) const { field("reward", event.reward); }
  void operator()(Failed& event) const {
    field("ticket", event.ticket);
    field("what", event.what);
    field("for_good", event.for_good);
  }
  void operator()(PutOff& event) const {
    field("ticket", event.ticket);
    field.arm(event.arm);
  }
  void operator()(MetricsMeasured& event) const {
    field("ticket", event.ticket);
    field("metrics", event.metrics);
  }
  void operator()(ComparisonBegun& event) const {
    field("pulls", event.pulls);
    field.at_least_one("visit", event.visit);
    field.arm(event.arm);
  }
  void operator()(Compared& event) const {
    field("is_baseline", event.is_baseline);
    field("reward", event.reward);
  }
  void operator()(ComparisonEnded& event) const {
    field("confirmed", event.confirmed);
    field("verdict", event.verdict);
  }
  void operator()(ActTaken& event) const {
    field("act_number", event.number);
    field("act", event.act);
    field("pulls", event.pulls);
    field("by", event.by);
  }
  template <class Measured>  // Told, Penalized, WarmedUp, Held
  void operator()(Measured& event) const {
    field("ticket", event.ticket);
    field("reward", event.reward);
  }

 private:
  void sums(Rewards& rewards) const {
    field("count", rewards.count);
    field("sum", rewards.sum);
    field("squared_deviations", rewards.squared_deviations);
    field("min", rewards.min);
    field("max", rewards.max);
  }
};

Document whole_document(std::uint64_t whole) {
  return std::in_range<std::int64_t>(whole) ? Document(whole) : Document(std::to_string(whole));
}

Document numbers_document(const std::vector<double>& numbers) {
  return Document::List(numbers.begin(), numbers.end());
}

/// Writes the fields of an event into a table.
class FieldWriter {
 public:
  FieldWriter(const Space& space, Document& table) : space_(space), table_(table) {}

  void operator()(std::string_view name, std::uint64_t whole) {
    table_.set(name, whole_document(whole));
  }
  void operator()(std::string_view name, double number) { table_.set(name, number); }
  void operator()(std::string_view name, bool truth) { table_.set(name, truth); }
  void operator()(std::string_view name, const std::string& text) { table_.set(name, text); }
  void operator()(std::string_view name, Act act) { table_.set(name, name_of(act)); }
  void operator()(std::string_view name, const std::vector<double>& numbers) {
    table_.set(name, numbers_document(numbers));
  }
  void operator()(std::string_view name, const std::optional<RewardRange>& range) {
    table_.set(name, range ? Document(Document::List{range->begin(), range->end()}) : Document());
  }
  void operator()(std::string_view name, const std::map<std::string, double>& numbers) {
    table_.set(name, Document::Table(numbers.begin(), numbers.end()));
  }
  void unless_zero(std::string_view name, double number) {
    if (number != 0.0) table_.set(name, number);
  }
  void at_least_one(std::string_view name, std::uint64_t whole) { (*this)(name, whole); }
  void arm(const std::vector<double>& arm) {
    table_.set("coordinates", numbers_document(arm));
    if (space_.contains(arm)) table_.set("arm", arm_document(space_, arm));
  }

 private:
  const Space& space_;
  Document& table_;
};

/// Reads the fields of an event out of a table, all of which must be there.
class FieldReader {
 public:
  FieldReader(const Space& space, const Document& table, DocumentReader& reader,
              const std::string& prefix)
      : space_(space), table_(table), reader_(reader), prefix_(prefix) {}

  void operator()(std::string_view name, std::uint64_t& into) {
    const Document* value = require(name);
    if (value == nullptr) return;
    const auto whole = value->as_whole();
    const std::string* digits = value->as_text();
    if (whole && *whole >= 0) {
      into = static_cast<std::uint64_t>(*whole);
    } else if (const auto large =
                   digits != nullptr ? number_in<std::uint64_t>(*digits) : std::nullopt) {
      into = *large;
    } else {
      complain(name, value, "must be a whole number, 0 or more");
    }
  }
  void operator()(std::string_view name, double& into) {
    if (const Document* value = require(name))
      read_number(prefix_ + std::string(name), *value, into);
  }
  void operator()(std::string_view name, std::vector<double>& into) {
    if (const Document* value = require(name)) read_numbers(name, *value, into);
  }
  void operator()(std::string_view name, std::optional<RewardRange>& into) {
    const Document* value = require(name);
    if (value == nullptr || value->kind() == Document::Kind::nothing) return;
    const Document::List* ends = value->as_list();
    const auto low =
        ends != nullptr && ends->size() == 2 ? ends->front().as_number() : std::nullopt;
    const auto high = low ? ends->back().as_number() : std::nullopt;
    if (high && std::isfinite(*low) && std::isfinite(*high) && *low < *high) {
      into = RewardRange{*low, *high};
    } else {
      complain(name, value, "must be null or two finite numbers, the first below the second");
    }
  }
  void operator()(std::string_view name, std::map<std::string, double>& into) {
    const Document* value = require(name);
    if (value == nullptr) return;
    const Document::Table* table = value->as_table();
    if (table == nullptr) return complain(name, value, "must be a table of numbers");
    for (const auto& [key, number] : *table) {
      // A journal has one line for each metric.
      if (key.find('\n') != std::string::npos) {
        complain(name, value, "the name of a metric cannot have a line end");
      }
      read_number(prefix_ + std::string(name) + "." + key, number, into[key]);
    }
  }
  template <class Other>  // a text, a truth, an act
  void operator()(std::string_view name, Other& into) {
    if (require(name) != nullptr) reader_.read(table_, prefix_, name, into);
  }
  void unless_zero(std::string_view name, double& into) {
    known_.push_back(name);
    const Document* value = table_.find(name);
    if (value != nullptr) read_number(prefix_ + std::string(name), *value, into);
  }
  void at_least_one(std::string_view name, std::uint64_t& into) {
    const std::size_t before = reader_.complaints();
    (*this)(name, into);
    if (reader_.complaints() == before && into == 0) {
      complain(name, table_.find(name), "must be 1 or more");
    }
  }
  void arm(std::vector<double>& into) {
    known_.insert(known_.end(), {"coordinates", "arm"});
    const Document* coordinates = table_.find("coordinates");
    const Document* arm = table_.find("arm");
    if (coordinates == nullptr && arm == nullptr) {
      return complain("coordinates", nullptr, "is missing, or arm instead");
    }
    if (coordinates != nullptr) read_numbers("coordinates", *coordinates, into);
    if (arm == nullptr) return;
    const std::size_t before = reader_.complaints();
    const std::vector<double> named = read_arm(reader_, *arm, space_, prefix_ + "arm");
    if (coordinates == nullptr) {
      into = named;
    } else if (reader_.complaints() == before && named != into) {
      complain("arm", arm, "is not what the coordinates say");
    }
  }

  /// Complains about keys that nobody has asked for.
  void check_keys(std::initializer_list<std::string_view> others) {
    known_.insert(known_.end(), others);
    reader_.check_keys(table_, prefix_, known_);
  }

 private:
  const Document* require(std::string_view name) {
    known_.push_back(name);
    return reader_.require(table_, prefix_, name) ? table_.find(name) : nullptr;
  }

  void complain(std::string_view name, const Document* value, std::string expected) {
    reader_.complain(prefix_ + std::string(name), value, std::move(expected), &table_);
  }

  void read_number(const std::string& field, const Document& value, double& into) {
    const std::optional<double> number = value.as_number();
    if (number && std::isfinite(*number)) {
      into = *number;
    } else {
      reader_.complain(field, &value, "must be a finite number");
    }
  }

  void read_numbers(std::string_view name, const Document& value, std::vector<double>& into) {
    const Document::List* list = value.as_list();
    if (list == nullptr) return complain(name, &value, "must be a list of numbers");
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string field = prefix_ + std::string(name) + "[" + std::to_string(i) + "]";
      read_number(field, (*list)[i], into.emplace_back());
    }
  }

  const Space& space_;
  const Document& table_;
  DocumentReader& reader_;
  const std::string& prefix_;
  std::vector<std::string_view> known_;
};

constexpr std::size_t kKinds = std::variant_size_v<Event>;

/// One of each kind, with nothing in it.
template <std::size_t... kIndices>
std::array<Event, kKinds> empty_events(std::index_sequence<kIndices...> /*kinds*/) {
  return {Event(std::in_place_index<kIndices>)...};
}

/// The event of the kind that a table names, with nothing in it.
std::optional<Event> event_of_kind(const Document& table, DocumentReader& reader,
                                   const std::string& prefix) {
  static const auto all = empty_events(std::make_index_sequence<kKinds>());
  const std::span<const std::string_view> names = event_kinds();
  if (!reader.require(table, prefix, "kind")) return std::nullopt;
  const Document& kind = *table.find("kind");
  const std::string* name = kind.as_text();
  if (name == nullptr) {
    reader.complain(prefix + "kind", &kind, "must be a string");
    return std::nullopt;
  }
  const auto found = std::find(names.begin(), names.end(), *name);
  if (found == names.end()) {
    reader.complain(prefix + "kind", &kind, unknown_name("kind", *name, names));
    return std::nullopt;
  }
  return all.at(static_cast<std::size_t>(found - names.begin()));
}

void write_event(const Space& space, Event event, Document& table) {
  table.set("kind", kind_name(event));
  FieldWriter writer(space, table);
  std::visit(EachField<FieldWriter>{writer}, event);
}

/// Reads an event, and what else the table has, where it may have more.
template <class ReadMore>
std::optional<Event> read_event(const Document& document, const Space& space,
                                DocumentReader& reader, const std::string& prefix,
                                const ReadMore& read_more) {
  if (document.as_table() == nullptr) {
    const std::string field = prefix.empty() ? "event" : prefix.substr(0, prefix.size() - 1);
    reader.complain(field, &document, "must be a table");
    return std::nullopt;
  }
  const std::size_t before = reader.complaints();
  std::optional<Event> event = event_of_kind(document, reader, prefix);
  if (!event) return std::nullopt;
  FieldReader fields(space, document, reader, prefix);
  read_more(fields);
  std::visit(EachField<FieldReader>{fields}, *event);
  fields.check_keys({"kind"});
  return reader.complaints() == before ? std::move(event) : std::nullopt;
}

}  // namespace

Document event_document(const Space& space, const Event& event) {
  Document table;
  write_event(space, event, table);
  return table;
}

Document entry_document(const Space& space, const JournalEntry& entry) {
  Document table = Document::Table{{"number", whole_document(entry.number)}, {"at", entry.at}};
  write_event(space, entry.event, table);
  return table;
}

std::optional<Event> event_from(const Document& document, const Space& space,
                                DocumentReader& reader, const std::string& prefix) {
  return read_event(document, space, reader, prefix, [](FieldReader& /*fields*/) {});
}

std::optional<JournalEntry> entry_from(const Document& document, const Space& space,
                                       DocumentReader& reader, const std::string& prefix) {
  JournalEntry entry;
  auto event = read_event(document, space, reader, prefix, [&](FieldReader& fields) {
    fields("number", entry.number);
    fields("at", entry.at);
  });
  if (!event) return std::nullopt;
  entry.event = std::move(*event);
  return entry;
}

Event event_from(const Document& document, const Space& space, const std::string& source) {
  DocumentReader reader(source);
  auto event = event_from(document, space, reader);
  reader.throw_if_any();
  return std::move(event).value();
}

JournalEntry entry_from(const Document& document, const Space& space, const std::string& source) {
  DocumentReader reader(source);
  auto entry = entry_from(document, space, reader);
  reader.throw_if_any();
  return std::move(entry).value();
}

const std::vector<double>* coordinates_of(const Event& event) {
  return std::visit(
      []<class Each>(const Each& each) -> const std::vector<double>* {
        if constexpr (requires { each.arm; }) {
          return &each.arm;
        } else {
          return nullptr;
        }
      },
      event);
}

}  // namespace canopy
