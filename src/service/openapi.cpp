#include "service/openapi.hpp"

#include "core/comma_list.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "insight/answer_schemas.hpp"
#include "journal/event_schemas.hpp"
#include "service/request_bodies.hpp"
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

/// A schema from a struct's field list, completed by hand-written properties and an example.
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
    case Kind::json:
      schema = reference("schemas", field.schema);
      break;
  }
  return schema;
}

// --- bodies of requests ------------------------------------------------------------------------

Document list_of(const RequestField& field, Document items) {
  Document list = Document::Table{{"type", "array"}, {"items", std::move(items)}};
  if (field.least > 0) list.set("minItems", field.least);
  if (field.most < INT64_MAX) list.set("maxItems", field.most);
  return list;
}

Document schema_of(const RequestField& field) {
  using Kind = RequestField::Kind;
  switch (field.kind) {
    case Kind::whole: {
      Document schema =
          Document::Table{{"type", "integer"}, {"minimum", field.least}, {"maximum", field.most}};
      if (field.usual != 0) schema.set("default", field.usual);
      return schema;
    }
    case Kind::number: {
      Document schema = Document::Table{{"type", "number"}};
      if (field.most == INT64_MAX) return schema;
      schema.set("exclusiveMinimum", field.least);
      schema.set("maximum", field.most);
      return schema;
    }
    case Kind::reward:
      return Document::Table{{"type", "number"}};
    case Kind::rewards:
      return list_of(field, Document::Table{{"type", "number"}});
    case Kind::text: {
      Document schema = Document::Table{{"type", "string"}};
      if (field.least > 0) schema.set("minLength", field.least);
      return schema;
    }
    case Kind::flag:
      return field.required ? Document::Table{{"const", true}}
                            : Document::Table{{"type", "boolean"}, {"default", false}};
    case Kind::word:
      if (!field.schema.empty()) return reference("schemas", field.schema);
      return Document::Table{{"type", "string"},
                             {"enum", Document::List(field.words.begin(), field.words.end())}};
    case Kind::ticket:
      return Document::Table{{"type", "string"}};
    case Kind::tickets:
      return list_of(field, Document::Table{{"type", "string"}});
    case Kind::arm:
      return reference("schemas", "Arm");
    case Kind::context:
      return reference("schemas", "Context");
    case Kind::metrics:
      return Document::Table{{"type", "object"},
                             {"additionalProperties", Document::Table{{"type", "number"}}},
                             {"maxProperties", RequestReader::kMostMetrics}};
    case Kind::object:
      if (field.schema.empty()) {
        return Document::Table{{"type", "object"}, {"additionalProperties", true}};
      }
      return reference("schemas", field.schema);
    case Kind::objects:
      return list_of(field, reference("schemas", field.schema));
  }
  return {};
}

Document object_of(std::span<const RequestField> fields) {
  Document properties = Document::Table{};
  Document::List required;
  for (const RequestField& field : fields) {
    Document schema = schema_of(field);
    if (!field.help.empty()) schema.set("description", field.help);
    properties.set(field.name, std::move(schema));
    if (field.required) required.emplace_back(field.name);
  }
  Document object = Document::Table{
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) object.set("required", std::move(required));
  return object;
}

/// The alternative forms of an object with rewards.
Document::List forms_of(std::span<const RequestField> fields) {
  const auto with = [&](std::string_view title, std::span<const RequestField> rewards) {
    std::vector<RequestField> all;
    for (const RequestField& field : fields) {
      if (field.kind == RequestField::Kind::rewards) {
        all.insert(all.end(), rewards.begin(), rewards.end());
      } else {
        all.push_back(field);
      }
    }
    Document form = object_of(all);
    form.set("title", title);
    Document* failed = form.find("properties")->find(canopy::request::kFailed.name);
    if (failed != nullptr) *failed = Document::Table{{"const", false}};
    return form;
  };
  const RequestField one = canopy::request::kReward.needed();
  return {with("One reward", {&one, 1}), with("Several rewards", {&canopy::request::kRewards, 1}),
          with("Several rewards, as sums", canopy::request::kSums)};
}

/// Fields that exclude each other.
void set_choices(const RequestBody& body, Document& schema) {
  if (body.exactly_one.empty()) return;
  const auto require = [](std::string_view key) {
    return Document(Document::Table{{"required", Document::List{key}}});
  };
  Document::List choices;
  for (const std::string_view key : body.exactly_one) choices.push_back(require(key));
  if (body.unless.empty()) {
    schema.set("oneOf", std::move(choices));
    return;
  }
  choices.push_back(require(body.unless));
  schema.set("anyOf", std::move(choices));
  const Document::List all(body.exactly_one.begin(), body.exactly_one.end());
  schema.set("not", Document::Table{{"required", all}});
}

/// The schemas of all request bodies.
Document body_schemas() {
  Document schemas = Document::Table{};
  for (const Route& route : routes()) {
    if (route.body == nullptr) continue;
    Document schema = object_of(route.body->fields);
    if (!route.body->description.empty()) schema.set("description", route.body->description);
    set_choices(*route.body, schema);
    schemas.set(route.body->name, std::move(schema));
  }
  Document::List tells = forms_of(canopy::request::kTell);
  tells.push_back(object_of(canopy::request::kFailure));
  tells.back().set("title", "A failure");
  schemas.set("Tell",
              Document::Table{{"description", "The result of a pull, in one of four forms."},
                              {"oneOf", std::move(tells)}});
  schemas.set(
      "Observation",
      Document::Table{{"description",
                       "Rewards of an arm that was not returned by an ask, in one of three forms."},
                      {"oneOf", forms_of(canopy::request::kObservation)}});
  schemas.set("Bar", object_of(canopy::request::kBar));
  return schemas;
}

// --- paths -------------------------------------------------------------------------------------

Document parameters_of(const Route& route) {
  Document::List parameters;
  if (route.pattern.find("{name}") != std::string_view::npos) {
    parameters.push_back(reference("parameters", route.is_of_study() ? "Name" : "File"));
  }
  if (route.takes_key) parameters.push_back(reference("parameters", "IdempotencyKey"));
  if (route.is_stream) parameters.push_back(reference("parameters", "LastEventId"));
  for (const QueryField& field : route.query) {
    Document parameter =
        Document::Table{{"name", field.name}, {"in", "query"}, {"description", field.help}};
    if (field.kind == QueryField::Kind::json) {
      Document json = Document::Table{{"schema", schema_of(field)}};
      parameter.set("content", Document::Table{{"application/json", std::move(json)}});
    } else {
      parameter.set("schema", schema_of(field));
    }
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

/// The errors that a route can answer, derived from its needs and effects.
void set_refusals(const Route& route, Document& responses) {
  const bool has_role = route.role.has_value();
  const bool has_body = route.body != nullptr || route.method == "PUT";
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
  if (route.body != nullptr) {
    Document content = Document::Table{{"schema", reference("schemas", route.body->name)}};
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
  for (const Document& generated : {event_schemas(), answer_schemas(), body_schemas()}) {
    for (const auto& [name, schema] : *generated.as_table()) {
      const Document* more = schemas->find(name);
      schemas->set(name, more != nullptr ? together(schema, *more) : schema);
    }
  }
  document.set("paths", paths());
  return json_text(document, 2);
}

}  // namespace canopy::service
