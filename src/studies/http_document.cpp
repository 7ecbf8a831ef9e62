#include "studies/http_document.hpp"

#include "canopy/specification_error.hpp"

#include "files/json.hpp"
#include "systems/live_system.hpp"
#include "systems/promql.hpp"
#include "systems/text_template.hpp"
#include "systems/web_access.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace canopy {
namespace {

using Texts = std::map<std::string, std::string>;
using HeaderTable = std::map<std::string, HeaderValue>;

/// The message for a secret in plain text. The secret itself is not shown.
constexpr const char* kWouldBeKept =
    "would be stored in the study: write { env = \"NAME\" } or { file = \"PATH\" } to say where it "
    "is";

// --- reading -------------------------------------------------------------------------------------

std::optional<Secret> read_secret(DocumentReader& reader, const Document& value,
                                  const std::string& key) {
  if (value.as_table() == nullptr) {
    reader.complain(key, nullptr, kWouldBeKept, &value);
    return std::nullopt;
  }
  Secret secret;
  std::vector<std::string_view> keys;
  visit_fields(secret, [&](const Field& field, std::string& member) {
    keys.push_back(field.name);
    reader.read(value, key + ".", field.name, member);
  });
  reader.check_keys(value, key + ".", keys);
  if (secret.file.empty() == secret.env.empty()) {
    reader.complain(key, &value, "must have either env or file");
  }
  return secret;
}

bool is_header_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(letter)) !=
               std::string_view::npos;
  });
}

bool is_called(std::string_view name, std::string_view other) {
  return std::equal(name.begin(), name.end(), other.begin(), other.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

/// Checks the text of a header, which is stored in the study.
void check_header_text(DocumentReader& reader, const Document& value, const std::string& key,
                       std::string_view name, const std::string& text) {
  if (is_called(name, "Authorization") || is_called(name, "Cookie")) {
    reader.complain(key, nullptr, kWouldBeKept, &value);
  }
  const bool is_clean = std::none_of(text.begin(), text.end(), [](unsigned char letter) {
    return letter < ' ' || letter == 0x7F;
  });
  if (!is_clean) reader.complain(key, &value, "must not have control characters");
}

/// Whether canopy sets this header itself.
bool is_our_header(std::string_view name) {
  constexpr std::array<std::string_view, 6> kOurs{"Host",       "Content-Length",    "Content-Type",
                                                  "Connection", "Transfer-Encoding", "Expect"};
  return std::any_of(kOurs.begin(), kOurs.end(),
                     [&](std::string_view ours) { return is_called(name, ours); });
}

void read_headers(DocumentReader& reader, const Document& node, const std::string& key,
                  HeaderTable& headers) {
  if (node.as_table() == nullptr) {
    reader.complain(key, &node, "must be a table of headers and their values");
    return;
  }
  for (const auto& [name, value] : *node.as_table()) {
    const std::string each = fmt::format("{}.{}", key, name);
    if (!is_header_name(name)) reader.complain(each, &value, "is not the name of a header");
    if (is_our_header(name)) {
      reader.complain(each, &value, "is set by canopy; for the type of the body use content_type");
    }
    if (const std::string* text = value.as_text()) {
      check_header_text(reader, value, each, name, *text);
      headers[name] = *text;
    } else if (auto secret = read_secret(reader, value, each)) {
      headers[name] = std::move(*secret);
    }
  }
}

void read_texts(DocumentReader& reader, const Document& node, const std::string& key,
                Texts& texts) {
  if (node.as_table() == nullptr) {
    reader.complain(key, &node, "must be a table of names and queries");
    return;
  }
  for (const auto& [name, value] : *node.as_table()) {
    reader.read(node, key + ".", name, texts[name]);
  }
}

/// Reads the members of a struct from the keys of a table.
template <class Struct>
void read_fields(DocumentReader& reader, const Document& table, const std::string& prefix,
                 Struct& into) {
  std::vector<std::string_view> keys;
  visit_fields(into, [&]<class Member>(const Field& field, Member& member) {
    keys.push_back(field.name);
    const Document* value = table.find(field.name);
    if (value == nullptr) return;
    const std::string key = prefix + std::string(field.name);
    if constexpr (std::is_same_v<Member, std::string>) {
      reader.read(table, prefix, field.name, member);
      if (value->as_text() != nullptr && member.empty()) {
        reader.complain(key, value, "must not be empty");
      }
    } else if constexpr (std::is_same_v<Member, std::optional<std::string>>) {
      reader.read(table, prefix, field.name, member.emplace());
    } else if constexpr (std::is_same_v<Member, std::optional<Secret>>) {
      member = read_secret(reader, *value, key);
    } else if constexpr (std::is_same_v<Member, HeaderTable>) {
      read_headers(reader, *value, key, member);
    } else {
      read_texts(reader, *value, key, member);
    }
  });
  reader.check_keys(table, prefix, keys);
}

/// Reports unknown words between braces.
void check_names(DocumentReader& reader, const Document* value, const std::string& key,
                 const TextTemplate& text) {
  for (const std::string& name : text.unknown()) {
    reader.complain(key, value,
                    fmt::format("{{{0}}} is not a parameter of the space; write {{{{{0}}}}} for "
                                "literal braces",
                                name));
  }
}

/// The address with a plausible value for each placeholder.
std::string sample_of(const std::string& url, const std::vector<std::string>& names) {
  Values values;
  for (const std::string& name : names) values.emplace_back(name, "0");
  return TextTemplate(url, names, ValueCoding::percent).filled(values);
}

void check_url(DocumentReader& reader, const Document* value, const std::string& key,
               const std::string& url) {
  const auto [origin, target] = parts_of_url(url);
  if (!origin.empty()) return;
  const bool has_user = url.find('@') != std::string::npos;
  reader.complain(key, value,
                  has_user ? "must not contain a user or a password, which would be stored in the "
                             "study; see `token` and `headers`"
                           : "must be an address such as http://localhost:8080/config, without "
                             "spaces");
}

/// A JSON body must be valid JSON for every value of each choice, while the other choices have
/// their first value.
void check_json(DocumentReader& reader, const Document* value, const std::string& key,
                const std::string& body, const Space& space,
                const std::vector<std::string>& names) {
  constexpr std::size_t kMostChoices = 200;
  const TextTemplate text(body, names, ValueCoding::json);
  Values first;
  for (const std::string& name : names) first.emplace_back(name, "0");
  const auto words_of = [](const Parameter& parameter) {
    std::vector<std::string> words;
    for (const double coordinate : parameter.domain.grid(kMostChoices)) {
      const Value each = parameter.domain.value(coordinate);
      if (const auto* word = std::get_if<std::string>(&each)) words.push_back(*word);
    }
    return words;
  };
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    const std::vector<std::string> words = words_of(space.parameters()[i]);
    if (!words.empty()) first[i].second = words.front();
  }
  const auto fault = [&](const Values& values) -> std::string {
    try {
      (void)parse_json(text.filled(values), "body");
      return "";
    } catch (const SpecificationError&) {
      return text.filled(values);
    }
  };
  const std::string example = fault(first);
  if (!example.empty()) {
    reader.complain(key, value,
                    fmt::format("is not JSON with values filled in ({}): put quotes around the "
                                "braces of a choice; if the body is not JSON, set content_type",
                                example));
    return;
  }
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    for (const std::string& word : words_of(space.parameters()[i])) {
      Values values = first;
      values[i].second = word;
      if (fault(values).empty()) continue;
      reader.complain(key, value,
                      fmt::format("is not JSON if {} is {}: put quotes around the braces",
                                  space.parameters()[i].name, word));
      return;
    }
  }
}

void check_query(DocumentReader& reader, const Document* value, const std::string& key,
                 const std::string& query, const std::vector<std::string>& names) {
  if (query.find_first_not_of(" \t\r\n") == std::string::npos) {
    reader.complain(key, value, "must not be empty");
  }
  check_names(reader, value, key, TextTemplate(query, names, ValueCoding::promql));
}

void check_server(DocumentReader& reader, const Document& table, const std::string& prefix,
                  const PrometheusSource& source) {
  if (!reader.require(table, prefix, "prometheus") || source.prometheus.empty()) return;
  const Document* value = table.find("prometheus");
  check_url(reader, value, prefix + "prometheus", source.prometheus);
  if (source.prometheus.find('?') != std::string::npos ||
      source.prometheus.find("/api/v1") != std::string::npos) {
    reader.complain(prefix + "prometheus", value,
                    "must be the address of the server alone: http://localhost:9090");
  }
}

void check_over(DocumentReader& reader, const Document& table, const std::string& prefix,
                const PrometheusSource& source) {
  constexpr double kLongest = 1e6;
  const Document* over = table.find("over");
  if (over == nullptr) {
    reader.complain(prefix + "over", nullptr,
                    "is required: how long a setting is in force before it is measured, for "
                    "example \"60s\"",
                    &table);
    return;
  }
  const auto seconds = promql_seconds(source.over);
  if (over->as_text() != nullptr && !source.over.empty() && (!seconds || *seconds > kLongest)) {
    reader.complain(prefix + "over", over,
                    R"(must be a duration as PromQL writes it, up to 1000000s: "60s", "1m30s")");
  }
}

// --- writing -------------------------------------------------------------------------------------

Document document_of(const Secret& secret) {
  Document table;
  visit_fields_of(secret, [&](const Field& field, const std::string& text) {
    if (!text.empty()) table.set(field.name, text);
  });
  return table;
}

/// Returns none for an empty value.
std::optional<Document> value_of(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<Document>(text);
}
std::optional<Document> value_of(const std::optional<std::string>& text) {
  return text ? std::optional<Document>(*text) : std::nullopt;
}
std::optional<Document> value_of(const std::optional<Secret>& secret) {
  return secret ? std::optional(document_of(*secret)) : std::nullopt;
}
std::optional<Document> value_of(const HeaderTable& headers) {
  if (headers.empty()) return std::nullopt;
  Document table;
  for (const auto& [name, value] : headers) {
    const auto* text = std::get_if<std::string>(&value);
    table.set(name, text != nullptr ? Document(*text) : document_of(std::get<Secret>(value)));
  }
  return table;
}
std::optional<Document> value_of(const Texts& texts) {
  if (texts.empty()) return std::nullopt;
  Document table;
  for (const auto& [name, text] : texts) table.set(name, text);
  return table;
}

template <class Struct>
Document table_of(const Struct& fields) {
  Document table;
  visit_fields_of(fields, [&](const Field& field, const auto& member) {
    if (auto value = value_of(member)) table.set(field.name, std::move(*value));
  });
  return table;
}

template <class Struct>
void add_fields(std::map<std::string, std::string>& fields, const std::string& prefix,
                const Struct& from) {
  visit_fields_of(from, [&](const Field& field, const auto& member) {
    if (field.name == "token" || field.name == "ca_file") return;
    const std::optional<Document> value = value_of(member);
    if (!value) return;
    const std::string key = prefix + std::string(field.name);
    if (value->as_text() != nullptr) {
      fields[key] = '"' + *value->as_text() + '"';
      return;
    }
    for (const auto& [name, each] : *value->as_table()) {
      if (each.as_text() == nullptr) continue;
      fields[fmt::format("{}.{}", key, name)] = '"' + *each.as_text() + '"';
    }
  });
}

}  // namespace

HttpApply read_http_apply(DocumentReader& reader, const Document& table, const std::string& prefix,
                          const Space& space, const std::vector<std::string>& names) {
  HttpApply apply;
  read_fields(reader, table, prefix, apply);
  const std::array<std::string_view, 3> methods{"put", "post", "patch"};
  const auto given = std::count_if(methods.begin(), methods.end(),
                                   [&](std::string_view method) { return table.contains(method); });
  if (given != 1) {
    const std::string key = prefix.substr(0, prefix.size() - 1);
    reader.complain(key, &table, "must have one of put, post and patch: an address");
    return apply;
  }
  const std::string_view used =
      *std::find_if(methods.begin(), methods.end(),
                    [&](std::string_view method) { return table.contains(method); });
  const Document* address = table.find(used);
  const std::string key = prefix + std::string(used);
  if (!apply.url().empty()) {
    check_names(reader, address, key, TextTemplate(apply.url(), names, ValueCoding::percent));
    check_url(reader, address, key, sample_of(apply.url(), names));
  }
  if (!apply.body) return apply;
  const Document* body = table.find("body");
  const ValueCoding coding = coding_of(apply.type());
  check_names(reader, body, prefix + "body", TextTemplate(*apply.body, names, coding));
  if (coding == ValueCoding::json && !apply.body->empty()) {
    check_json(reader, body, prefix + "body", *apply.body, space, names);
  }
  return apply;
}

PrometheusSource read_prometheus(DocumentReader& reader, const Document& table,
                                 const std::string& prefix, const std::vector<std::string>& names) {
  PrometheusSource source;
  read_fields(reader, table, prefix, source);
  std::vector<std::string> known = names;
  known.emplace_back(kOver);
  check_server(reader, table, prefix, source);
  if (reader.require(table, prefix, "query")) {
    check_query(reader, table.find("query"), prefix + "query", source.query, known);
  }
  check_over(reader, table, prefix, source);
  const Document* metrics = table.find("metrics");
  for (const auto& [name, query] : source.metrics) {
    const std::string key = fmt::format("{}metrics.{}", prefix, name);
    const Document* value = metrics->find(name);
    check_query(reader, value, key, query, known);
    if (!is_metric_name(name)) {
      reader.complain(key, value, "is not a valid metric name: use letters, digits, _, - and .");
    } else if (name == "reward") {
      reader.complain(key, value, "must have another name: `query` gives the reward");
    }
  }
  if (source.metrics.size() > kMostMetrics) {
    reader.complain(prefix + "metrics", metrics,
                    fmt::format("must have at most {} metrics", kMostMetrics));
  }
  return source;
}

PrometheusSource read_prometheus_context(DocumentReader& reader, const Document& table,
                                         const std::string& prefix) {
  PrometheusSource source;
  read_fields(reader, table, prefix, source);
  check_server(reader, table, prefix, source);
  if (reader.require(table, prefix, "query")) {
    check_query(reader, table.find("query"), prefix + "query", source.query, {});
  }
  for (const char* key : {"over", "metrics"}) {
    if (const Document* value = table.find(key)) {
      reader.complain(prefix + key, value, "is only for system.measure; a context is read at once");
    }
  }
  return source;
}

Document document_of(const HttpApply& apply) {
  return table_of(apply);
}

Document document_of(const PrometheusSource& source) {
  return table_of(source);
}

void add_differing_fields(std::map<std::string, std::string>& fields, const std::string& prefix,
                          const HttpApply& apply) {
  add_fields(fields, prefix, apply);
}

void add_differing_fields(std::map<std::string, std::string>& fields, const std::string& prefix,
                          const PrometheusSource& source) {
  add_fields(fields, prefix, source);
}

}  // namespace canopy
