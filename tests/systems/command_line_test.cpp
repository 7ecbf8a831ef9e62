#include "systems/command_line.hpp"

#include "systems/command.hpp"
#include "systems/processes.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text, const Values& values = {}) {
  return CommandLine(text, false).words(values);
}

std::string message_of(const std::string& text, bool shell) {
  try {
    const CommandLine command(text, shell);
    return "accepted";
  } catch (const CommandLineError& error) {
    return error.what();
  }
}

TEST(CommandLine, IsCutAtBlanksAndLineEnds) {
  EXPECT_EQ(words_of("redis-cli  -e\tconfig\n set "), (Words{"redis-cli", "-e", "config", "set"}));
}

TEST(CommandLine, QuotesKeepBlanksTogether) {
  EXPECT_EQ(words_of(R"(a 'b  "c' "d 'e" f\ g)"), (Words{"a", "b  \"c", "d 'e", "f g"}));
  EXPECT_EQ(words_of("a'b'\"c\"d ''"), (Words{"abcd", ""}));
}

TEST(CommandLine, BackslashesWorkAsInAShell) {
  EXPECT_EQ(words_of(R"('a\b' "a\b" "a\"b" "a\\b" "a\$b" a\b \"c)"),
            (Words{R"(a\b)", R"(a\b)", R"(a"b)", R"(a\b)", "a$b", "ab", "\"c"}));
  EXPECT_EQ(words_of("a\\\nb \"c\\\nd\""), (Words{"ab", "cd"}));
}

TEST(CommandLine, NothingIsExpandedWithoutAShell) {
  EXPECT_EQ(words_of("echo $HOME * ~ `id` $(id) a|b >c; &"),
            (Words{"echo", "$HOME", "*", "~", "`id`", "$(id)", "a|b", ">c;", "&"}));
}

TEST(CommandLine, EveryShortTextIsCutAsARealShellCutsIt) {
  const std::string_view letters = R"(a '"\)";
  for (int number = 0; number < 5 * 5 * 5 * 5; ++number) {
    std::string text;
    for (int rest = number, i = 0; i < 4; ++i, rest /= 5) {
      text += letters[static_cast<std::size_t>(rest % 5)];
    }
    text += 'z';  // so that something is behind a last backslash
    const CommandResult shell = run_command({"/bin/sh", "-c", "printf '<%s>' " + text}, {});
    std::string ours;
    try {
      for (const std::string& word : words_of(text)) ours += "<" + word + ">";
    } catch (const CommandLineError&) {
      EXPECT_FALSE(shell.succeeded()) << text;
      continue;
    }
    EXPECT_EQ(shell.output, ours) << text;
  }
}

TEST(CommandLine, AnOpenQuoteIsRefused) {
  for (const bool shell : {false, true}) {
    EXPECT_EQ(message_of("echo 'a", shell), "a quote (') is not closed");
    EXPECT_EQ(message_of("echo \"a", shell), "a quote (\") is not closed");
    EXPECT_EQ(message_of("echo \"a'", shell), "a quote (\") is not closed");
  }
  EXPECT_EQ(message_of("echo `a", true), "a backtick is not closed");
  EXPECT_EQ(message_of("echo \\", false), "there is nothing after the backslash");
}

TEST(CommandLine, NoWordsAreNoCommand) {
  for (const bool shell : {false, true}) {
    EXPECT_EQ(message_of("", shell), "there is no command");
    EXPECT_EQ(message_of(" \t\n", shell), "there is no command");
    EXPECT_EQ(message_of(std::string("a\0b", 3), shell), "it contains a zero byte");
  }
}

TEST(CommandLine, PlaceholdersAreListedOnceInTheirOrder) {
  for (const bool shell : {false, true}) {
    EXPECT_EQ(CommandLine("set {b} {a} '{b}' \"x{c d}\"", shell).placeholders(),
              (Words{"b", "a", "c d"}));
    EXPECT_TRUE(CommandLine("awk '{{print}}'", shell).placeholders().empty());
  }
}

TEST(CommandLine, MalformedPlaceholdersAreRefused) {
  for (const bool shell : {false, true}) {
    EXPECT_EQ(message_of("set {a", shell), "\"{a\": the brace is not closed; write {{ for a brace");
    EXPECT_EQ(message_of("set {a{b}", shell),
              "\"{a{b}\": the brace is not closed; write {{ for a brace");
    EXPECT_EQ(message_of("set {}", shell), "{} names no parameter; write {{}} for braces");
    EXPECT_EQ(message_of("set a}", shell), "there is a } without a {; write }} for a brace");
    EXPECT_EQ(message_of("set \\{a}", shell),
              "there is a backslash before a placeholder; write {{ for a brace");
  }
}

TEST(CommandLine, TwoBracesStandForOne) {
  EXPECT_EQ(words_of("a {{x}} {{{b}}} '{{'", {{"b", "1"}}), (Words{"a", "{x}", "{1}", "{"}));
}

TEST(CommandLine, APlaceholderIsFilledInInsideItsWord) {
  const Values values{{"a", "1 2"}, {"the name's", "\"q'"}, {"unused", "x"}};
  EXPECT_EQ(words_of("cmd {a} x={a}y '{a}' \"-{a}-\" {the name's}", values),
            (Words{"cmd", "1 2", "x=1 2y", "1 2", "-1 2-", "\"q'"}));
}

TEST(CommandLine, AWordStaysOneWordWhateverTheValueHolds) {
  for (const std::string value : {"", " ", "a b", "'", "\"", "$(rm)", "`rm`", "a\nb", "-rf", "--",
                                  "\\", "{a}", "}", "*", "\x01\xff"}) {
    EXPECT_EQ(words_of("set {a} x{a}", {{"a", value}}), (Words{"set", value, "x" + value}));
  }
}

TEST(CommandLine, AMissingValueIsNamed) {
  const CommandLine command("set {a} {b}", false);
  EXPECT_THROW((void)command.words({{"a", "1"}}), CommandLineError);
  try {
    (void)command.words({{"a", "1"}});
  } catch (const CommandLineError& error) {
    EXPECT_STREQ(error.what(), "{b} has no value");
  }
}

TEST(CommandLine, AValueWithAZeroByteIsRefused) {
  for (const bool shell : {false, true}) {
    EXPECT_THROW((void)CommandLine("set {a}", shell).words({{"a", std::string("1\0", 2)}}),
                 CommandLineError);
  }
}

TEST(ShellCommandLine, WithoutPlaceholdersTheShellGetsTheTextItself) {
  EXPECT_EQ(CommandLine("a | b > c # it's", true).words({}),
            (Words{"/bin/sh", "-c", "a | b > c # it's"}));
}

TEST(ShellCommandLine, BracesOfTheShellAreWrittenTwice) {
  const Words words =
      CommandLine("x=5; f() {{ echo ${{x}}-{a}; }}; f 7", true).words({{"a", "b c"}});
  EXPECT_EQ(run_command(words, {}).output, "5-b c\n");
}

TEST(ShellCommandLine, PlaceholdersAreRefusedWhereTheShellWouldReadThemAgain) {
  EXPECT_EQ(message_of("echo `echo {a}`", true),
            "{a} cannot be used inside backticks; $( ) can hold it");
  EXPECT_EQ(message_of("echo \"`echo '{a}'`\"", true),
            "{a} cannot be used inside backticks; $( ) can hold it");
  EXPECT_EQ(message_of("echo $(( {a} + 1 ))", true),
            "{a} cannot be used inside (( )), which would evaluate it");
  EXPECT_EQ(message_of("echo \"$(( (1 + \"{a}\") ))\"", true),
            "{a} cannot be used inside (( )), which would evaluate it");
  EXPECT_EQ(message_of("(( {a} > 1 ))", true),
            "{a} cannot be used inside (( )), which would evaluate it");
  EXPECT_EQ(message_of("echo ${{x:-{a}}}", true), "{a} cannot be used inside ${ }");
  EXPECT_EQ(message_of("echo \"${{x:-\"{a}\"}}\"", true), "{a} cannot be used inside ${ }");
  EXPECT_EQ(message_of("cat <<END\n{a}\nEND", true),
            "{a} cannot be used after a here-document (<<)");
  EXPECT_EQ(message_of("echo ${a}", true),
            "there is a $ before a placeholder; {name} is a parameter, ${{name}} the shell's "
            "variable");
  EXPECT_EQ(message_of("echo \"\\{a}\"", true),
            "there is a backslash before a placeholder; write {{ for a brace");
}

TEST(ShellCommandLine, TheRestOfTheCommandIsFollowedClosely) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"echo \\' {a}", "' <x  y>\n"},
      {R"(echo \$ "\"{a}\$")", "$ \"<x  y>$\n"},
      {"# don't\necho {a}", "<x  y>\n"},
      {"echo a#'b' {a} # {a} \"", "a#b <x  y>\n"},
      {"echo $(( (1 + 2) * 3 )) {a}", "9 <x  y>\n"},
      {"echo \"$(echo \"{a}\" ')' \"$(echo {a})\") {a}\"", "<x  y> ) <x  y> <x  y>\n"},
      {R"(echo `echo \`echo 1\`` "${{x:-"1 }}"}}" {a})", "1 1 } <x  y>\n"},
      {"(echo {a}; (echo '('))", "<x  y>\n(\n"},
      {"case {a} in *) echo '{a}';; esac", "<x  y>\n"},
      {"echo '$'{a} '$''{a}'", "$<x  y> $<x  y>\n"},
  };
  for (const auto& [text, output] : expected) {
    const CommandResult result = run_command(CommandLine(text, true).words({{"a", "<x  y>"}}), {});
    EXPECT_EQ(result.output, output) << text << "\n" << result.describe();
  }
}

TEST(ShellCommandLine, ManyPlaceholdersKeepTheirPlaces) {
  std::string text = "printf '%s,'";
  std::string output;
  Values values;
  for (int i = 1; i <= 12; ++i) {
    text += " {p" + std::to_string(i) + "}";
    values.emplace_back("p" + std::to_string(i), "v " + std::to_string(i));
    output += "v " + std::to_string(i) + ",";
  }
  EXPECT_EQ(run_command(CommandLine(text, true).words(values), {}).output, output);
}

TEST(ShellCommandLine, TheValuesAreNotItsArguments) {
  const Words words = CommandLine("echo {a} $# $1", true).words({{"a", "x"}});
  EXPECT_EQ(run_command(words, {}).output, "x 0\n");
}

class Injection : public WithFolder {
 protected:
  /// Values that would make a file if anything in them were run.
  [[nodiscard]] Values attacks() const {
    const std::string touch = "touch " + path("pwned");
    std::string bytes;
    for (int byte = 1; byte < 256; ++byte) bytes += static_cast<char>(byte);
    return {{"single quotes", "'; " + touch + "; '"},
            {"double quotes", "\"; " + touch + "; \""},
            {"both quotes", "'\"; " + touch + "; \"'"},
            {"substitution", "$(" + touch + ")"},
            {"backticks", "`" + touch + "`"},
            {"arithmetic", "a[$(" + touch + ")]"},
            {"line end", "\n" + touch + "\n"},
            {"operators", "; " + touch + " & " + touch + " | " + touch + " || " + touch},
            {"closing parenthesis", "); " + touch + "; ("},
            {"comment", "# " + touch},
            {"backslash", "\\"},
            {"variable", "${canopy_1} $0 $1"},
            {"placeholder", "{value}"},
            {"glob", "/* ? [a-z] ~"},
            {"nothing", ""},
            {"blanks", "  a   b\t"},
            {"dash", "-n"},
            {"every byte", bytes}};
  }
};

TEST_F(Injection, NothingInAValueIsRunByAnyShellInAnyPlace) {
  const Words places = {"printf '[%s]' {value}",
                        "printf '[%s]' \"{value}\"",
                        "printf '[%s]' '{value}'",
                        "printf '%s' [{value}]",
                        R"(printf '%s' "["'{value}'"]")",
                        "printf '%s' \"$(printf '[%s]' {value})\"",
                        "printf '%s' \"$(printf '[%s]' \"{value}\")\"",
                        "printf '%s' \"$(printf '[%s]' '{value}')\"",
                        "x={value}; printf '[%s]' \"$x\"",
                        "f() {{ printf '[%s]' {value}; }}; f other words",
                        "printf '[%s]' {value} # {value} ' \" `"};
  for (const char* shell : {"/bin/sh", "/bin/dash", "/bin/bash"}) {
    if (!std::filesystem::exists(shell)) continue;
    for (const std::string& place : places) {
      for (const auto& [name, value] : attacks()) {
        Words words = CommandLine(place, true).words({{"value", value}});
        words.front() = shell;
        const CommandResult result = run_command(words, {});
        EXPECT_EQ(result.output, "[" + value + "]") << shell << ", " << place << ", " << name;
      }
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path("pwned")));
}

TEST_F(Injection, NothingInAValueIsRunWithoutAShell) {
  for (const auto& [name, value] : attacks()) {
    const Words words = words_of("printf [%s] {value}", {{"value", value}});
    EXPECT_EQ(run_command(words, {}).output, "[" + value + "]") << name;
  }
  EXPECT_FALSE(std::filesystem::exists(path("pwned")));
}

}  // namespace
}  // namespace canopy
