#pragma once

#include "canopy/store.hpp"

#include <memory>
#include <string>

namespace canopy::service {

/// The live page as one file that needs nothing else, with all that it shows of a study inside: the
/// answers of the service, by what was asked. Throws StudyError, StoreError, and std::runtime_error
/// if there is no page in this binary.
[[nodiscard]] std::string report_page(std::shared_ptr<Store> store, const std::string& study);

}  // namespace canopy::service
