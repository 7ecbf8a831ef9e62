#include "systems/command_symbols.hpp"

#include "core/excerpt.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Returns the index of a name in a list, adding it if it is new.
std::size_t number_of(std::string_view name, std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  const auto number = static_cast<std::size_t>(found - names.begin());
  if (found == names.end()) names.emplace_back(name);
  return number;
}

/// The name after an opening brace.
std::string_view name_at(std::string_view text) {
  const std::size_t end = text.find_first_of("{}");
  if (end == std::string_view::npos || text[end] == '{') {
    throw CommandLineError(fmt::format("\"{{{}\": the brace is not closed; write {{{{ for a brace",
                                       excerpt(text, 20)));
  }
  if (end == 0) throw CommandLineError("{} does not name a parameter; write {{}} for braces");
  return text.substr(0, end);
}

class WordSplitter {
 public:
  explicit WordSplitter(const CommandSymbols& symbols) : symbols_(symbols) {}

  std::vector<CommandSymbols> split() {
    for (; at_ < symbols_.size(); ++at_) {
      if (symbols_[at_].placeholder) {
        add(symbols_[at_]);
      } else {
        read(symbols_[at_]);
      }
    }
    if (quote_ != '\0') throw CommandLineError(fmt::format("a quote ({}) is not closed", quote_));
    finish_word();
    return std::move(words_);
  }

 private:
  void read(CommandSymbol symbol) {
    const char letter = symbol.letter;
    if (letter == '\\' && quote_ != '\'') {
      read_behind_backslash();
    } else if (quote_ != '\0' && letter == quote_) {
      quote_ = '\0';
    } else if (quote_ == '\0' && (letter == '\'' || letter == '"')) {
      quote_ = letter;
      in_word_ = true;  // '' is an empty word
    } else if (quote_ == '\0' && (letter == ' ' || letter == '\t' || letter == '\n')) {
      finish_word();
    } else {
      add(symbol);
    }
  }

  void read_behind_backslash() {
    if (++at_ == symbols_.size()) throw CommandLineError("there is nothing after the backslash");
    const CommandSymbol symbol = symbols_[at_];
    if (symbol.placeholder) {
      throw CommandLineError("there is a backslash before a placeholder; write {{ for a brace");
    }
    if (symbol.letter == '\n') return;
    const bool is_escape = std::string_view("$`\"\\").find(symbol.letter) != std::string_view::npos;
    if (quote_ == '"' && !is_escape) add({'\\', {}});
    add(symbol);
  }

  void add(CommandSymbol symbol) {
    word_.push_back(symbol);
    in_word_ = true;
  }

  void finish_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  const CommandSymbols& symbols_;
  std::size_t at_ = 0;
  char quote_ = '\0';  ///< the open quote, if any
  bool in_word_ = false;
  CommandSymbols word_;
  std::vector<CommandSymbols> words_;
};

}  // namespace

CommandText read_braces(std::string_view text) {
  CommandText result;
  while (!text.empty()) {
    std::size_t read = 1;
    if (text.starts_with("{{") || text.starts_with("}}")) {
      result.symbols.push_back({text.front(), {}});
      read = 2;
    } else if (text.front() == '{') {
      const std::string_view name = name_at(text.substr(1));
      result.symbols.push_back({'\0', number_of(name, result.placeholders)});
      read = name.size() + 2;
    } else if (text.front() == '}') {
      throw CommandLineError("there is a } without a {; write }} for a brace");
    } else {
      result.symbols.push_back({text.front(), {}});
    }
    text.remove_prefix(read);
  }
  return result;
}

std::vector<CommandSymbols> split_words(const CommandSymbols& symbols) {
  return WordSplitter(symbols).split();
}

}  // namespace canopy
