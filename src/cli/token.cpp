#include "canopy/clock.hpp"
#include "canopy/output_error.hpp"

#include "cli/commands.hpp"
#include "cli/study_text.hpp"
#include "core/comma_list.hpp"
#include "core/text.hpp"
#include "files/document_reader.hpp"
#include "service/tokens.hpp"
#include "terminal/failure.hpp"
#include "terminal/say.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

using service::Role;
using service::Token;

struct TokenArguments {
  std::string action;
  std::string file = "canopy-tokens.toml";
  std::optional<std::string> name;
  std::string role = "work";
  std::string studies = "*";
  std::optional<std::string> days;
  std::array<std::optional<std::string>, service::kQuotas.size()> quotas;
};

/// `--requests-per-second`
std::string flag_of(const service::Quota& quota) {
  std::string flag = "--" + std::string(quota.name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

/// Replaces the file atomically. Only its owner may read it.
void write_tokens(const std::string& path, const std::vector<Token>& tokens) {
  const std::string text = service::text_of(tokens);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw WrongUse("--file " + path + ": is not a file; nothing was changed");
  }
  const std::string next = path + ".new";
  const auto fail = [&] {
    throw OutputError(next + ": cannot be written: " + std::generic_category().message(errno));
  };
  const int file = open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) fail();
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(file) == 0;
  if (close(file) != 0 || !written) fail();
  if (std::rename(next.c_str(), path.c_str()) != 0) fail();
}

std::vector<Token> tokens_in(const std::string& file) {
  return std::filesystem::exists(file) ? service::load_tokens(file) : std::vector<Token>();
}

double positive(const std::string& flag, const std::string& text) {
  const auto number = number_in<double>(text);
  if (number && *number > 0.0) return *number;
  throw WrongUse(flag + " " + text + ": must be a number above 0");
}

int make_token(const TokenArguments& arguments) {
  Token token;
  token.name = arguments.name.value_or("");
  if (token.name.empty())
    throw WrongUse("--name: is missing; give the name of the user or program that gets the token");
  const auto role = value_named<Role>(arguments.role);
  if (!role) {
    throw WrongUse("--role " + arguments.role + ": " + must_be_one_of(EnumNames<Role>::names));
  }
  token.role = *role;
  token.studies = words_between_commas(arguments.studies);
  if (token.studies.empty()) throw WrongUse("--studies: must have at least one pattern");
  if (arguments.days) {
    token.expires =
        machine_clock().wall_time() + 86'400.0 * positive("--expires-days", *arguments.days);
  }
  for (std::size_t i = 0; i < service::kQuotas.size(); ++i) {
    const service::Quota& quota = service::kQuotas[i];
    if (arguments.quotas[i]) token.*quota.limit = positive(flag_of(quota), *arguments.quotas[i]);
  }
  std::vector<Token> tokens = tokens_in(arguments.file);
  for (const Token& each : tokens) {
    if (each.name == token.name) {
      throw WrongUse("--name " + token.name +
                     ": a token of this name exists already; revoke it first");
    }
  }
  const std::string secret = service::new_secret();
  token.hash = service::hash_of(secret);
  tokens.push_back(token);
  write_tokens(arguments.file, tokens);
  fmt::print("{}\n", secret);
  terminal::say(
      "The token is shown only once: {} stores only its hash. Send the server a SIGHUP "
      "to reload the file.\n",
      arguments.file);
  return kSuccess;
}

/// `requests_per_second 50, max_tickets 100`
std::string limits_text(const Token& token) {
  std::string text;
  for (const service::Quota& quota : service::kQuotas) {
    if (!(token.*quota.limit)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", quota.name,
                        to_text(*(token.*quota.limit)));
  }
  return text;
}

int list_tokens(const TokenArguments& arguments) {
  fmt::print("{:<24}{:<8}{:<24}{:<22}{}\n", "name", "role", "studies", "expires", "limits");
  for (const Token& token : service::load_tokens(arguments.file)) {
    fmt::print("{:<24}{:<8}{:<24}{:<22}{}\n", token.name, name_of(token.role),
               fmt::format("{}", fmt::join(token.studies, ",")),
               token.expires ? date_text(*token.expires) : "never", limits_text(token));
  }
  return kSuccess;
}

int revoke_token(const TokenArguments& arguments) {
  std::vector<Token> tokens = service::load_tokens(arguments.file);
  const std::string name = arguments.name.value_or("");
  std::vector<std::string_view> names;
  names.reserve(tokens.size());
  for (const Token& token : tokens) names.push_back(token.name);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw WrongUse("--name " + name + ": " + unknown_name("token", name, names));
  }
  std::erase_if(tokens, [&](const Token& token) { return token.name == name; });
  write_tokens(arguments.file, tokens);
  terminal::say("Send the server a SIGHUP to reload the file.\n");
  return kSuccess;
}

}  // namespace

Command add_token(ArgumentParser app) {
  const auto arguments = std::make_shared<TokenArguments>();
  ArgumentParser command =
      app.command("token", "Manage the access tokens of `canopy serve`: new, list, revoke.");
  command.option("ACTION", arguments->action, "new, list or revoke");
  command.option("--file", arguments->file, "file of tokens; it stores only their hashes");
  command.option("--name", arguments->name,
                 "name of the user or program; its commands are recorded under this name");
  command.option("--role", arguments->role,
                 "read (view), work (create studies, ask and tell, tune), admin (steer, delete)");
  command.option("--studies", arguments->studies,
                 "glob patterns of the studies it covers, separated by commas");
  command.option("--expires-days", arguments->days, "days until it expires [never]");
  for (std::size_t i = 0; i < service::kQuotas.size(); ++i) {
    const service::Quota& quota = service::kQuotas[i];
    command.option(flag_of(quota), arguments->quotas[i],
                   fmt::format("maximum {} [no limit]", quota.help));
  }
  command.footer(
      "Example:\n"
      "  canopy token new --name nightly --role work --studies 'cache-*'\n"
      "  canopy serve --listen 0.0.0.0:8731 --tokens canopy-tokens.toml --certificate cert.pem "
      "--key key.pem");
  return [arguments] {
    if (arguments->action == "new") return make_token(*arguments);
    if (arguments->action == "list") return list_tokens(*arguments);
    if (arguments->action == "revoke") return revoke_token(*arguments);
    throw WrongUse(arguments->action.empty() ? "ACTION: is missing: new, list or revoke"
                                             : arguments->action + ": must be new, list or revoke");
  };
}

}  // namespace canopy::cli
