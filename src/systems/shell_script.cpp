#include "systems/command_symbols.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

/// Copies a command and puts a shell variable where a placeholder stands. It follows the command
/// closely enough to know the quotes around each placeholder. Should it be mistaken in a command
/// that is very odd, a value may fall apart into several words, but it is never run: the script
/// does not hold it.
class ScriptWriter {
 public:
  explicit ScriptWriter(const CommandText& command) : command_(command) {}

  std::string write() {
    for (; at_ < command_.symbols.size(); ++at_) {
      const CommandSymbol& symbol = command_.symbols[at_];
      if (symbol.placeholder) {
        write_value(*symbol.placeholder);
      } else {
        write_letter(symbol.letter);
      }
    }
    check_that_quotes_are_closed();
    return std::move(script_);
  }

 private:
  enum class Inside {
    nothing,
    parentheses,  ///< ( ) or $( ), where quotes begin anew
    single_quotes,
    double_quotes,
    backticks,
    variable,    ///< ${ }
    arithmetic,  ///< (( )) or $(( )), twice, and once more for each ( in it
    comment,
  };

  void write_letter(char letter) {
    script_ += letter;
    switch (inside_.back()) {
      case Inside::nothing:
      case Inside::parentheses:
        return follow_unquoted(letter);
      case Inside::single_quotes:
        return leave_at('\'', letter);
      case Inside::double_quotes:
        return follow_quoted('"', letter);
      case Inside::variable:
        return follow_quoted('}', letter);
      case Inside::backticks:
        return follow_backticks(letter);
      case Inside::arithmetic:
        return follow_arithmetic(letter);
      case Inside::comment:
        return leave_at('\n', letter);
    }
  }

  void follow_unquoted(char letter) {
    switch (letter) {
      case '\\':
        return copy_next();
      case '\'':
        return enter(Inside::single_quotes);
      case '"':
        return enter(Inside::double_quotes);
      case '(':
        return open_parenthesis();
      case ')':
        return leave_parentheses();
      case '<':
        here_document_ = here_document_ || next() == '<';
        return;
      case '#':
        if (begins_word()) enter(Inside::comment);
        return;
      default:
        return follow_expansion(letter);
    }
  }

  /// Inside double quotes or ${ }, which end at `end`.
  void follow_quoted(char end, char letter) {
    if (letter == '\\') return copy_next();
    if (letter == end) return leave();
    if (letter == '"') return enter(Inside::double_quotes);
    follow_expansion(letter);
  }

  void follow_backticks(char letter) {
    if (letter == '\\') return copy_next();
    leave_at('`', letter);
  }

  void follow_arithmetic(char letter) {
    if (letter == '(') return enter(Inside::arithmetic);
    if (letter == ')') return leave();
    follow_expansion(letter);
  }

  void follow_expansion(char letter) {
    if (letter == '`') return enter(Inside::backticks);
    if (letter != '$') return;
    if (next_is_placeholder()) {
      throw CommandLineError(
          "there is a $ before a placeholder; {name} is a parameter, ${{name}} the shell's "
          "variable");
    }
    if (next() == '(') {
      copy_next();
      open_parenthesis();
    } else if (next() == '{') {
      copy_next();
      enter(Inside::variable);
    }
  }

  void write_value(std::size_t placeholder) {
    refuse_if(here_document_, "after a here-document (<<)");
    refuse_if(is_inside(Inside::backticks), "inside backticks; $( ) can hold it");
    refuse_if(is_inside(Inside::variable), "inside ${ }");
    refuse_if(inside_.back() == Inside::arithmetic, "inside (( )), which would evaluate it");
    const std::string value = fmt::format("${{canopy_{}}}", placeholder + 1);
    switch (inside_.back()) {
      case Inside::comment:
        return;
      case Inside::double_quotes:
        script_ += value;
        return;
      case Inside::single_quotes:
        script_ += "'\"" + value + "\"'";
        return;
      default:
        script_ += '"' + value + '"';
        return;
    }
  }

  void refuse_if(bool refused, const char* where) const {
    if (!refused) return;
    throw CommandLineError(fmt::format("{{{}}} cannot be used {}",
                                       command_.placeholders[*command_.symbols[at_].placeholder],
                                       where));
  }

  void check_that_quotes_are_closed() const {
    if (here_document_) return;  // which may hold quotes that are none
    if (is_inside(Inside::single_quotes)) throw CommandLineError("a quote (') is not closed");
    if (is_inside(Inside::double_quotes)) throw CommandLineError("a quote (\") is not closed");
    if (is_inside(Inside::backticks)) throw CommandLineError("a backtick is not closed");
  }

  void enter(Inside what) { inside_.push_back(what); }
  void leave() { inside_.pop_back(); }
  void leave_at(char end, char letter) {
    if (letter == end) leave();
  }
  void open_parenthesis() {
    if (next() != '(') return enter(Inside::parentheses);
    copy_next();
    enter(Inside::arithmetic);
    enter(Inside::arithmetic);
  }
  void leave_parentheses() {  // the ) of a case pattern has no (
    if (inside_.back() == Inside::parentheses) leave();
  }
  [[nodiscard]] bool is_inside(Inside what) const {
    return std::find(inside_.begin(), inside_.end(), what) != inside_.end();
  }

  [[nodiscard]] char next(std::size_t ahead = 1) const {
    const std::size_t place = at_ + ahead;
    return place < command_.symbols.size() ? command_.symbols[place].letter : '\0';
  }
  [[nodiscard]] bool next_is_placeholder() const {
    return at_ + 1 < command_.symbols.size() && command_.symbols[at_ + 1].placeholder.has_value();
  }
  void copy_next() {
    if (next_is_placeholder()) {
      throw CommandLineError("there is a backslash before a placeholder; write {{ for a brace");
    }
    if (at_ + 1 < command_.symbols.size()) script_ += command_.symbols[++at_].letter;
  }
  [[nodiscard]] bool begins_word() const {
    if (at_ == 0) return true;
    const CommandSymbol& before = command_.symbols[at_ - 1];
    return !before.placeholder &&
           std::string_view(" \t\n;&|()").find(before.letter) != std::string_view::npos;
  }

  const CommandText& command_;
  std::size_t at_ = 0;
  std::vector<Inside> inside_{Inside::nothing};
  bool here_document_ = false;
  std::string script_;
};

}  // namespace

std::string shell_script(const CommandText& command) {
  std::string script = ScriptWriter(command).write();
  if (command.placeholders.empty()) return script;
  std::string assignments;
  for (std::size_t number = 1; number <= command.placeholders.size(); ++number) {
    assignments += fmt::format("canopy_{0}=${{{0}}} ", number);
  }
  return assignments + "; set --; " + script;
}

}  // namespace canopy
