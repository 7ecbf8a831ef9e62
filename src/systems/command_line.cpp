#include "systems/command_line.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

const std::string& value_of(const std::string& name, const Values& values) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.first == name; });
  if (found == values.end()) throw CommandLineError(fmt::format("{{{}}} has no value", name));
  if (found->second.find('\0') != std::string::npos) {
    throw CommandLineError(fmt::format("{{{}}}: the value contains a zero byte", name));
  }
  return found->second;
}

bool is_letter_or_digit(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9');
}

bool is_in_names(char letter) {
  return is_letter_or_digit(letter) || letter == '_';
}

}  // namespace

std::string variable_of(std::string_view parameter) {
  std::string name = "CANOPY_";
  for (const char letter : parameter) name += is_letter_or_digit(letter) ? letter : '_';
  return name;
}

CommandLine::CommandLine(std::string text, bool shell) : text_(std::move(text)), shell_(shell) {
  if (text_.find('\0') != std::string::npos) throw CommandLineError("it contains a zero byte");
  if (!shell) {
    CommandText command = read_braces(text_);
    words_ = split_words(command.symbols);
    placeholders_ = std::move(command.placeholders);
  }
  const bool blank = text_.find_first_not_of(" \t\n") == std::string::npos;
  if (blank || (!shell && words_.empty())) throw CommandLineError("there is no command");
}

bool CommandLine::uses(const std::string& parameter) const {
  if (!shell_) {
    return std::find(placeholders_.begin(), placeholders_.end(), parameter) != placeholders_.end();
  }
  const std::string name = variable_of(parameter);
  for (std::size_t at = text_.find(name); at != std::string::npos; at = text_.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (end == text_.size() || !is_in_names(text_[end])) return true;
  }
  return false;
}

std::vector<std::string> CommandLine::words(const Values& values) const {
  if (shell_) return {"/bin/sh", "-c", text_};
  std::vector<std::string> arguments;
  for (const std::string& name : placeholders_) arguments.push_back(value_of(name, values));
  std::vector<std::string> result;
  for (const CommandSymbols& word : words_) {
    std::string& filled = result.emplace_back();
    for (const CommandSymbol& symbol : word) {
      if (symbol.placeholder) {
        filled += arguments[*symbol.placeholder];
      } else {
        filled += symbol.letter;
      }
    }
  }
  return result;
}

}  // namespace canopy
