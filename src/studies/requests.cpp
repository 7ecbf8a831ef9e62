#include "studies/requests.hpp"

#include "core/text.hpp"
#include "files/json.hpp"
#include "files/record.hpp"
#include "studies/answers.hpp"
#include "studies/operations.hpp"
#include "studies/policy_document.hpp"
#include "studies/request_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace canopy {
namespace {

Document error_answer(std::string_view code, std::string_view message) {
  return Document::Table{{"error", Document::Table{{"code", code}, {"message", message}}}};
}

Document error_answer(const Mistake& mistake) {
  return error_answer(mistake.code, mistake.text_with_field());
}

/// Handles requests: objects with an `op` and the keys of that op.
class Conversation {
 public:
  Conversation(Document document, const Space& space, Optimizer& optimizer)
      : reader_(std::move(document), RequestReader::Tickets::by_number, "op"),
        names_(space, optimizer.contexts()),
        optimizer_(optimizer) {}

  [[nodiscard]] Document answer(const std::string& op) {
    const Document& table = reader_.document();
    if (op == "ask") return ask();
    if (op == "tell") return perform_read(read_tell(reader_, table, ""));
    if (op == "fail") return perform_read(read_failure(reader_, table, ""));
    if (op == "observe") return perform_read(read_observation(reader_, table, "", names_));
    if (op == "bar") return perform_read(read_bar(reader_, table, "", names_));
    if (op == "drop") return drop();
    if (op == "best") return best();
    reader_.allow(table, "", {});
    if (is_wrong()) return mistake();
    if (op == "policy") return policy();
    if (op == "in_flight") return in_flight_document(names_.space, optimizer_);
    if (op == "summary") return record_of(names_, optimizer_.summary());
    return Document::Table{{"nodes", tree_document(names_.space, optimizer_)}};
  }

 private:
  [[nodiscard]] bool is_wrong() const { return !reader_.mistakes().empty(); }
  [[nodiscard]] Document mistake() const { return error_answer(reader_.mistakes().front()); }

  Document ask() {
    const Document& table = reader_.document();
    static constexpr std::array fields{request::kPulls, request::kCount, request::kContext};
    reader_.allow(table, "", fields);
    const std::uint64_t pulls = reader_.whole(table, "", request::kPulls).value_or(UINT64_MAX);
    const std::optional<std::uint64_t> count = reader_.whole(table, "", request::kCount);
    const std::vector<double> context = reader_.context(table, "", names_.contexts);
    if (is_wrong()) return mistake();
    const auto ask_one = [&] {
      return pull_document(names_.space, optimizer_, optimizer_.ask_in(context, pulls));
    };
    if (!count) return ask_one();
    Document::List tickets;
    for (std::uint64_t i = 0; i < *count; ++i) tickets.push_back(ask_one());
    return Document::Table{{"tickets", std::move(tickets)}};
  }

  Document drop() {
    reader_.allow(reader_.document(), "", {&request::kTicket, 1});
    const NamedTicket ticket = reader_.ticket(reader_.document(), "");
    if (is_wrong()) return mistake();
    return answer_of(perform(optimizer_, ticket));
  }

  template <class Read>
  Document perform_read(const Read& request) {
    return is_wrong() ? mistake() : answer_of(perform(optimizer_, request));
  }

  static Document answer_of(Outcome outcome) {
    return outcome.refusal ? error_answer(*outcome.refusal) : std::move(outcome.answer);
  }

  [[nodiscard]] Document best() {
    reader_.allow(reader_.document(), "", {&request::kContext, 1});
    const std::vector<double> context = reader_.context(reader_.document(), "", names_.contexts);
    if (is_wrong()) return mistake();
    if (const auto best = optimizer_.best_in(context)) {
      Document answer = record_of(names_, *best);
      if (const auto uplift = optimizer_.uplift()) {
        answer.set("uplift", record_of(names_, *uplift));
      }
      return answer;
    }
    return error_answer("no_best", no_best_text(names_.space, optimizer_, context));
  }

  [[nodiscard]] Document policy() const {
    const std::optional<Policy> policy = optimizer_.policy();
    return policy ? policy_document(names_, *policy) : error_answer("no_contexts", kNoContexts);
  }

  RequestReader reader_;
  Names names_;
  Optimizer& optimizer_;
};

Document answer_to(std::string_view line, const Space& space, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 11> ops{"ask",     "tell", "fail",     "observe",
                                                        "bar",     "drop", "best",     "policy",
                                                        "summary", "tree", "in_flight"};
  Document document = parse_json(line, "the line");
  const Document* op = document.as_table() != nullptr ? document.find("op") : nullptr;
  const std::string* name = op != nullptr ? op->as_text() : nullptr;
  if (name == nullptr) {
    return error_answer("malformed_request", R"(expected an object such as {"op":"ask"})");
  }
  if (std::find(ops.begin(), ops.end(), *name) == ops.end()) {
    return error_answer("unknown_op", op->excerpt() + ": " + unknown_name("op", *name, ops));
  }
  const std::string known = *name;
  return Conversation(std::move(document), space, optimizer).answer(known);
}

}  // namespace

std::string answer_request(std::string_view line, const Space& space, Optimizer& optimizer) {
  try {
    return json_text(answer_to(line, space, optimizer));
  } catch (const SpecificationError& error) {
    return json_text(error_answer("malformed_json", error.what()));
  }
}

std::string answer_to_long_request() {
  return json_text(error_answer(
      "line_too_long", "a line must have at most " + std::to_string(kLongestRequest) + " bytes"));
}

std::string answer_to_lost_request(const std::string& reason) {
  return json_text(error_answer("not_stored", "nothing has changed: " + reason));
}

}  // namespace canopy
