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

}  // namespace

CommandLine::CommandLine(std::string text, bool shell) : text_(std::move(text)) {
  if (text_.find('\0') != std::string::npos) throw CommandLineError("it contains a zero byte");
  CommandText command = read_braces(text_);
  if (shell) {
    script_ = shell_script(command);
  } else {
    words_ = split_words(command.symbols);
  }
  const bool blank = text_.find_first_not_of(" \t\n") == std::string::npos;
  if (blank || (!shell && words_.empty())) throw CommandLineError("there is no command");
  placeholders_ = std::move(command.placeholders);
}

std::vector<std::string> CommandLine::words(const Values& values) const {
  std::vector<std::string> arguments;
  for (const std::string& name : placeholders_) arguments.push_back(value_of(name, values));
  std::vector<std::string> result;
  if (!script_.empty()) {
    result = {"/bin/sh", "-c", script_};
    if (arguments.empty()) return result;
    result.emplace_back("sh");  // its $0
    result.insert(result.end(), arguments.begin(), arguments.end());
    return result;
  }
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
