#pragma once

#include "canopy/store.hpp"

#include "terminal/argument_parser.hpp"

#include <functional>
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

  void add_to(terminal::ArgumentParser& command);
  /// The file or the address of the store, unless it is on a server.
  [[nodiscard]] std::string store_name() const;
};

/// A store, wherever it is.
struct AnyStore {
  std::unique_ptr<Store> store;
  /// From now on, a server that goes away is waited for this long. Does nothing if there is none.
  std::function<void(double seconds)> wait_for_server = [](double /*seconds*/) {};

  Store& operator*() const { return *store; }
  Store* operator->() const { return store.get(); }
};

/// Opens what the words say; `command` is named in messages. A server is asked when there is
/// something to ask. Throws WrongUse when they say both, and StoreError.
[[nodiscard]] AnyStore open_any_store(const StoreFlags& flags, Store::Mode mode,
                                      const std::string& command);

/// The same for words that name a server.
[[nodiscard]] AnyStore open_server_store(const StoreFlags& flags, const std::string& command);

}  // namespace canopy::cli
