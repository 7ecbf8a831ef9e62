#include "files/json.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using Json = nlohmann::ordered_json;

/// Builds a document from what the parser of nlohmann-json calls out while it reads.
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
  bool binary(Json::binary_t& /*value*/) override { return false; }  // JSON has none

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
  /// A list or a table that is not yet complete.
  struct Open {
    Document::List list = {};
    Document::Table table = {};
    bool is_table = false;
    std::string key = {};                       // the next value's
    std::unordered_set<std::string> keys = {};  // so far, of a large table
  };

  /// Whether the open table has no such key; remembers it.
  bool is_new(const std::string& key) {
    constexpr std::size_t kSmall = 16;  // keys that are sooner compared than hashed
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
                               " deep");
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

  /// `source:line:column` of the last of that many bytes.
  [[nodiscard]] std::string place(std::size_t bytes) const {
    const std::string_view before = text_.substr(0, bytes > 0 ? bytes - 1 : 0);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    return source_ + ":" + std::to_string(line) + ":" + std::to_string(column);
  }

  /// What the parser says, without its own account of the place and what it read last, which may
  /// be the whole text.
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

Json to_json(const Document& document) {
  switch (document.kind()) {
    case Document::Kind::nothing:
      return nullptr;
    case Document::Kind::boolean:
      return *document.as_bool();
    case Document::Kind::whole:
      return *document.as_whole();
    case Document::Kind::number:
      return *document.as_number();
    case Document::Kind::text:
      return *document.as_text();
    case Document::Kind::other:
      return *document.as_other();
    case Document::Kind::list: {
      Json list = Json::array();
      for (const Document& each : *document.as_list()) list.push_back(to_json(each));
      return list;
    }
    case Document::Kind::table: {
      Json table = Json::object();
      auto& entries = table.get_ref<Json::object_t&>();
      // As the vector that it is: as a map it would search all keys for each that is added.
      Json::object_t::Container& vector = entries;
      for (const auto& [key, value] : *document.as_table()) {
        vector.emplace_back(key, to_json(value));
      }
      return table;
    }
  }
  return nullptr;
}

}  // namespace

Document parse_json(std::string_view text, const std::string& source) {
  // The parser takes a zero byte for the end of the text, whatever follows.
  if (text.find('\0') != std::string_view::npos) {
    throw SpecificationError(source + ": not valid JSON: a zero byte");
  }
  JsonBuilder builder(text, source);
  Json::sax_parse(text, &builder);
  return std::move(builder).document();
}

std::string json_text(const Document& document, int indent) {
  return to_json(document).dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace canopy
