#pragma once

#include "canopy/http_system.hpp"

#include "systems/text_template.hpp"
#include "systems/web_client.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// The request of a study that sets a system.
class HttpSetter {
 public:
  /// `names` are those of the values; secrets and certificates are seen from the folder.
  HttpSetter(const HttpApply& apply, const std::vector<std::string>& names, std::string folder);

  [[nodiscard]] bool uses(std::string_view name) const;

  /// `setting` is the whole one as a JSON object.
  [[nodiscard]] std::optional<SystemFailure> apply(const Values& values, const std::string& setting,
                                                   const WebLimits& limits);

  /// What is sent, on one line for people.
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
