// The route that checks a study file while it is edited, given as TOML or JSON.

#include "canopy/study.hpp"

#include "files/json.hpp"
#include "files/toml.hpp"
#include "service/body.hpp"
#include "service/request_bodies.hpp"
#include "service/service.hpp"
#include "studies/fork.hpp"
#include "tuning/warnings.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace canopy::service {
namespace {

/// The study that is checked.
struct Draft {
  std::string name = {};  ///< empty: the one in the study file
  std::string fork_of = {};
  std::optional<std::string> toml = std::nullopt;
  std::optional<Document> specification = std::nullopt;
};

Draft draft_in(const Request& request) {
  Body body(request);
  Draft draft{.name = body.text(request::kDraftName).value_or(""),
              .fork_of = body.text(request::kDraftOrigin).value_or(""),
              .toml = body.text(request::kToml)};
  if (const Document* given = body.document().find("specification")) {
    draft.specification = *given;
    if (given->as_table() == nullptr) {
      body.complain("specification", "wrong_type", "must be a JSON object");
    }
  }
  body.check();
  return draft;
}

/// Converts whole numbers to real numbers where the study expects real ones, because JSON writers
/// of many languages print 1.0 as 1.
void set_reals(Document& given, const Document& study) {
  if (given.as_whole() && study.kind() == Document::Kind::number) given = study;
  if (const Document::Table* table = given.as_table()) {
    for (const auto& [key, value] : Document::Table(*table)) {
      if (const Document* same = study.find(key)) set_reals(*given.find(key), *same);
    }
  } else if (given.as_list() != nullptr && study.as_list() != nullptr) {
    Document::List list = *given.as_list();
    for (std::size_t i = 0; i < list.size() && i < study.as_list()->size(); ++i) {
      set_reals(list[i], (*study.as_list())[i]);
    }
    given = std::move(list);
  }
}

std::string toml_from(Document given) {
  try {
    set_reals(given, parse_json(json_of(parse_study_json(json_text(given), "")), ""));
  } catch (const SpecificationError&) {
    // Uses the file as given, so that errors refer to its lines.
  }
  return toml_text(given);
}

/// The study file of an unchanged fork.
std::string toml_of_fork(Store& store, const StudyRecord& record) {
  Document study = parse_json(json_of(specification_of_fork(store, record)), record.name);
  study.erase("format");
  study.erase("name");
  return toml_text(study);
}

/// Why a study of this name cannot be created; empty if it can.
std::string name_mistake(Store& store, const std::optional<Token>& token, const std::string& name) {
  try {
    check_study_name(name);
  } catch (const StudyError& error) {
    return error.what();
  }
  if (token && !token->covers(name)) return "the token does not cover the study " + name;
  return store.find(name) ? "there already is a study " + name : "";
}

Document checked(Store& store, const std::optional<Token>& token, const Draft& draft) {
  std::optional<StudyRecord> original;
  if (!draft.fork_of.empty()) original = record_of(store, draft.fork_of);
  Document answer{Document::Table{}};
  Document::List errors;
  Document::List warnings;
  const auto complain = [&](const std::string& field, const std::string& message,
                            std::uint64_t line = 0) {
    errors.push_back(Document::Table{{"field", field}, {"line", line}, {"message", message}});
  };
  std::string name = draft.name;
  try {
    std::string toml = draft.toml.value_or("");
    if (draft.specification) toml = toml_from(*draft.specification);
    if (!draft.toml && !draft.specification && original) toml = toml_of_fork(store, *original);
    answer.set("toml", toml);
    answer.set("has_comments", has_comments(toml));
    answer.set("given", parse_toml(toml, "toml"));
    const StudySpecification study = parse_study(toml, "toml");
    if (name.empty()) name = study.name;
    const StudySpecification whole = resolved(study);
    answer.set("specification", parse_json(json_of(whole), "study"));
    for (const Warning& warning : warnings_anywhere(whole)) {
      warnings.push_back(Document::Table{{"severity", warning.is_error ? "error" : "warning"},
                                         {"text", warning.text}});
    }
    if (original) {
      const ForkStart start = fork_start(specification_of(*original), study);
      answer.set("fork",
                 Document::Table{{"begins_with", name_of(start)}, {"text", text_of(start)}});
    }
  } catch (const SpecificationError& error) {
    for (const SpecificationError::Mistake& each : error.mistakes()) {
      complain(each.field, each.text, each.line);
    }
  } catch (const ConfigurationError& error) {
    for (const Violation& each : error.violations()) complain(each.field, each.text());
  } catch (const std::invalid_argument& error) {  // JSON that TOML cannot express
    complain("specification", error.what());
  }
  if (!name.empty()) {
    const std::string mistake = name_mistake(store, token, name);
    if (!mistake.empty()) complain("name", mistake);
  }
  answer.set("ok", errors.empty());
  answer.set("errors", std::move(errors));
  answer.set("warnings", std::move(warnings));
  return answer;
}

}  // namespace

void Service::check(const Request& request, Done done) {
  const Draft draft = draft_in(request);
  if (!draft.fork_of.empty() && request.may_see && !request.may_see->covers(draft.fork_of)) {
    throw Problem(403, "forbidden", "the token does not cover the study " + draft.fork_of);
  }
  host_.run(
      request,
      [draft, token = request.may_see](Store& store) {
        return json_answer(checked(store, token, draft));
      },
      std::move(done));
}

}  // namespace canopy::service
