#pragma once

#include "canopy/http_system.hpp"

#include "systems/web_client.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// Returns the headers of a request, with the current values of secrets; or a failure if a secret
/// is missing. Paths of files are relative to the folder.
[[nodiscard]] std::variant<Headers, SystemFailure> headers_of(const HttpAccess& access,
                                                              const std::string& folder);

/// Describes an error response, with the beginning of its body: `http://... answers 400 Bad
/// Request: no such key`.
[[nodiscard]] std::string refusal_text(const std::string& server, const WebAnswer& answer);

/// Splits a URL into origin and target: `http://a:80` and `/b?c`. Both are empty if the URL is
/// invalid.
[[nodiscard]] std::pair<std::string, std::string> parts_of_url(std::string_view url);

}  // namespace canopy
