#include "cli/commands.hpp"
#include "cli/study_flags.hpp"
#include "core/text.hpp"
#include "service/log.hpp"
#include "service/server.hpp"
#include "terminal/failure.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct DashboardArguments {
  std::string store = "canopy.db";
  std::optional<std::string> port;
};

int show_dashboard(const DashboardArguments& arguments) {
  service::Log log(service::LogFormat::text, service::LogLevel::warning);
  service::ServerOptions options{.store = arguments.store, .port = 0, .read_only = true};
  if (arguments.port) {
    const auto port = number_in<std::uint16_t>(*arguments.port);
    if (!port || *port == 0) throw WrongUse("--port " + *arguments.port + ": must be 1 to 65535");
    options.port = *port;
  }
  service::Server server(options, log);
  fmt::print("{}\n", server.url());
  (void)std::fflush(stdout);
  server.run();
  return kSuccess;
}

}  // namespace

Command add_dashboard(ArgumentParser app) {
  const auto arguments = std::make_shared<DashboardArguments>();
  ArgumentParser command = app.command(
      "dashboard", "Show the studies of a store as a live, read-only page on this machine.");
  add_store_flag(command, arguments->store);
  command.option("--port", arguments->port, "the port to listen on [any free one]");
  command.footer(
      "Prints the address of the page and serves it until Ctrl-C. The page is read-only and does "
      "not disturb tuners or servers that use the store. `canopy serve` has the same page for "
      "teams, with buttons for those whose tokens allow it.\n"
      "Example:\n"
      "  canopy dashboard --store canopy.db");
  return [arguments] { return show_dashboard(*arguments); };
}

}  // namespace canopy::cli
