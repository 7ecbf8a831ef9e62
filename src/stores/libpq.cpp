#include "stores/libpq.hpp"

#include "canopy/store.hpp"

#include <dlfcn.h>
#include <string>

namespace canopy {
namespace {

constexpr const char* kFile = "libpq.so.5";

[[noreturn]] void refuse() {
  throw StoreError(
      StoreError::Fault::unreachable,
      std::string("a store in PostgreSQL needs libpq, the client library of PostgreSQL "
                  "(Debian and Ubuntu: apt-get install libpq5): ") +
          dlerror());
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) refuse();
}

/// The library stays loaded: stores may outlive everything else.
Libpq load() {
  void* const library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse();
  Libpq found;
#define CANOPY_FIND(name) find(library, "PQ" #name, found.name);
  CANOPY_LIBPQ(CANOPY_FIND)
#undef CANOPY_FIND
  return found;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq functions = load();
  return functions;
}

}  // namespace canopy
