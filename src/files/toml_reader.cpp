#include "files/toml_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace canopy {
namespace {

std::string value_text(const toml::node& node) {
  if (node.is_table()) return "{...}";
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  std::string line = text.str();
  if (line.size() > 60) line = line.substr(0, 57) + "...";
  return line;
}

}  // namespace

std::string read_file(const std::string& path) {
  const auto unreadable = [&](const std::string& why) {
    return SpecificationError(path + ": cannot be read: " + why);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw unreadable("it is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable(std::generic_category().message(errno));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw unreadable(std::generic_category().message(errno));
  return text;
}

toml::table parse_toml(std::string_view text, const std::string& source) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw SpecificationError(source + ":" + std::to_string(at.line) + ":" +
                             std::to_string(at.column) +
                             ": no valid TOML: " + std::string(error.description()));
  }
}

void TomlReader::check_keys(const toml::table& table, const std::string& prefix,
                            std::span<const std::string_view> known) {
  for (const auto& [key, node] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    complain(prefix + std::string(key.str()), &node, unknown_name("key", key.str(), known));
  }
}

void TomlReader::read(const toml::table& table, const std::string& prefix, std::string_view key,
                      double& into) {
  if (const auto number = get<double>(table, prefix, key, "must be a number")) into = *number;
}

void TomlReader::read(const toml::table& table, const std::string& prefix, std::string_view key,
                      std::int64_t& into) {
  const auto number = get<std::int64_t>(table, prefix, key, "must be a whole number");
  if (number) into = *number;
}

void TomlReader::read(const toml::table& table, const std::string& prefix, std::string_view key,
                      std::uint64_t& into) {
  const std::string expected = "must be a whole number, 0 or more";
  const auto number = get<std::int64_t>(table, prefix, key, expected);
  if (number && *number < 0) complain(prefix + std::string(key), table.get(key), expected);
  if (number && *number >= 0) into = static_cast<std::uint64_t>(*number);
}

void TomlReader::read(const toml::table& table, const std::string& prefix, std::string_view key,
                      bool& into) {
  if (const auto value = get<bool>(table, prefix, key, "must be true or false")) into = *value;
}

const toml::table* TomlReader::read_table(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) {
    complain(std::string(key), node, "must be a table: [" + std::string(key) + "]");
  }
  return node->as_table();
}

void TomlReader::read(const toml::table& table, const std::string& prefix, std::string_view key,
                      std::string& into) {
  if (auto text = get<std::string>(table, prefix, key, "must be a string")) {
    into = std::move(*text);
  }
}

bool TomlReader::require(const toml::table& table, const std::string& prefix,
                         std::string_view key) {
  if (table.contains(key)) return true;
  complain(prefix + std::string(key), nullptr, "is missing", &table);
  return false;
}

void TomlReader::complain(const std::string& field, const toml::node* node, std::string expected,
                          const toml::node* near) {
  if (const toml::node* place = node != nullptr ? node : near) note_line(field, *place);
  violations_.push_back({field, node != nullptr ? value_text(*node) : "", std::move(expected)});
}

void TomlReader::complain(const std::vector<Violation>& violations) {
  violations_.insert(violations_.end(), violations.begin(), violations.end());
}

void TomlReader::note_line(const std::string& field, const toml::node& node) {
  lines_.emplace_back(field, node.source().begin.line);
}

void TomlReader::throw_if_any() const {
  if (violations_.empty()) return;
  std::vector<std::string> mistakes;  // the same one may have been met at every point of a grid
  for (const Violation& violation : violations_) {
    std::string mistake = source_;
    for (const auto& [field, line] : lines_) {
      if (field != violation.field) continue;
      mistake += ":" + std::to_string(line);
      break;
    }
    mistake += ": " + violation.text();
    if (std::find(mistakes.begin(), mistakes.end(), mistake) == mistakes.end()) {
      mistakes.push_back(std::move(mistake));
    }
  }
  std::string message;
  for (const std::string& mistake : mistakes) message += (message.empty() ? "" : "; ") + mistake;
  throw SpecificationError(message);
}

}  // namespace canopy
