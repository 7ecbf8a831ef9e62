#include "systems/http_setter.hpp"

#include "core/excerpt.hpp"
#include "systems/find_program.hpp"
#include "systems/web_access.hpp"

#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::size_t kLongestBodyShown = 200;

}  // namespace

HttpSetter::HttpSetter(const HttpApply& apply, const std::vector<std::string>& names,
                       std::string folder)
    : apply_(apply),
      url_(apply.url(), names, ValueCoding::percent),
      folder_(std::move(folder)),
      client_(apply.access.ca_file.empty() ? "" : seen_from(folder_, apply.access.ca_file)) {
  if (apply.body) body_.emplace(*apply.body, names, coding_of(apply.type()));
}

bool HttpSetter::uses(std::string_view name) const {
  return url_.uses(name) || (body_ && body_->uses(name));
}

std::string HttpSetter::body(const Values& values, const std::string& setting) const {
  return body_ ? body_->filled(values) : setting;
}

std::optional<SystemFailure> HttpSetter::apply(const Values& values, const std::string& setting,
                                               const WebLimits& limits) {
  auto headers = headers_of(apply_.access, folder_);
  if (auto* failure = std::get_if<SystemFailure>(&headers)) return std::move(*failure);
  const std::string url = url_.filled(values);
  auto result = client_.send({.method = apply_.method(),
                              .url = url,
                              .headers = std::get<Headers>(std::move(headers)),
                              .body = body(values, setting),
                              .content_type = std::string(apply_.type())},
                             limits);
  if (auto* failure = std::get_if<SystemFailure>(&result)) return std::move(*failure);
  const auto& answer = std::get<WebAnswer>(result);
  if (answer.is_good()) return std::nullopt;
  return SystemFailure{refusal_text(excerpt(url, kLongestBodyShown), answer)};
}

std::string HttpSetter::text(const Values& values, const std::string& setting) const {
  const std::string sent = body(values, setting);
  return fmt::format("{} {}{}{}", apply_.method(), url_.filled(values), sent.empty() ? "" : " ",
                     excerpt(sent, kLongestBodyShown));
}

}  // namespace canopy
