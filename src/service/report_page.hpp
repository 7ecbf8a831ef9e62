#pragma once

#include "canopy/store.hpp"

#include <memory>
#include <string>

namespace canopy::service {

/// Returns the live page of a study as one self-contained HTML file, with the answers that the page
/// would request from the service embedded. Throws StudyError, StoreError, and std::runtime_error
/// if this binary has no page.
[[nodiscard]] std::string report_page(std::shared_ptr<Store> store, const std::string& study);

}  // namespace canopy::service
