#include "files/toml.hpp"

#include <algorithm>
#include <sstream>
#include <tuple>

// toml++ asserts conditions that texts such as "[.]" violate, although it reports the error
// properly right after. With NDEBUG it even tells the compiler to assume these conditions. Both
// must be prevented.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

namespace canopy {
namespace {

// toml++ handles the parts of a dotted key recursively and without a limit. (For lists and inline
// tables, its limit is 256 levels.)
constexpr std::size_t kMostKeyParts = 16;

/// Returns the text after the string literal at its beginning.
std::string_view after_string(std::string_view text) {
  const char quote = text.front();
  const bool long_form = text.starts_with(R"(""")") || text.starts_with("'''");
  const std::string_view end = text.substr(0, long_form ? 3 : 1);
  text.remove_prefix(end.size());
  while (!text.empty() && !text.starts_with(end)) {
    if (text.front() == '\n' && !long_form) return text;  // unterminated; the parser reports it
    const std::size_t skipped = quote == '"' && text.front() == '\\' ? 2 : 1;
    text.remove_prefix(std::min(skipped, text.size()));
  }
  text.remove_prefix(std::min(end.size(), text.size()));
  for (int i = 0; i < 2 && long_form && text.starts_with(quote); ++i) text.remove_prefix(1);
  return text;
}

/// Rejects input that toml++ does not handle safely: keys with too many parts, and non-ASCII
/// characters outside strings and comments, which may cause undefined behaviour instead of an
/// error.
void check_outside_strings(std::string_view text, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr std::string_view kBetweenKeys = "=,[]{}\n";
  std::string_view rest = text;
  const auto refuse = [&](const std::string& why) {
    const auto before = std::count(text.begin(), text.end() - rest.size(), '\n');
    throw SpecificationError(
        source, {{1 + static_cast<std::uint64_t>(before), "not valid TOML: " + why, 0}});
  };
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::size_t parts = 1;
  while (!rest.empty()) {
    const char letter = rest.front();
    if (letter == '"' || letter == '\'') {
      rest = after_string(rest);
      continue;
    }
    if (static_cast<unsigned char>(letter) >= 0x80U) refuse("non-ASCII characters outside quotes");
    if (letter == '.' && ++parts > kMostKeyParts) {
      refuse("a key has more than " + std::to_string(kMostKeyParts) + " parts");
    }
    if (kBetweenKeys.find(letter) != std::string_view::npos) parts = 1;
    rest.remove_prefix(letter == '#' ? std::min(rest.find('\n'), rest.size()) : 1);
  }
}

class TomlConversion {
 public:
  explicit TomlConversion(const std::string& source) : source_(source) {}

  /// `depth` is the number of tables and lists around the node.
  [[nodiscard]] Document operator()(const toml::node& node, std::size_t depth) const {
    const std::size_t line = node.source().begin.line;
    if (depth == kDeepestDocument && !node.is_value()) {
      throw SpecificationError(
          source_,
          {{line, "nested more than " + std::to_string(kDeepestDocument) + " levels deep", 0}});
    }
    Document document = node.visit([&](const auto& value) { return of(value, depth); });
    document.set_line(line);
    return document;
  }

 private:
  [[nodiscard]] Document of(const toml::table& table, std::size_t depth) const {
    std::vector<std::pair<const toml::key*, const toml::node*>>
        entries;  // toml++ iterates in the order of names, not of lines
    for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
    std::sort(entries.begin(), entries.end(), [](const auto& left, const auto& right) {
      const toml::source_position a = left.first->source().begin;
      const toml::source_position b = right.first->source().begin;
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    Document::Table result;
    for (const auto& [key, node] : entries) {
      result.emplace_back(key->str(), (*this)(*node, depth + 1));
    }
    return result;
  }

  [[nodiscard]] Document of(const toml::array& array, std::size_t depth) const {
    Document::List list;
    for (const toml::node& node : array) list.push_back((*this)(node, depth + 1));
    return list;
  }

  template <class Value>
  [[nodiscard]] Document of(const toml::value<Value>& value, std::size_t /*depth*/) const {
    if constexpr (toml::is_date<Value> || toml::is_time<Value> || toml::is_date_time<Value>) {
      std::ostringstream text;
      text << value;
      return Document::other(text.str());
    } else {
      return value.get();
    }
  }

  const std::string& source_;
};

/// The parser's message, shortened without cutting a UTF-8 character in two.
std::string reason(const toml::parse_error& error) {
  constexpr std::size_t kLongest = 200;
  const std::string_view text = error.description();
  if (text.size() <= kLongest) return std::string(text);
  std::size_t end = kLongest;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace

bool has_comments(std::string_view text) {
  while (!text.empty() && text.front() != '#') {
    const bool is_string = text.front() == '"' || text.front() == '\'';
    text = is_string ? after_string(text) : text.substr(1);
  }
  return !text.empty();
}

Document parse_toml(std::string_view text, const std::string& source) {
  check_outside_strings(text, source);
  try {
    return TomlConversion(source)(toml::parse(text), 0);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw SpecificationError(source, {{at.line, "not valid TOML: " + reason(error), at.column}});
  }
}

}  // namespace canopy
