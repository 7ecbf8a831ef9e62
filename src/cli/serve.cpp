#include "cli/commands.hpp"
#include "cli/study_flags.hpp"
#include "core/comma_list.hpp"
#include "core/text.hpp"
#include "files/document_reader.hpp"
#include "service/log.hpp"
#include "service/server.hpp"
#include "terminal/failure.hpp"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct ServeArguments {
  std::string listen = "127.0.0.1:8731";
  std::string store = "canopy.db";
  std::optional<std::string> tokens;
  std::optional<std::string> certificate;
  std::optional<std::string> key;
  std::optional<std::string> advertise;
  std::optional<std::string> origin;
  std::optional<std::string> rate;
  std::optional<std::string> longest_body;
  std::optional<std::string> idle;
  std::optional<std::string> connections;
  std::string log_format = "text";
  std::string log_level = "info";
};

template <class Number>
Number number_of(const std::string& flag, const std::string& text, Number least) {
  const auto number = number_in<Number>(text);
  if (number && *number >= least) return *number;
  throw WrongUse(fmt::format("{} {}: must be a number of at least {}", flag, text, least));
}

template <class Enum>
Enum named(const std::string& flag, const std::string& text) {
  if (const auto value = value_named<Enum>(text)) return *value;
  throw WrongUse(flag + " " + text + ": " + must_be_one_of(EnumNames<Enum>::names));
}

/// `127.0.0.1:8731`, `[::1]:8731`
void set_address(const std::string& listen, service::ServerOptions& options) {
  const std::size_t colon = listen.rfind(':');
  const auto port = colon == std::string::npos
                        ? std::nullopt
                        : number_in<std::uint16_t>(std::string_view(listen).substr(colon + 1));
  if (!port) {
    throw WrongUse("--listen " + listen +
                   ": must be an address and a port, such as 127.0.0.1:8731");
  }
  std::string host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  options.address = host;
  options.port = *port;
}

service::ServerOptions options_of(const ServeArguments& arguments) {
  service::ServerOptions options;
  options.store = arguments.store;
  set_address(arguments.listen, options);
  options.tokens = arguments.tokens;
  options.certificate = arguments.certificate;
  options.key = arguments.key;
  if (options.certificate.has_value() != options.key.has_value()) {
    throw WrongUse("--certificate and --key: must be given together");
  }
  if (arguments.advertise) {
    options.advertise = *arguments.advertise;
    while (options.advertise.ends_with('/')) options.advertise.pop_back();
    if (!options.advertise.starts_with("http://") && !options.advertise.starts_with("https://")) {
      throw WrongUse("--advertise " + *arguments.advertise +
                     ": must begin with http:// or https://");
    }
  }
  if (arguments.origin) options.origins = words_between_commas(*arguments.origin);
  if (arguments.rate) {
    options.requests_per_second = number_of("--requests-per-second", *arguments.rate, 0.001);
  }
  if (arguments.longest_body) {
    options.longest_body =
        number_of<std::size_t>("--max-body", *arguments.longest_body, std::size_t{1024});
  }
  if (arguments.connections) {
    options.most_connections =
        number_of<std::size_t>("--max-connections", *arguments.connections, std::size_t{1});
  }
  if (arguments.idle) {
    options.study_idle = std::chrono::milliseconds(
        static_cast<std::int64_t>(1000.0 * number_of("--close-after", *arguments.idle, 0.001)));
  }
  return options;
}

}  // namespace

Command add_serve(ArgumentParser app) {
  const auto arguments = std::make_shared<ServeArguments>();
  ArgumentParser command =
      app.command("serve", "Serve the studies of a store to teams, over HTTP.");
  command.option("--listen", arguments->listen,
                 "address and port; any address other than loopback needs --tokens");
  add_store_flag(command, arguments->store);
  command.option("--tokens", arguments->tokens,
                 "a file of access tokens; `canopy token new` makes one");
  command.option("--certificate", arguments->certificate,
                 "for https: a PEM file with the certificate and its chain");
  command.option("--key", arguments->key, "for https: a PEM file with its private key");
  command.option("--advertise", arguments->advertise,
                 "the URL of this server, if several servers share a database");
  command.option("--allow-origin", arguments->origin,
                 "origins of web pages that may send requests, separated by commas [none]");
  command.option("--requests-per-second", arguments->rate,
                 "limit for every token that has no limit of its own [none]");
  command.option("--max-body", arguments->longest_body, "maximum bytes of a request [8388608]");
  command.option("--max-connections", arguments->connections,
                 "maximum number of connections [20000]");
  command.option("--close-after", arguments->idle,
                 "seconds after which an idle study is closed [60]");
  command.option("--log-format", arguments->log_format, "text or json");
  command.option("--log-level", arguments->log_level,
                 "debug (every request), info, warning or error");
  command.footer(
      "Data is on disk before a request is answered, so it survives a crash of the server. "
      "SIGTERM stops it after the requests that have arrived are answered; SIGHUP reads tokens "
      "and certificates again.\n"
      "Example:\n"
      "  canopy serve &\n"
      "  curl -s localhost:8731/v1/studies -H 'Content-Type: application/json' -d "
      "'{\"name\":\"a\",\"toml\":\"[[space]]\\nname = \\\"x\\\"\\nlow = 0.0\\nhigh = 1.0\"}'\n"
      "  curl -s -X POST localhost:8731/v1/studies/a/asks\n"
      "docs/service.md describes all routes, tokens, TLS and how to run several servers.");
  return [arguments] {
    const service::ServerOptions options = options_of(*arguments);
    service::Log log(named<service::LogFormat>("--log-format", arguments->log_format),
                     named<service::LogLevel>("--log-level", arguments->log_level));
    service::Server server(options, log);
    server.run();
    return kSuccess;
  };
}

}  // namespace canopy::cli
