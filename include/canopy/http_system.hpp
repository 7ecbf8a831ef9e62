#pragma once

#include "canopy/options.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>

namespace canopy {

/// A reference to a secret. A study must not contain the secret itself; it is read whenever it is
/// needed.
struct Secret {
  std::string file = {};  ///< a file whose first line is the secret, or
  std::string env = {};   ///< an environment variable

  friend bool operator==(const Secret&, const Secret&) = default;
};

template <class Visit>
void visit_fields(Secret& secret, Visit&& visit) {
  visit(Field{"file", "a file whose first line is the secret"}.or_none(), secret.file);
  visit(Field{"env", "the environment variable that holds the secret"}.or_none(), secret.env);
}

/// The value of a header.
using HeaderValue = std::variant<std::string, Secret>;

/// Credentials and settings for all requests to a server.
struct HttpAccess {
  std::optional<Secret> token = std::nullopt;
  std::map<std::string, HeaderValue> headers = {};
  std::string ca_file = {};  ///< empty: the certificates that the system trusts

  friend bool operator==(const HttpAccess&, const HttpAccess&) = default;
};

template <class Visit>
void visit_fields(HttpAccess& access, Visit&& visit) {
  visit(Field{"token",
              "sent as `Authorization: Bearer ...`: `{ env = \"PROM_TOKEN\" }` or `{ file = "
              "\"token.txt\" }`. It is read for every request and never stored"}
            .or_none(),
        access.token);
  visit(Field{"headers",
              "further headers, by name; a value is a text, or `{ env = ... }` or `{ file = ... }` "
              "as for `token`"}
            .or_none(),
        access.headers);
  visit(Field{"ca_file",
              "the certificates to trust, as a PEM file; by default those that the system trusts"}
            .or_none(),
        access.ca_file);
}

/// A request that applies a setting. Exactly one of the three addresses is not empty.
struct HttpApply {
  std::string put = {};
  std::string post = {};
  std::string patch = {};
  std::optional<std::string> body = std::nullopt;  ///< none: the setting as a JSON object
  std::string content_type = {};                   ///< empty: kJson
  HttpAccess access = {};

  static constexpr std::string_view kJson = "application/json";

  [[nodiscard]] const std::string& url() const {
    return !put.empty() ? put : !post.empty() ? post : patch;
  }
  [[nodiscard]] std::string_view method() const {
    return !put.empty() ? "PUT" : !post.empty() ? "POST" : "PATCH";
  }
  [[nodiscard]] std::string_view type() const {
    return content_type.empty() ? kJson : content_type;
  }

  friend bool operator==(const HttpApply&, const HttpApply&) = default;
};

template <class Visit>
void visit_fields(HttpApply& apply, Visit&& visit) {
  visit(Field{"put",
              "the address that a PUT is sent to; `{name}` stands for the value of a parameter, or "
              "of a `[[context]]` variable, percent-encoded"}
            .or_none(),
        apply.put);
  visit(Field{"post", "instead of `put`: the address that a POST is sent to"}.or_none(),
        apply.post);
  visit(Field{"patch", "instead of `put`: the address that a PATCH is sent to"}.or_none(),
        apply.patch);
  visit(Field{"body",
              "the text to send, with the same placeholders; by default the whole setting as a "
              "JSON object"}
            .or_none(),
        apply.body);
  visit(Field{"content_type", "type of the body; by default `application/json`"}.or_none(),
        apply.content_type);
  visit_fields(apply.access, visit);
}

/// Measurements that are read from a Prometheus server.
struct PrometheusSource {
  std::string prometheus = {};
  std::string query = {};
  std::string over = {};  ///< a PromQL duration
  std::map<std::string, std::string> metrics = {};
  HttpAccess access = {};

  friend bool operator==(const PrometheusSource&, const PrometheusSource&) = default;
};

template <class Visit>
void visit_fields(PrometheusSource& source, Visit&& visit) {
  visit(Field{"prometheus", "the address of the server: `http://localhost:9090`"},
        source.prometheus);
  visit(Field{"query",
              "PromQL whose result, one number, is the reward; `{over}` stands for the next key, "
              "`{name}` for the value of a parameter or of a `[[context]]`"},
        source.query);
  visit(Field{"over",
              "how long to wait, from the beginning of the pull, before the query is evaluated: a "
              "PromQL duration such as `60s` or `1m30s`"}
            .or_none(),
        source.over);
  visit(Field{"metrics", "queries of other numbers, by name, for `[[limit]]` and the journal"}
            .or_none(),
        source.metrics);
  visit_fields(source.access, visit);
}

}  // namespace canopy
