#include "service/openapi.hpp"

#include "core/comma_list.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "insight/answer_schemas.hpp"
#include "journal/event_schemas.hpp"
#include "service/routes.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace canopy::service {
namespace {

Document reference(std::string_view kind, std::string_view name) {
  return Document::Table{{"$ref", fmt::format("#/components/{}/{}", kind, name)}};
}

/// What a struct lists, and what the document says beside it: further properties, an example.
Document together(Document schema, const Document& more) {
  for (const auto& [key, value] : *more.as_table()) {
    Document* here = schema.find(key);
    if (key == "properties") {
      for (const auto& [name, type] : *value.as_table()) here->set(name, type);
    } else if (key == "required") {
      Document::List all = *here->as_list();
      all.insert(all.end(), value.as_list()->begin(), value.as_list()->end());
      *here = std::move(all);
    } else {
      schema.set(key, value);
    }
  }
  return schema;
}

Document schema_of(const QueryField& field) {
  using Kind = QueryField::Kind;
  Document schema;
  const auto usual = [&](auto value) {
    if (!field.usual.empty()) schema.set("default", value);
  };
  switch (field.kind) {
    case Kind::whole:
      schema =
          Document::Table{{"type", "integer"}, {"minimum", field.least}, {"maximum", field.most}};
      usual(number_in<std::uint64_t>(field.usual).value_or(0));
      break;
    case Kind::number:
      schema = Document::Table{{"type", "number"}};
      break;
    case Kind::flag:
      schema = Document::Table{{"type", "boolean"}};
      usual(field.usual == "true");
      break;
    case Kind::word: {
      const std::vector<std::string> words = words_between_commas(std::string(field.words));
      schema =
          Document::Table{{"type", "string"}, {"enum", Document::List(words.begin(), words.end())}};
      usual(std::string(field.usual));
      break;
    }
    case Kind::text:
      schema = Document::Table{{"type", "string"}};
      break;
  }
  return schema;
}

Document parameters_of(const Route& route) {
  Document::List parameters;
  if (route.pattern.find("{name}") != std::string_view::npos) {
    parameters.push_back(reference("parameters", route.is_of_study() ? "Name" : "File"));
  }
  if (route.takes_key) parameters.push_back(reference("parameters", "IdempotencyKey"));
  if (route.is_stream) parameters.push_back(reference("parameters", "LastEventId"));
  for (const QueryField& field : route.query) {
    Document parameter = Document::Table{{"name", field.name},
                                         {"in", "query"},
                                         {"description", field.help},
                                         {"schema", schema_of(field)}};
    if (!field.example.empty()) parameter.set("example", field.example);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

Document content_of(const Route& route) {
  Document content = Document::Table{
      {"schema", route.answer.empty()
                     ? Document(Document::Table{
                           {"type", route.answer_type == "application/json" ? "object" : "string"}})
                     : reference("schemas", route.answer)}};
  if (!route.answer_example.empty()) {
    content.set("example", parse_json(route.answer_example, "an example"));
  }
  return Document::Table{{std::string(route.answer_type), std::move(content)}};
}

/// What may be answered instead: it follows from what the route needs and does.
void set_refusals(const Route& route, Document& responses) {
  const bool has_role = route.role.has_value();
  const bool has_body = !route.body.empty() || route.method == "PUT";
  const bool is_file = !has_role && route.pattern != "/healthz" && route.pattern != "/readyz" &&
                       route.pattern != "/openapi.json";
  const auto refuse = [&](bool may, const char* status, const char* name) {
    if (may) responses.set(status, reference("responses", name));
  };
  refuse(is_file, "304", "NotModified");
  refuse(route.may_be_elsewhere, "307", "ServedElsewhere");
  refuse(true, "400", "Malformed");
  refuse(has_role, "401", "NoToken");
  refuse(true, "403", "Forbidden");
  refuse(route.is_of_study() || is_file || route.operation == "createStudy", "404", "NotFound");
  refuse(route.may_conflict, "409", "Conflict");
  refuse(route.may_be_gone, "410", "Gone");
  refuse(has_body, "413", "TooLong");
  refuse(has_body, "415", "NotJson");
  refuse(true, "421", "WrongHost");
  refuse(has_role, "422", "Wrong");
  refuse(has_role, "429", "TooMany");
  refuse(true, "431", "HeaderTooLong");
  refuse(has_role, "500", "Failure");
  refuse(true, "501", "UnknownCoding");
  refuse(has_role || route.pattern == "/readyz", "503", "Unavailable");
}

Document operation_of(const Route& route) {
  Document operation = Document::Table{{"tags", Document::List{route.tag}},
                                       {"operationId", route.operation},
                                       {"summary", route.summary}};
  if (!route.description.empty()) operation.set("description", route.description);
  if (route.role) {
    operation.set("x-role", name_of(*route.role));
  } else {
    operation.set("security", Document::List{});
  }
  Document parameters = parameters_of(route);
  if (!parameters.as_list()->empty()) operation.set("parameters", std::move(parameters));
  if (!route.body.empty()) {
    Document content = Document::Table{{"schema", reference("schemas", route.body)}};
    if (!route.body_examples.empty()) {
      const Document examples = parse_json(route.body_examples, "examples");
      for (const auto& [key, value] : *examples.as_table()) content.set(key, value);
    }
    operation.set("requestBody",
                  Document::Table{{"required", route.needs_body},
                                  {"content", Document::Table{{"application/json", content}}}});
  }
  Document responses = Document::Table{};
  const auto answer = [&](unsigned status, std::string_view line) {
    Document response = Document::Table{{"description", line}};
    if (!route.is_stream) {
      response.set("headers", Document::Table{{"X-Request-Id", reference("headers", "RequestId")}});
    }
    if (status != 204) response.set("content", content_of(route));
    responses.set(std::to_string(status), std::move(response));
  };
  if (!route.line_if_there.empty()) answer(200, route.line_if_there);
  answer(route.status, route.answer_line);
  set_refusals(route, responses);
  operation.set("responses", std::move(responses));
  return operation;
}

Document paths() {
  Document paths = Document::Table{};
  for (const Route& route : routes()) {
    std::string verb(route.method);
    std::transform(verb.begin(), verb.end(), verb.begin(),
                   [](char letter) { return static_cast<char>(std::tolower(letter)); });
    Document* item = paths.find(route.pattern);
    if (item == nullptr) {
      paths.set(route.pattern, Document::Table{});
      item = paths.find(route.pattern);
    }
    item->set(verb, operation_of(route));
  }
  return paths;
}

}  // namespace

std::string openapi_document() {
  Document document = parse_json(openapi_base(), "openapi_base.json");
  Document* schemas = document.find("components")->find("schemas");
  for (const Document& generated : {event_schemas(), answer_schemas()}) {
    for (const auto& [name, schema] : *generated.as_table()) {
      const Document* more = schemas->find(name);
      schemas->set(name, more != nullptr ? together(schema, *more) : schema);
    }
  }
  document.set("paths", paths());
  return json_text(document, 2);
}

}  // namespace canopy::service
