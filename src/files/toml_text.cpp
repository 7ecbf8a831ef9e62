#include "core/text.hpp"
#include "files/toml.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace canopy {
namespace {

constexpr std::size_t kLongestLine = 100;
constexpr std::size_t kMostHeaderParts = 4;  // deeper tables are written inline, in braces

/// The number of bytes of the UTF-8 character at the beginning of a text; 0 if it is invalid.
std::size_t bytes_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  // Overlong encodings, surrogates, and values beyond the last code point.
  const bool wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                     (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return wrong ? 0 : bytes;
}

/// The escape of a control character, which no one-line string can contain; empty for other
/// characters.
std::string control_escape(std::string_view character) {
  constexpr std::string_view kHexadecimal = "0123456789ABCDEF";
  if (character == "\xC2\x85") return "\\u0085";
  if (character == "\xE2\x80\xA8") return "\\u2028";
  if (character == "\xE2\x80\xA9") return "\\u2029";
  const auto code = static_cast<unsigned char>(character.front());
  if (code >= 0x20 && code != 0x7F) return "";
  if (code == '\b') return "\\b";
  if (code == '\t') return "\\t";
  if (code == '\n') return "\\n";
  if (code == '\f') return "\\f";
  if (code == '\r') return "\\r";
  return std::string("\\u00") + kHexadecimal[code >> 4U] + kHexadecimal[code & 15U];
}

std::string value_text(const Document& value);

std::string joined(const Document::List& list, std::string_view between) {
  std::string text;
  for (const Document& each : list) {
    if (!text.empty()) text += between;
    text += value_text(each);
  }
  return text;
}

std::string inline_table(const Document::Table& table) {
  std::string text;
  for (const auto& [key, value] : table) {
    if (value.kind() == Document::Kind::nothing) continue;
    text += text.empty() ? "{ " : ", ";
    text += toml_key(key) + " = " + value_text(value);
  }
  return text.empty() ? "{}" : text + " }";
}

/// Writes any value on one line.
std::string value_text(const Document& value) {
  switch (value.kind()) {
    case Document::Kind::nothing:
      throw std::invalid_argument("TOML cannot write null in a list");
    case Document::Kind::boolean:
      return *value.as_bool() ? "true" : "false";
    case Document::Kind::whole:
      return std::to_string(*value.as_whole());
    case Document::Kind::number:
      return toml_number(*value.as_number());
    case Document::Kind::text:
      return toml_string(*value.as_text());
    case Document::Kind::list:
      return "[" + joined(*value.as_list(), ", ") + "]";
    case Document::Kind::table:
      return inline_table(*value.as_table());
    case Document::Kind::other:
      return *value.as_other();
  }
  return "";
}

bool holds_tables(const Document& value) {
  if (value.kind() == Document::Kind::table) return true;
  const Document::List* list = value.as_list();
  return list != nullptr && std::any_of(list->begin(), list->end(), holds_tables);
}

/// Writes a table and its subtables, each part under its header.
class TomlWriter {
 public:
  [[nodiscard]] std::string text() && { return std::move(text_); }

  /// `path` is the table's header, empty for the root; `parts` is the number of keys in it.
  void write(const Document::Table& table, const std::string& path, std::size_t parts) {
    for (const auto& [key, value] : table) {
      if (value.kind() == Document::Kind::nothing || has_header(key, value, parts)) continue;
      write_line(toml_key(key) + " = ", value);
    }
    for (const auto& [key, value] : table) {
      if (!has_header(key, value, parts)) continue;
      const std::string inner = path + (path.empty() ? "" : ".") + toml_key(key);
      if (const Document::Table* below = value.as_table()) {
        if (needs_header(*below, parts + 1)) start("[" + inner + "]");
        write(*below, inner, parts + 1);
        continue;
      }
      for (const Document& each : *value.as_tables()) {
        start("[[" + inner + "]]");
        write(*each.as_table(), inner, parts + 1);
      }
    }
  }

 private:
  /// Top-level tables have a header; nested tables have one unless they are small and plain.
  static bool has_header(const std::string& key, const Document& value, std::size_t parts) {
    if (parts >= kMostHeaderParts) return false;
    if (value.as_tables() != nullptr) return true;
    const Document::Table* table = value.as_table();
    if (table == nullptr || parts == 0) return table != nullptr;
    const bool plain = std::none_of(table->begin(), table->end(),
                                    [](const auto& entry) { return holds_tables(entry.second); });
    return !plain || (key + " = " + inline_table(*table)).size() > kLongestLine;
  }

  /// A table that contains nothing but tables with headers needs no header of its own.
  static bool needs_header(const Document::Table& table, std::size_t parts) {
    return table.empty() || std::any_of(table.begin(), table.end(), [&](const auto& entry) {
             return !has_header(entry.first, entry.second, parts);
           });
  }

  void start(const std::string& header) {
    if (!text_.empty()) text_ += "\n";
    text_ += header + "\n";
  }

  void write_line(const std::string& before, const Document& value) {
    const std::string line = before + value_text(value);
    const Document::List* list = value.as_list();
    if (list == nullptr || line.size() <= kLongestLine) {
      text_ += line + "\n";
    } else {
      text_ += before + "[\n  " + joined(*list, ",\n  ") + ",\n]\n";
    }
  }

  std::string text_;
};

}  // namespace

std::string toml_text(const Document& table) {
  if (table.as_table() == nullptr) throw std::invalid_argument("a TOML text is a table");
  TomlWriter writer;
  writer.write(*table.as_table(), "", 0);
  return std::move(writer).text();
}

std::string toml_number(double number) {
  if (std::isnan(number)) return "nan";
  std::string text = to_text(number);
  return text.find_first_of(".en") == std::string::npos ? text + ".0"
                                                        : text;  // 'n' matches "inf" and "nan"
}

std::string toml_string(std::string_view text, TomlQuotes quotes) {
  std::string escaped = "\"";
  bool has_escapes = false;
  bool needs_escapes = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t bytes = bytes_of_character(rest);
    const std::string_view character = rest.substr(0, std::max<std::size_t>(bytes, 1));
    rest.remove_prefix(character.size());
    const std::string control = bytes > 0 ? control_escape(character) : "\xEF\xBF\xBD";
    const bool special = character == "\"" || character == "\\";
    if (special) escaped += '\\';
    escaped += control.empty() ? character : control;
    has_escapes |= special;
    needs_escapes |= !control.empty() || character == "'";
  }
  escaped += '"';
  if (needs_escapes || (quotes == TomlQuotes::preferably_double && !has_escapes)) return escaped;
  return "'" + std::string(text) + "'";
}

std::string toml_key(std::string_view key) {
  constexpr std::string_view kBare =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
  return bare ? std::string(key) : toml_string(key);
}

}  // namespace canopy
