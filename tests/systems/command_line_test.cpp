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
    text += 'z';  // so that a last backslash is followed by a character
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
  EXPECT_EQ(message_of("echo 'a", false), "a quote (') is not closed");
  EXPECT_EQ(message_of("echo \"a", false), "a quote (\") is not closed");
  EXPECT_EQ(message_of("echo \"a'", false), "a quote (\") is not closed");
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
  EXPECT_EQ(CommandLine("set {b} {a} '{b}' \"x{c d}\"", false).placeholders(),
            (Words{"b", "a", "c d"}));
  EXPECT_TRUE(CommandLine("awk '{{print}}'", false).placeholders().empty());
}

TEST(CommandLine, MalformedPlaceholdersAreRefused) {
  EXPECT_EQ(message_of("set {a", false), "\"{a\": the brace is not closed; write {{ for a brace");
  EXPECT_EQ(message_of("set {a{b}", false),
            "\"{a{b}\": the brace is not closed; write {{ for a brace");
  EXPECT_EQ(message_of("set {}", false), "{} does not name a parameter; write {{}} for braces");
  EXPECT_EQ(message_of("set a}", false), "there is a } without a {; write }} for a brace");
  EXPECT_EQ(message_of("set \\{a}", false),
            "there is a backslash before a placeholder; write {{ for a brace");
}

TEST(CommandLine, TwoBracesStandForOne) {
  EXPECT_EQ(words_of("a {{x}} {{{b}}} '{{'", {{"b", "1"}}), (Words{"a", "{x}", "{1}", "{"}));
}

TEST(CommandLine, APlaceholderIsFilledInInsideItsWord) {
  const Values values{{"a", "1 2"}, {"the name's", "\"q'"}, {"unused", "x"}};
  EXPECT_EQ(words_of("cmd {a} x={a}y '{a}' \"-{a}-\" {the name's}", values),
            (Words{"cmd", "1 2", "x=1 2y", "1 2", "-1 2-", "\"q'"}));
}

TEST(CommandLine, AValueStaysOneWord) {
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
  EXPECT_THROW((void)CommandLine("set {a}", false).words({{"a", std::string("1\0", 2)}}),
               CommandLineError);
}

TEST(ShellCommandLine, TheShellGetsTheTextItself) {
  const std::string text = "f() { a | b; }; f > ${c} # it's {x}";
  EXPECT_EQ(CommandLine(text, true).words({{"x", "1"}}), (Words{"/bin/sh", "-c", text}));
  EXPECT_TRUE(CommandLine(text, true).placeholders().empty());
}

TEST(ShellCommandLine, AValueIsAVariableWithTheNameOfItsParameter) {
  EXPECT_EQ(variable_of("minutes"), "CANOPY_minutes");
  EXPECT_EQ(variable_of("max-threads.2"), "CANOPY_max_threads_2");
  const CommandLine command("echo \"$CANOPY_ab\" ${CANOPY_max_threads}", true);
  EXPECT_TRUE(command.uses("ab"));
  EXPECT_TRUE(command.uses("max-threads"));
  EXPECT_FALSE(command.uses("a"));
  EXPECT_FALSE(command.uses("b"));
  EXPECT_TRUE(CommandLine("echo {a}", false).uses("a"));
  EXPECT_FALSE(CommandLine("echo {a} $CANOPY_b", false).uses("b"));
}

class Injection : public WithFolder {
 protected:
  /// Values that would create a file if any part of them were executed.
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

TEST_F(Injection, NothingInAValueIsRunByAnyShell) {
  const Words places = {"printf '[%s]' \"$CANOPY_value\"", "printf '%s' \"[${CANOPY_value}]\"",
                        "printf '%s' \"$(printf '[%s]' \"$CANOPY_value\")\"",
                        "x=$CANOPY_value; printf '[%s]' \"$x\"",
                        "f() { printf '[%s]' \"$CANOPY_value\"; }; f other words"};
  for (const char* shell : {"/bin/sh", "/bin/dash", "/bin/bash"}) {
    if (!std::filesystem::exists(shell)) continue;
    for (const std::string& place : places) {
      for (const auto& [name, value] : attacks()) {
        Words words = CommandLine(place, true).words({});
        words.front() = shell;
        const CommandResult result =
            run_command(words, {.environment = {{variable_of("value"), value}}});
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
