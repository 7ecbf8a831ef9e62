#pragma once

#include "canopy/http_system.hpp"

#include "systems/text_template.hpp"
#include "systems/web_client.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Sets a system by the HTTP request that its study specifies.
class HttpSetter {
 public:
  /// `names` are the names of the values. Paths of secrets and certificates are relative to the
  /// folder.
  HttpSetter(const HttpApply& apply, const std::vector<std::string>& names, std::string folder);

  [[nodiscard]] bool uses(std::string_view name) const;

  /// `setting` is the whole setting as a JSON object.
  [[nodiscard]] std::optional<SystemFailure> apply(const Values& values, const std::string& setting,
                                                   const WebLimits& limits);

  /// Describes the request on one line, for users.
  [[nodiscard]] std::string text(const Values& values, const std::string& setting) const;

 private:
  [[nodiscard]] std::string body(const Values& values, const std::string& setting) const;

  HttpApply apply_;
  TextTemplate url_;
  std::optional<TextTemplate> body_;
  std::string folder_;
  WebClient client_;
};

}  // namespace canopy
