#include "cli/any_store.hpp"

#include "canopy/stores.hpp"

#include "terminal/failure.hpp"

#include <fmt/format.h>

namespace canopy::cli {

using namespace terminal;

namespace {

constexpr const char* kDefaultStore = "canopy.db";

}  // namespace

void StoreFlags::add_to(ArgumentParser& command) {
  command.option(
      "--store", store,
      fmt::format("where the studies are: a file, or postgresql://user@host/database [{}]",
                  kDefaultStore));
  command.option("--server", server,
                 "use the studies of this server (`canopy serve`) instead: http://host:8731");
  command.option("--token-file", token_file,
                 "for --server: a file with your access token [$CANOPY_TOKEN]");
  command.option("--ca", ca,
                 "for --server with https: a file with the trusted certificates [the system's]");
}

std::string StoreFlags::store_name() const {
  return store.value_or(kDefaultStore);
}

AnyStore open_any_store(const StoreFlags& flags, Store::Mode mode, const std::string& command) {
  if (!flags.server) {
    if (flags.token_file) throw WrongUse("--token-file: needs --server");
    if (flags.ca) throw WrongUse("--ca: needs --server");
    return {open_store(flags.store_name(), mode)};
  }
  if (flags.store) throw WrongUse("--store and --server: give only one of them");
  return open_server_store(flags, command);
}

}  // namespace canopy::cli
