#include "canopy/family.hpp"

#include "family/list.hpp"

namespace canopy {

void add_family() {
  [[maybe_unused]] static const bool added = [] {
#define CANOPY_ADD(name) optimizers().add(name##_entry());
    CANOPY_FAMILY(CANOPY_ADD)
#undef CANOPY_ADD
    return true;
  }();
}

}  // namespace canopy
