#include "canopy/stores.hpp"

#include "stores/list.hpp"

#include <algorithm>

namespace canopy {
namespace {

const StoreEntry& entry_for(const std::string& name) {
  static const std::vector<StoreEntry> entries{
#define CANOPY_ENTRY(name) name##_store_entry(),
      CANOPY_STORES(CANOPY_ENTRY)
#undef CANOPY_ENTRY
  };
  return *std::find_if(entries.begin(), entries.end(), [&](const StoreEntry& entry) {
    return std::any_of(entry.prefixes.begin(), entry.prefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
  });
}

}  // namespace

std::unique_ptr<FullStore> open_store(const std::string& name, Store::Mode mode) {
  return entry_for(name).open(name, mode);
}

std::vector<std::string> find_faults(const std::string& name) {
  const StoreEntry& entry = entry_for(name);
  return entry.find_faults != nullptr ? entry.find_faults(name) : std::vector<std::string>{};
}

}  // namespace canopy
