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

/// The headers of a request, with secrets as they are now, or what is missing. Paths of files are
/// seen from a folder.
[[nodiscard]] std::variant<Headers, SystemFailure> headers_of(const HttpAccess& access,
                                                              const std::string& folder);

/// What a server has answered that is no success: `http://... answers 400 Bad Request: no such
/// key`, with the beginning of its body.
[[nodiscard]] std::string refusal_text(const std::string& server, const WebAnswer& answer);

/// An address without what leads to one of its pages, and the rest: `http://a:80` and `/b?c`. Both
/// are empty if that is no address.
[[nodiscard]] std::pair<std::string, std::string> parts_of_url(std::string_view url);

}  // namespace canopy
