#pragma once

#include "canopy/store.hpp"

#include "terminal/argument_parser.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace canopy::cli {

/// The options that say where the studies are: in a store (`--store`) or on a server (`--server`).
struct StoreFlags {
  std::optional<std::string> store;
  std::optional<std::string> server;
  std::optional<std::string> token_file;
  std::optional<std::string> ca;

  void add_to(terminal::ArgumentParser& command);
  /// The file or address given by `--store`, or its default.
  [[nodiscard]] std::string store_name() const;
};

/// A local store or a server.
struct AnyStore {
  std::unique_ptr<Store> store;
  /// Sets how long to wait for an unreachable server. Does nothing for a local store.
  std::function<void(double seconds)> wait_for_server = [](double /*seconds*/) {};

  Store& operator*() const { return *store; }
  Store* operator->() const { return store.get(); }
};

/// Opens the store of these options; `command` is named in messages. A server is contacted by the
/// first request only. Throws StoreError, and WrongUse if both a store and a server are given.
[[nodiscard]] AnyStore open_any_store(const StoreFlags& flags, Store::Mode mode,
                                      const std::string& command);

/// Opens the server of these options.
[[nodiscard]] AnyStore open_server_store(const StoreFlags& flags, const std::string& command);

}  // namespace canopy::cli
