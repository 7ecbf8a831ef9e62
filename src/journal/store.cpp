#include "canopy/store.hpp"

namespace canopy {

void Journals::append(const StudyWrite& one) {
  if (one.entries.empty() && one.answers.empty()) return;
  const std::vector<std::optional<StoreError>> errors = write({&one, 1});
  if (errors.front()) throw StoreError(*errors.front());
}

}  // namespace canopy
