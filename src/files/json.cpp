#include "files/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using Json = nlohmann::ordered_json;

/// Builds a document from the SAX events of nlohmann-json.
class JsonBuilder final : public nlohmann::json_sax<Json> {
 public:
  JsonBuilder(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  [[nodiscard]] Document document() && { return std::move(whole_); }

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*text*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) override { return false; }  // JSON has no binary values

  bool start_array(std::size_t /*size*/) override { return open(); }
  bool end_array() override { return add(close().list); }
  bool start_object(std::size_t /*size*/) override { return open(); }
  bool end_object() override { return add(close().table); }

  bool key(std::string& key) override {
    if (!is_new(key)) {
      throw SpecificationError(source_ + ": not valid JSON: the key " + Document(key).excerpt() +
                               " appears twice in a table");
    }
    open_.back().is_table = true;
    open_.back().key = std::move(key);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    throw SpecificationError(place(position) + ": not valid JSON: " + reason(error));
  }

 private:
  /// A list or a table whose end has not been read yet.
  struct Open {
    Document::List list = {};
    Document::Table table = {};
    bool is_table = false;
    std::string key = {};                       // of the next value
    std::unordered_set<std::string> keys = {};  // keys read so far; used for large tables only
  };

  /// Returns whether the open table does not have this key yet, and records the key.
  bool is_new(const std::string& key) {
    // Up to this size, comparing keys is faster than hashing them.
    constexpr std::size_t kSmall = 16;
    Open& open = open_.back();
    if (open.table.size() < kSmall) {
      return std::none_of(open.table.begin(), open.table.end(),
                          [&](const auto& entry) { return entry.first == key; });
    }
    if (open.keys.empty()) {
      for (const auto& entry : open.table) open.keys.insert(entry.first);
    }
    return open.keys.insert(key).second;
  }

  bool open() {
    if (open_.size() == kDeepestDocument) {
      throw SpecificationError(source_ + ": nested more than " + std::to_string(kDeepestDocument) +
                               " levels deep");
    }
    open_.emplace_back();
    return true;
  }

  Open close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    return closed;
  }

  bool add(Document value) {
    if (open_.empty()) {
      whole_ = std::move(value);
    } else if (!open_.back().is_table) {
      open_.back().list.push_back(std::move(value));
    } else {
      open_.back().table.emplace_back(std::move(open_.back().key), std::move(value));
    }
    return true;
  }

  /// The position of the last of the first `bytes` bytes, as `source:line:column`.
  [[nodiscard]] std::string place(std::size_t bytes) const {
    const std::string_view before = text_.substr(0, bytes > 0 ? bytes - 1 : 0);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    return source_ + ":" + std::to_string(line) + ":" + std::to_string(column);
  }

  /// The parser's error message without its position and without the "last read" part, which may be
  /// the whole text.
  static std::string reason(const nlohmann::detail::exception& error) {
    constexpr int kNumberTooLarge = 406;
    if (error.id == kNumberTooLarge) return "a number is too large";
    std::string text = error.what();
    text.erase(0, std::min(text.find(": ") + 2, text.size()));
    return text.substr(0, text.find("; last read: "));
  }

  std::string_view text_;
  const std::string& source_;
  Document whole_;
  std::vector<Open> open_;
};

/// Writes a document as JSON, on one line or indented.
class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  [[nodiscard]] std::string text() && { return std::move(text_); }

  void write(const Document& document) {
    switch (document.kind()) {
      case Document::Kind::nothing:
        text_ += "null";
        break;
      case Document::Kind::boolean:
        text_ += *document.as_bool() ? "true" : "false";
        break;
      case Document::Kind::whole:
        write_whole(*document.as_whole());
        break;
      case Document::Kind::number:
        write_number(*document.as_number());
        break;
      case Document::Kind::text:
        write_text(*document.as_text());
        break;
      case Document::Kind::other:
        write_text(*document.as_other());
        break;
      case Document::Kind::list:
        write_all(*document.as_list(), '[', ']', [this](const Document& each) { write(each); });
        break;
      case Document::Kind::table:
        write_all(*document.as_table(), '{', '}', [this](const auto& entry) {
          write_text(entry.first);
          text_ += indent_ < 0 ? ":" : ": ";
          write(entry.second);
        });
        break;
    }
  }

 private:
  template <class Elements, class Write>
  void write_all(const Elements& elements, char begin, char end, const Write& write_one) {
    text_ += begin;
    ++depth_;
    bool is_first = true;
    for (const auto& each : elements) {
      if (!std::exchange(is_first, false)) text_ += ',';
      begin_line();
      write_one(each);
    }
    --depth_;
    if (!is_first) begin_line();
    text_ += end;
  }

  void begin_line() {
    if (indent_ < 0) return;
    text_ += '\n';
    text_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  void write_whole(std::int64_t value) {
    std::array<char, 24> digits;
    text_.append(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);
  }

  /// Writes the shortest text that reads back as the same number and is recognizable as
  /// floating-point: `1.0`.
  void write_number(double value) {
    if (!std::isfinite(value)) {
      text_ += "null";  // JSON has no NaN or infinity
      return;
    }
    const double size = std::fabs(value);
    const bool is_plain = size == 0.0 || (size >= 1e-5 && size < 1e15);
    std::array<char, 32> digits;
    char* const end =
        std::to_chars(digits.begin(), digits.end(), value,
                      is_plain ? std::chars_format::fixed : std::chars_format::scientific)
            .ptr;
    text_.append(digits.data(), end);
    if (is_plain && std::find(digits.data(), end, '.') == end) text_ += ".0";
  }

  void write_text(const std::string& text) {
    const auto is_plain = [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; };
    if (std::all_of(text.begin(), text.end(), is_plain)) {
      text_.append(1, '"').append(text).append(1, '"');
    } else {
      text_ += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }

  int indent_;
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace

Document parse_json(std::string_view text, const std::string& source) {
  // The parser stops at a zero byte and ignores what follows.
  if (text.find('\0') != std::string_view::npos) {
    throw SpecificationError(source + ": not valid JSON: a zero byte");
  }
  JsonBuilder builder(text, source);
  Json::sax_parse(text, &builder);
  return std::move(builder).document();
}

std::string json_text(const Document& document, int indent) {
  JsonWriter writer(indent);
  writer.write(document);
  return std::move(writer).text();
}

}  // namespace canopy
