#include "service/service.hpp"

#include "canopy/clock.hpp"
#include "canopy/version.hpp"

#include "files/json.hpp"
#include "service/body.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace canopy::service {
namespace {

/// The store counts as unreachable if nothing was read from it for this long.
constexpr std::chrono::seconds kStoreIsGone{4};

/// Whether a path matches a pattern, in which `{name}` stands for any segment.
bool fits(std::string_view pattern, const std::vector<std::string>& path) {
  const auto slashes = std::count(pattern.begin(), pattern.end(), '/');
  if (static_cast<std::size_t>(slashes) != path.size()) return false;
  if (!pattern.ends_with('}') && !pattern.ends_with(path.back())) return false;
  for (const std::string& part : path) {
    if (!pattern.starts_with('/')) return false;
    pattern.remove_prefix(1);
    const std::string_view expected = pattern.substr(0, pattern.find('/'));
    if (expected != "{name}" && expected != part) return false;
    pattern.remove_prefix(expected.size());
  }
  return pattern.empty();
}

/// The methods that a path accepts: `GET, POST`.
std::string methods_of(const std::vector<std::string>& path) {
  std::string methods;
  for (const Route& route : routes()) {
    if (!fits(route.pattern, path)) continue;
    if (!methods.empty()) methods += ", ";
    methods += route.method;
  }
  return methods;
}

std::string limits_text(const Token& token) {
  std::string text = "the limit of this token is";
  if (token.requests_per_second) text += fmt::format(" {:g} requests", *token.requests_per_second);
  if (token.requests_per_second && token.bytes_per_second) text += " and";
  if (token.bytes_per_second) text += fmt::format(" {:g} bytes", *token.bytes_per_second);
  return text + " a second";
}

}  // namespace

Service::Service(std::shared_ptr<Store> store, StudyHost& host, Metrics& metrics, Options options)
    : store_(std::move(store)), host_(host), metrics_(metrics), options_(std::move(options)) {}

// --- access control --------------------------------------------------------------------------

std::shared_ptr<AccessControl> Service::access() const {
  const std::lock_guard lock(access_mutex_);
  return options_.access;
}

void Service::set_access(std::shared_ptr<AccessControl> access) {
  const std::lock_guard lock(access_mutex_);
  options_.access = std::move(access);
}

Service::Admitted Service::admit(const Request& request, std::optional<std::string_view> secret) {
  Admitted admitted;
  for (const Route& route : routes()) {
    if (route.method != request.method || !fits(route.pattern, request.path)) continue;
    admitted.route = &route;
    break;
  }
  const std::shared_ptr<AccessControl> access = this->access();
  const bool is_public = admitted.route != nullptr && !admitted.route->role;
  if (access && !is_public) {
    // Access is checked first: a client without a token does not learn which paths exist.
    if (!secret) {
      throw Problem(401, "no_token", "this request needs a token: Authorization: Bearer TOKEN")
          .with("WWW-Authenticate", "Bearer");
    }
    admitted.token = access->find(*secret);
    if (!admitted.token) {
      throw Problem(401, "unknown_token", "there is no such token")
          .with("WWW-Authenticate", "Bearer error=\"invalid_token\"");
    }
    const Token& token = *admitted.token;
    admitted.by = token.name;
    if (token.expires && machine_clock().wall_time() >= *token.expires) {
      throw Problem(401, "expired_token", "the token has expired")
          .with("WWW-Authenticate", "Bearer error=\"invalid_token\"");
    }
    if (const auto wait = access->too_many(token)) {
      throw Problem(429, "too_many_requests", limits_text(token))
          .retry_after(static_cast<unsigned>(std::ceil(*wait)));
    }
  }
  if (admitted.route == nullptr) {
    const std::string allowed = methods_of(request.path);
    if (allowed.empty()) throw Problem(404, "unknown_path", "there is nothing at this path");
    throw Problem(405, "unknown_method", "this path takes " + allowed).with("Allow", allowed);
  }
  if (options_.read_only && admitted.route->role > Role::read) {
    throw Problem(403, "forbidden", "this server is read-only");
  }
  if (admitted.token && admitted.route->role) {
    if (admitted.token->role < *admitted.route->role) {
      throw Problem(403, "forbidden",
                    fmt::format("this request needs the role {}; the token has the role {}",
                                name_of(*admitted.route->role), name_of(admitted.token->role)));
    }
    if (admitted.route->is_of_study() && !admitted.token->covers(study_of(request))) {
      throw Problem(403, "forbidden", "the token does not cover this study");
    }
  }
  return admitted;
}

void Service::count_bytes(const Admitted& admitted, std::size_t bytes) {
  if (!admitted.token) return;
  if (const auto control = access()) control->count_bytes(*admitted.token, bytes);
}

void Service::serve(const Admitted& admitted, Request& request, const Done& done) {
  try {
    request.route = admitted.route;
    request.by = admitted.by;
    request.may_see = admitted.token;
    (this->*admitted.route->serve)(request, done);
  } catch (...) {
    done(current_problem().answer(request.id));
  }
}

// --- the service itself ----------------------------------------------------------------------

// NOLINTNEXTLINE(readability-make-member-function-const): routes are not
void Service::me(const Request& request, Done done) {
  Query(request).check();
  const Role default_role = options_.read_only ? Role::read : Role::admin;
  const Role role = request.may_see ? request.may_see->role : default_role;
  Document::List roles;
  for (const std::string_view name : EnumNames<Role>::names) {
    if (value_named<Role>(name) <= role) roles.emplace_back(name);
  }
  Document::List studies;
  if (request.may_see) {
    for (const std::string& pattern : request.may_see->studies) studies.emplace_back(pattern);
  } else {
    studies.emplace_back("*");
  }
  const Done answer = std::move(done);
  answer(json_answer(Document::Table{{"name", request.by.empty() ? "anonymous" : request.by},
                                     {"role", name_of(role)},
                                     {"roles", std::move(roles)},
                                     {"studies", std::move(studies)},
                                     {"version", CANOPY_VERSION}}));
}

void Service::health(const Request& /*request*/, Done done) {
  const Done answer = std::move(done);
  answer(json_answer(Document::Table{{"status", "ok"}}));
}

void Service::ready(const Request& /*request*/, Done done) {
  if (stopping_) throw Problem(503, "stopping", "the server is stopping").retry_after(5);
  if (store_seen_.load() < SteadyClock::now() - kStoreIsGone) {
    throw Problem(503, "not_stored", "the store cannot be read").retry_after(2);
  }
  const Done answer = std::move(done);
  answer(json_answer(Document::Table{{"status", "ready"}}));
}

void Service::look_for_store() {
  if (is_looking_.exchange(true)) return;  // the last check still hangs
  host_.post([this] {
    try {
      (void)store_->list({"", 1});
      store_seen_ = SteadyClock::now();
    } catch (const StoreError&) {
      store_seen_ = SteadyClock::time_point::min() + kStoreIsGone;  // unreachable
    }
    is_looking_ = false;
  });
}

void Service::metrics(const Request& request, Done done) {
  host_.run(
      request,
      [this](Store& /*store*/) {
        metrics_.set_studies(host_.counts());
        return Response{200, metrics_.text(), "text/plain; version=0.0.4; charset=utf-8"};
      },
      std::move(done));
}

void Service::openapi(const Request& /*request*/, Done done) {
  const Done answer = std::move(done);
  answer({200, options_.openapi});
}

}  // namespace canopy::service
