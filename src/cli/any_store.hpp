#pragma once

#include "canopy/store.hpp"

#include "terminal/words.hpp"

#include <memory>
#include <optional>
#include <string>

namespace canopy::cli {

/// The words that say where studies are: in a file (`--store`), or on a server (`--server`).
struct StoreFlags {
  std::optional<std::string> store;
  std::optional<std::string> server;
  std::optional<std::string> token_file;
  std::optional<std::string> ca;

  void add_to(terminal::Words& command);
};

/// Opens what the words say; `command` is named in messages. A server is asked when there is
/// something to ask. Throws WrongUse when they say both, and StoreError.
[[nodiscard]] std::unique_ptr<Store> open_any_store(const StoreFlags& flags, Store::Mode mode,
                                                    const std::string& command);

/// The same for words that name a server.
[[nodiscard]] std::unique_ptr<Store> open_server_store(const StoreFlags& flags,
                                                       const std::string& command);

/// If it is on a server that goes away, waits so long for it to come back, and says so.
void wait_for_server(Store& store, double seconds);

}  // namespace canopy::cli
