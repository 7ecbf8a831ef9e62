#include "files/record.hpp"

#include "core/text.hpp"
#include "files/arm_document.hpp"

#include <utility>

namespace canopy {

// --- writing -------------------------------------------------------------------------------------

Document RecordWriter::whole_document(std::uint64_t whole) {
  // A document has only signed 64-bit integers; larger ones are written as text.
  return std::in_range<std::int64_t>(whole) ? Document(whole) : Document(std::to_string(whole));
}

Document RecordWriter::value_of(const std::vector<double>& numbers) {
  return Document::List(numbers.begin(), numbers.end());
}

Document RecordWriter::value_of(const std::vector<std::uint64_t>& numbers) {
  Document::List list;
  for (const std::uint64_t number : numbers) list.push_back(whole_document(number));
  return list;
}

Document RecordWriter::value_of(const std::vector<std::string>& texts) {
  return Document::List(texts.begin(), texts.end());
}

Document RecordWriter::value_of(const std::array<double, 2>& ends) {
  return Document::List{ends.front(), ends.back()};
}

Document RecordWriter::value_of(const std::optional<std::array<double, 2>>& ends) {
  return ends ? value_of(*ends) : Document();
}

Document RecordWriter::value_of(const std::map<std::string, double>& numbers) {
  return Document::Table(numbers.begin(), numbers.end());
}

void RecordWriter::operator()(const ArmField& field, const std::vector<double>& arm) {
  if (field.may_be_missing && arm.empty()) return;
  table_.set(field.coordinates, value_of(arm));
  if (names_.space.contains(arm)) table_.set(field.name, arm_document(names_.space, arm));
}

void RecordWriter::operator()(const ContextField& field, const std::vector<double>& context) {
  if (field.may_be_missing && context.empty()) return;
  table_.set(field.coordinates, value_of(context));
  if (auto named = context_document(names_.contexts, context)) {
    table_.set(field.name, *std::move(named));
  }
}

void RecordWriter::operator()(const RewardsField& field, const AnyRewards& rewards) {
  if (const auto* one = std::get_if<double>(&rewards)) {
    table_.set("reward", *one);
  } else if (const auto* list = std::get_if<std::vector<double>>(&rewards)) {
    table_.set(field.name, value_of(*list));
  } else {
    visit_fields_of(std::get<Rewards>(rewards), *this);
  }
}

void RecordWriter::operator()(const SettingField& field,
                              const std::optional<std::vector<std::vector<double>>>& arms) {
  if (!arms) return;
  Document::List list;
  for (const std::vector<double>& arm : *arms) {
    list.push_back(names_.space.contains(arm) ? arm_document(names_.space, arm) : Document());
  }
  table_.set(field.name, std::move(list));
}

void RecordWriter::set_arm(const Field& field, Arm arm) {
  table_.set(field.name, arm_document(names_.space, arm));
}

void RecordWriter::set_numbers(const Field& field, const std::vector<double>& numbers) {
  Document by_name;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    by_name.set(names_.space.parameters()[i].name, numbers[i]);
  }
  table_.set(field.name, std::move(by_name));
}

// --- reading -------------------------------------------------------------------------------------

/// Reads coordinates, or the named values that `read_named(document, field)` returns, or both.
template <class ReadNamed>
void RecordReader::read_coordinates(const Field& field, std::string_view coordinates_key,
                                    std::vector<double>& into, const ReadNamed& read_named) {
  known_.insert(known_.end(), {coordinates_key, field.name});
  const Document* coordinates = table_.find(coordinates_key);
  const Document* named = table_.find(field.name);
  if (coordinates == nullptr && named == nullptr) {
    if (field.may_be_missing) return;
    return complain(coordinates_key, nullptr,
                    "is missing: give " + std::string(coordinates_key) + ", " +
                        std::string(field.name) + " or both");
  }
  if (coordinates != nullptr) read_numbers(std::string(coordinates_key), *coordinates, into);
  if (named == nullptr) return;
  const std::size_t before = reader_.complaints();
  const std::vector<double> by_name = read_named(*named, prefix_ + std::string(field.name));
  if (coordinates == nullptr) {
    into = by_name;
  } else if (reader_.complaints() == before && by_name != into) {
    complain(field.name, named, "contradicts the coordinates");
  }
}

void RecordReader::operator()(const ArmField& field, std::vector<double>& arm) {
  read_coordinates(field, field.coordinates, arm, [&](const Document& named, const auto& where) {
    return read_arm(reader_, named, names_.space, where);
  });
}

void RecordReader::operator()(const ContextField& field, std::vector<double>& context) {
  read_coordinates(field, field.coordinates, context,
                   [&](const Document& named, const auto& where) {
                     return read_context(reader_, named, names_.contexts, where);
                   });
}

void RecordReader::operator()(const RewardsField& field, AnyRewards& rewards) {
  const bool has_one = table_.find("reward") != nullptr;
  const bool has_list = table_.find(field.name) != nullptr;
  const bool has_sums = table_.find("count") != nullptr;
  const int forms =
      static_cast<int>(has_one) + static_cast<int>(has_list) + static_cast<int>(has_sums);
  if (forms == 0) {
    return complain("reward", nullptr,
                    "is missing: give reward, rewards, or count and the other sums");
  }
  if (forms > 1) {
    complain("reward", nullptr, "is given twice: give only one of reward, rewards and the sums");
  }
  if (has_sums) {
    visit_fields(rewards.emplace<Rewards>(), *this);
    if (sums_of(rewards).count == 0) complain("count", table_.find("count"), "must be 1 or more");
  } else if (has_list) {
    (*this)(static_cast<const Field&>(field), rewards.emplace<std::vector<double>>());
    if (count_of(rewards) == 0) complain(field.name, table_.find(field.name), "must not be empty");
  } else {
    (*this)(Field{"reward", field.help}, rewards.emplace<double>());
  }
}

void RecordReader::check_keys(std::initializer_list<std::string_view> others) {
  known_.insert(known_.end(), others);
  reader_.check_keys(table_, prefix_, known_);
}

void RecordReader::read(const Field& field, const Document& value, std::uint64_t& into) {
  const auto whole = value.as_whole();
  const std::string* digits = value.as_text();
  const auto large = digits != nullptr ? number_in<std::uint64_t>(*digits) : std::nullopt;
  if ((!whole || *whole < 0) && !large) {
    return complain(field.name, &value, "must be a whole number, 0 or more");
  }
  into = large ? *large : static_cast<std::uint64_t>(*whole);
  if (!field.range.contains(static_cast<double>(into))) {
    complain(field.name, &value, "must be " + std::string(field.range.text));
  }
}

void RecordReader::read(const Field& field, const Document& value, double& into) {
  read_number(prefix_ + std::string(field.name), value, into);
}

void RecordReader::read(const Field& field, const Document& value, std::vector<double>& into) {
  read_numbers(std::string(field.name), value, into);
}

void RecordReader::read(const Field& field, const Document& value,
                        std::optional<std::array<double, 2>>& into) {
  if (value.kind() == Document::Kind::nothing) return;
  const Document::List* ends = value.as_list();
  const auto low = ends != nullptr && ends->size() == 2 ? ends->front().as_number() : std::nullopt;
  const auto high = low ? ends->back().as_number() : std::nullopt;
  if (high && std::isfinite(*low) && std::isfinite(*high) && *low < *high) {
    into = {*low, *high};
  } else {
    complain(field.name, &value, "must be null or two finite numbers, the first below the second");
  }
}

void RecordReader::read(const Field& field, const Document& value,
                        std::map<std::string, double>& into) {
  const Document::Table* table = value.as_table();
  if (table == nullptr) return complain(field.name, &value, "must be a table of numbers");
  for (const auto& [key, number] : *table) {
    read_number(prefix_ + std::string(field.name) + "." + key, number, into[key]);
  }
}

void RecordReader::complain(std::string_view name, const Document* value, std::string expected) {
  reader_.complain(prefix_ + std::string(name), value, std::move(expected), &table_);
}

void RecordReader::read_number(const std::string& name, const Document& value, double& into) {
  const std::optional<double> number = value.as_number();
  if (number && std::isfinite(*number)) {
    into = *number;
  } else {
    reader_.complain(name, &value, "must be a finite number");
  }
}

void RecordReader::read_numbers(const std::string& name, const Document& value,
                                std::vector<double>& into) {
  const Document::List* list = value.as_list();
  if (list == nullptr) return complain(name, &value, "must be a list of numbers");
  for (std::size_t i = 0; i < list->size(); ++i) {
    read_number(prefix_ + name + "[" + std::to_string(i) + "]", (*list)[i], into.emplace_back());
  }
}

}  // namespace canopy
