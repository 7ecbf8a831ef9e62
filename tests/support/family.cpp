// Adds the algorithms of the family in test programs.

#include "canopy/family.hpp"

namespace canopy {
namespace {

[[maybe_unused]] const bool kFamilyIsAdded = [] {
  add_family();
  return true;
}();

}  // namespace
}  // namespace canopy
