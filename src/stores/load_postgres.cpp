#include "stores/open_postgres.hpp"

#include <dlfcn.h>
#include <filesystem>

namespace canopy {
namespace {

using Open = FullStore* (*)(const std::string& address, Store::Mode mode);

/// Loads the module from the folder of this library. It is never unloaded, since stores may live
/// until the process ends.
Open load() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&load), &self);
  const auto folder = std::filesystem::path(self.dli_fname).parent_path();
  const auto file = folder / "_postgres.so";
  if (!std::filesystem::exists(file)) {
    throw StoreError(
        StoreError::Fault::unreachable,
        "this canopy was built without libpq, the PostgreSQL client library: install it with its "
        "headers (Debian's libpq-dev) and rebuild canopy to keep studies in PostgreSQL");
  }
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw StoreError(
        StoreError::Fault::unreachable,
        std::string("libpq, the PostgreSQL client library (Debian's libpq5), is required for "
                    "a store in PostgreSQL: ") +
            dlerror());
  }
  return reinterpret_cast<Open>(dlsym(library, "canopy_open_postgres"));
}

}  // namespace

std::unique_ptr<FullStore> open_postgres(const std::string& address, Store::Mode mode) {
  static const Open open = load();
  return std::unique_ptr<FullStore>(open(address, mode));
}

}  // namespace canopy
