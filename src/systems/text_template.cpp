#include "systems/text_template.hpp"

#include "files/json.hpp"
#include "files/percent_encoding.hpp"

#include <algorithm>

namespace canopy {
namespace {

bool is_word(std::string_view text) {
  const auto is_letter = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char letter) {
           return is_letter(letter) || (letter >= '0' && letter <= '9') || letter == '-' ||
                  letter == '.';
         });
}

/// The text begins with an opening brace: returns the word up to the next brace if that is a
/// closing one, otherwise an empty text.
std::string_view word_between_braces(std::string_view text) {
  const std::size_t end = text.find_first_of("{}", 1);
  if (end == std::string_view::npos || text[end] == '{') return {};
  return text.substr(1, end - 1);
}

/// Keeps track of whether the current character is between quotes.
class QuoteReader {
 public:
  explicit QuoteReader(ValueCoding coding)
      : quotes_(coding == ValueCoding::json     ? "\""
                : coding == ValueCoding::promql ? "\"'`"
                                                : "") {}

  void read(char letter) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (quote_ == '\0') {
      if (quotes_.find(letter) != std::string_view::npos) quote_ = letter;
    } else if (letter == quote_) {
      quote_ = '\0';
    } else if (letter == '\\' && quote_ != '`') {
      is_escaped_ = true;
    }
  }
  [[nodiscard]] char quote() const { return quote_; }

 private:
  std::string_view quotes_;
  char quote_ = '\0';
  bool is_escaped_ = false;
};

std::string json_escaped(const std::string& value) {
  const std::string quoted = json_text(Document(value));
  return quoted.substr(1, quoted.size() - 2);
}

std::string promql_escaped(const std::string& value, char quote) {
  std::string text;
  for (const char letter : value) {
    if (letter == '\n') {
      text += "\\n";
      continue;
    }
    if (letter == '\\' || letter == quote) text += '\\';
    text += letter;
  }
  return text;
}

}  // namespace

ValueCoding coding_of(std::string_view content_type) {
  if (content_type.find("json") != std::string_view::npos) return ValueCoding::json;
  if (content_type.starts_with("application/x-www-form-urlencoded")) return ValueCoding::percent;
  return ValueCoding::plain;
}

TextTemplate::TextTemplate(std::string_view text, const std::vector<std::string>& names,
                           ValueCoding coding)
    : coding_(coding) {
  QuoteReader quotes(coding);
  const auto is_known = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  while (!text.empty()) {
    const bool is_double = text.starts_with("{{");
    const std::string_view name =
        text.front() == '{' ? word_between_braces(text.substr(is_double ? 1 : 0)) : "";
    const bool is_name = is_known(name) || is_word(name);
    if (is_double && is_name && text.substr(name.size() + 2).starts_with("}}")) {
      for (const char letter : text.substr(1, name.size() + 2)) add(letter);
      text.remove_prefix(name.size() + 4);
    } else if (!is_double && is_known(name)) {
      parts_.push_back({std::string(name), true, quotes.quote()});
      text.remove_prefix(name.size() + 2);
    } else {
      if (!is_double && is_name) unknown_.emplace_back(name);
      quotes.read(text.front());
      add(text.front());
      text.remove_prefix(1);
    }
  }
}

void TextTemplate::add(char letter) {
  if (parts_.empty() || parts_.back().is_value) parts_.emplace_back();
  parts_.back().text += letter;
}

bool TextTemplate::uses(std::string_view name) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const Part& part) { return part.is_value && part.text == name; });
}

std::string TextTemplate::filled(const Values& values) const {
  std::string text;
  for (const Part& part : parts_) {
    if (!part.is_value) {
      text += part.text;
      continue;
    }
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& value) { return value.first == part.text; });
    if (found == values.end()) continue;
    const std::string& value = found->second;
    if (coding_ == ValueCoding::percent) {
      text += percent_encoded(value);
    } else if (coding_ == ValueCoding::json && part.quote != '\0') {
      text += json_escaped(value);
    } else if (coding_ == ValueCoding::promql && (part.quote == '"' || part.quote == '\'')) {
      text += promql_escaped(value, part.quote);
    } else {
      text += value;
    }
  }
  return text;
}

}  // namespace canopy
