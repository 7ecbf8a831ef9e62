// Replaces server_store.cpp and the commands of the service in builds without the libraries of the
// service, such as some Python packages.

#include "cli/any_store.hpp"
#include "cli/commands.hpp"

namespace canopy::cli {
namespace {

Command add_missing(ArgumentParser app, const std::string& name) {
  (void)app.command(name, "Not in this build of canopy.");
  return {};
}

}  // namespace

Command add_dashboard(ArgumentParser app) {
  return add_missing(app, "dashboard");
}
Command add_report(ArgumentParser app) {
  return add_missing(app, "report");
}
Command add_serve(ArgumentParser app) {
  return add_missing(app, "serve");
}
Command add_token(ArgumentParser app) {
  return add_missing(app, "token");
}

AnyStore open_server_store(const StoreFlags& /*flags*/, const std::string& /*command*/) {
  throw WrongUse(std::string("--server: ") + kMissing);
}

}  // namespace canopy::cli
