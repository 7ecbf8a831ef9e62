#pragma once

#include <string>

namespace canopy::service {

/// Returns the OpenAPI 3.1 document of the service as JSON. It is built from the routes, from the
/// field lists of events and answers, and from openapi_base.json.
[[nodiscard]] std::string openapi_document();

/// Returns the text of openapi_base.json.
[[nodiscard]] std::string openapi_base();

}  // namespace canopy::service
