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
                 "the server that has them instead, of `canopy serve`: http://host:8731");
  command.option("--token-file", token_file,
                 "for --server: a file with the token that says who you are [$CANOPY_TOKEN]");
  command.option("--ca", ca,
                 "for --server with https: a file with the certificates to trust [the system's]");
}

std::string StoreFlags::store_name() const {
  return store.value_or(kDefaultStore);
}

AnyStore open_any_store(const StoreFlags& flags, Store::Mode mode, const std::string& command) {
  if (!flags.server) {
    if (flags.token_file) throw WrongUse("--token-file: is for --server");
    if (flags.ca) throw WrongUse("--ca: is for --server");
    return {open_store(flags.store_name(), mode)};
  }
  if (flags.store) throw WrongUse("--store and --server: give one of them");
  return open_server_store(flags, command);
}

}  // namespace canopy::cli
