#pragma once

#include <string>

namespace canopy::service {

/// The service, described for programs: OpenAPI 3.1, as JSON. Its paths are the routes, its schemas
/// the fields of events and answers, and the rest is openapi_base.json.
[[nodiscard]] std::string openapi_document();

/// The text of openapi_base.json.
[[nodiscard]] std::string openapi_base();

}  // namespace canopy::service
