#pragma once

#include <string>

namespace canopy::service {

/// The description of the service in the form of OpenAPI 3.1: src/service/openapi.json, and the
/// schemas of events from their lists of fields.
[[nodiscard]] std::string openapi_document();

}  // namespace canopy::service
