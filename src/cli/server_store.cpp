#include "cli/any_store.hpp"
#include "core/excerpt.hpp"
#include "files/read_file.hpp"
#include "stores/remote_store.hpp"
#include "terminal/failure.hpp"
#include "terminal/progress.hpp"
#include "terminal/say.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace canopy::cli {

using namespace terminal;

namespace {

/// Reads the client's token. Throws WrongUse if it contains a character that is not allowed in an
/// HTTP header.
std::string token_of(const StoreFlags& flags) {
  std::string token;
  std::string from = "$CANOPY_TOKEN";
  if (flags.token_file) {
    from = *flags.token_file;
    token = read_file(*flags.token_file);
    while (!token.empty() && token.find_last_of(" \t\r\n") == token.size() - 1) token.pop_back();
  } else if (const char* given = std::getenv("CANOPY_TOKEN")) {  // NOLINT(concurrency-mt-unsafe)
    token = given;
  }
  const bool sound = std::all_of(token.begin(), token.end(),
                                 [](char letter) { return letter > ' ' && letter < '\x7f'; });
  if (!sound) throw WrongUse(from + ": invalid token: contains whitespace or control characters");
  if (token.empty() && flags.token_file)
    throw WrongUse(from + ": is empty; it must contain a token");
  return token;
}

/// Prints a message on its own line, below the status line.
void say(const std::string& command, const std::string& what) {
  StatusLine().clear();
  terminal::say("canopy {}: {}\n", command, what);
}

}  // namespace

AnyStore open_server_store(const StoreFlags& flags, const std::string& command) {
  const auto address = ServerAddress::parse(*flags.server);
  if (!address) {
    throw WrongUse("--server " + excerpt(*flags.server) +
                   ": must be an address such as http://localhost:8731");
  }
  RemoteStore::Options options;
  options.http.server = *address;
  options.http.token = token_of(flags);
  options.http.ca_file = flags.ca.value_or("");
  options.http.stop = &StopOnSignal::flag();
  options.http.on_trouble = [command](const std::string& what) {
    say(command, what + "; trying again");
  };
  options.http.on_recovery = [command, name = address->text()] {
    say(command, name + " answers again");
  };
  auto store = std::make_unique<RemoteStore>(options);
  RemoteStore& remote = *store;
  return {std::move(store), [&remote](double seconds) {
            const std::chrono::duration<double> patience(seconds);
            remote.set_patience(std::chrono::duration_cast<std::chrono::milliseconds>(patience));
          }};
}

}  // namespace canopy::cli
