#include "files/row.hpp"

#include "files/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace canopy {
namespace {

/// Whether a text needs no escapes in JSON.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
  });
}

template <class Number>
void append_number(std::string& text, Number number) {
  std::array<char, 32> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), result.ptr);
}

}  // namespace

// --- writing -------------------------------------------------------------------------------------

RowWriter::RowWriter(std::string& text, std::string_view name) : text_(text) {
  text_.append("[\"").append(name).append("\"");
  end_ = text_.size();
}

void RowWriter::finish() {
  text_.resize(end_);
  text_ += ']';
}

void RowWriter::write(double number) {
  append_number(text_, number);
}

void RowWriter::write(std::uint64_t whole) {
  append_number(text_, whole);
}

void RowWriter::write(const std::string& text) {
  if (is_plain(text)) {
    text_.append("\"").append(text).append("\"");
  } else {
    text_ += json_text(text);
  }
}

void RowWriter::write(const std::vector<double>& numbers) {
  text_ += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i != 0) text_ += ',';
    write(numbers[i]);
  }
  text_ += ']';
}

void RowWriter::write(const std::optional<std::array<double, 2>>& ends) {
  if (ends) {
    write(std::vector<double>{ends->front(), ends->back()});
  } else {
    text_ += "null";
  }
}

void RowWriter::write(const std::map<std::string, double>& numbers) {
  text_ += '{';
  for (const auto& [name, number] : numbers) {
    if (text_.back() != '{') text_ += ',';
    write(name);
    text_ += ':';
    write(number);
  }
  text_ += '}';
}

void RowWriter::write(const AnyRewards& rewards) {
  if (const auto* one = std::get_if<double>(&rewards)) return write(*one);
  if (const auto* list = std::get_if<std::vector<double>>(&rewards)) return write(*list);
  text_ += '{';
  visit_fields_of(std::get<Rewards>(rewards), [this](const Field& field, const auto& member) {
    if (text_.back() != '{') text_ += ',';
    text_.append("\"").append(field.name).append("\":");
    write(member);
  });
  text_ += '}';
}

// --- reading -------------------------------------------------------------------------------------

RowReader::RowReader(std::string_view text) : rest_(text) {
  expect("[");
  read(name_);
}

void RowReader::finish() {
  expect("]");
  if (!rest_.empty()) refuse("the end");
}

void RowReader::expect(std::string_view word) {
  if (!rest_.starts_with(word)) refuse(word);
  rest_.remove_prefix(word.size());
}

void RowReader::refuse_missing(std::string_view field) {
  throw RowError("has no " + std::string(field));
}

void RowReader::refuse_range(const Field& field) {
  throw RowError(std::string(field.name) + " must be " + std::string(field.range.text));
}

void RowReader::refuse(std::string_view expected) const {
  const std::string found = rest_.empty() ? "the end" : Document(rest_.substr(0, 40)).excerpt();
  throw RowError("expected " + std::string(expected) + ", found " + found);
}

void RowReader::read(double& into) {
  const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
  if (result.ec != std::errc() || !std::isfinite(into)) refuse("a number");
  rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
}

void RowReader::read(std::uint64_t& into) {
  const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
  if (result.ec != std::errc()) refuse("a whole number");
  rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
}

void RowReader::read(bool& into) {
  into = rest_.starts_with('t');
  expect(into ? "true" : "false");
}

void RowReader::read(std::string& into) {
  if (!rest_.starts_with('"')) refuse("a text");
  std::size_t end = 1;
  while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2U : 1U;
  if (end >= rest_.size()) refuse("the end of a text");
  const std::string_view quoted = rest_.substr(0, end + 1);
  const std::string_view text = quoted.substr(1, end - 1);
  if (is_plain(text)) {
    into = text;
  } else {
    try {
      into = *parse_json(quoted, "a text").as_text();
    } catch (const SpecificationError& error) {
      throw RowError(error.what());
    }
  }
  rest_.remove_prefix(quoted.size());
}

void RowReader::read(std::vector<double>& into) {
  expect("[");
  if (next_is(']')) return;
  do {
    read(into.emplace_back());
  } while (next_is(','));
  expect("]");
}

void RowReader::read(std::optional<std::array<double, 2>>& into) {
  if (rest_.starts_with('n')) return expect("null");
  std::vector<double> ends;
  read(ends);
  if (ends.size() != 2 || !(ends[0] < ends[1])) throw RowError("has no range");
  into = {ends[0], ends[1]};
}

void RowReader::read(std::map<std::string, double>& into) {
  expect("{");
  if (next_is('}')) return;
  do {
    std::string name;
    read(name);
    expect(":");
    read(into[name]);
  } while (next_is(','));
  expect("}");
}

void RowReader::read(AnyRewards& into) {
  if (rest_.starts_with('[')) {
    read(into.emplace<std::vector<double>>());
    if (count_of(into) == 0) throw RowError("has no rewards");
  } else if (rest_.starts_with('{')) {
    std::string_view before = "{";
    visit_fields(into.emplace<Rewards>(), [&](const Field& field, auto& member) {
      expect(before);
      before = ",";
      expect("\"" + std::string(field.name) + "\":");
      read(member);
    });
    expect("}");
  } else {
    read(into.emplace<double>());
  }
}

}  // namespace canopy
