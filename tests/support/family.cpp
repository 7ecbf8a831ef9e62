// Test programs know all algorithms by name.

#include "canopy/family.hpp"

namespace canopy {
namespace {

[[maybe_unused]] const bool kFamilyIsAdded = [] {
  add_family();
  return true;
}();

}  // namespace
}  // namespace canopy
