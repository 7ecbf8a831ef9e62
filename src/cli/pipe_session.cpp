#include "cli/pipe_session.hpp"

#include "cli/json.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace canopy::cli {
namespace {

/// What is answered instead, when a request cannot be served.
struct Refusal {
  std::string_view code;
  std::string message;
};

std::string_view code_of(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unknown_ticket:
      return "unknown_ticket";
    case Status::closed_ticket:
      return "closed_ticket";
    case Status::too_many_rewards:
      return "too_many_rewards";
    case Status::not_a_reward:
      return "not_a_reward";
    case Status::impossible_sums:
      return "impossible_sums";
  }
  return "unknown";
}

void refuse_unless_ok(Status status) {
  if (status != Status::ok) throw Refusal{code_of(status), std::string(describe(status))};
}

Json error_answer(std::string_view code, std::string_view message) {
  return {{"error", {{"code", code}, {"message", message}}}};
}

/// The text of a value, cut short.
std::string excerpt(const Json& value) {
  if (value.is_array()) return value.empty() ? "[]" : "[...]";  // it may be nested without end
  if (value.is_object()) return "{...}";
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

/// One request: an object with an `op` and that op's keys.
class Request {
 public:
  explicit Request(std::string_view line) {
    try {
      json_ = Json::parse(line);
    } catch (const Json::parse_error& error) {
      throw Refusal{"malformed_json",
                    "no JSON (byte " + std::to_string(error.byte) + " of the line)"};
    } catch (const Json::out_of_range&) {
      throw Refusal{"not_a_reward", "a number in the line is too large for a double"};
    }
    if (!json_.is_object()) {
      throw Refusal{"malformed_request", R"(expected an object such as {"op":"ask"})"};
    }
  }

  [[nodiscard]] std::string op() const {
    const Json* op = find("op");
    if (op == nullptr || !op->is_string()) {
      throw Refusal{"malformed_request", R"(expected a key "op" that is a string)"};
    }
    return op->get<std::string>();
  }

  /// Refuses keys that the op does not have.
  void allow(std::span<const std::string_view> keys) const {
    for (const auto& [key, value] : json_.items()) {
      if (key == "op" || std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      throw Refusal{"unknown_key", excerpt(key) + ": " + unknown_name("key", key, keys)};
    }
  }

  [[nodiscard]] const Json* find(const char* key) const {
    const auto found = json_.find(key);
    return found != json_.end() ? &*found : nullptr;
  }

  [[nodiscard]] std::uint64_t whole(const char* key) const {
    const Json& value = get(key);
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    throw Refusal{"wrong_type",
                  std::string(key) + " = " + excerpt(value) + ": must be a whole number"};
  }

  [[nodiscard]] double real(const char* key) const { return to_real(key, get(key)); }

  [[nodiscard]] std::vector<double> reals(const char* key) const {
    const Json& list = get(key);
    if (!list.is_array() || list.empty()) {
      throw Refusal{"wrong_type", std::string(key) + " = " + excerpt(list) +
                                      ": must be a list of one or more numbers"};
    }
    std::vector<double> values;
    values.reserve(list.size());
    for (const Json& value : list) values.push_back(to_real(key, value));
    return values;
  }

 private:
  [[nodiscard]] const Json& get(const char* key) const {
    if (const Json* value = find(key)) return *value;
    throw Refusal{"missing_key", std::string(key) + ": is missing"};
  }

  static double to_real(const char* key, const Json& value) {
    if (value.is_number()) return value.get<double>();
    throw Refusal{"not_a_reward",
                  std::string(key) + " = " + excerpt(value) + ": must be a finite number"};
  }

  Json json_;
};

Json ask(const Request& request, const Space& space, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 1> keys{"pulls"};
  request.allow(keys);
  std::uint64_t pulls = UINT64_MAX;
  if (request.find("pulls") != nullptr) pulls = request.whole("pulls");
  if (pulls == 0) throw Refusal{"wrong_type", "pulls = 0: must be 1 or more"};
  const Pull pull = optimizer.ask(pulls);
  return {{"ticket", pull.ticket},
          {"arm", arm_json(space, pull.arm)},
          {"length", pull.length},
          {"depth", pull.depth},
          {"path", optimizer.path(pull.node)}};
}

/// Told in one of three ways.
Status tell_rewards(const Request& request, Optimizer& optimizer) {
  const Ticket ticket = request.whole("ticket");
  const bool one = request.find("reward") != nullptr;
  const bool several = request.find("rewards") != nullptr;
  const bool sums = request.find("count") != nullptr || request.find("sum") != nullptr ||
                    request.find("sum_squares") != nullptr;
  if (static_cast<int>(one) + static_cast<int>(several) + static_cast<int>(sums) != 1) {
    throw Refusal{"malformed_request",
                  "expected one of: reward; rewards; count, sum and sum_squares"};
  }
  if (one) return optimizer.tell(ticket, request.real("reward"));
  if (several) return optimizer.tell(ticket, std::span<const double>(request.reals("rewards")));
  return optimizer.tell(ticket, Rewards{.count = request.whole("count"),
                                        .sum = request.real("sum"),
                                        .sum_squares = request.real("sum_squares")});
}

Json tell(const Request& request, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 6> keys{"ticket", "reward", "rewards",
                                                        "count",  "sum",    "sum_squares"};
  request.allow(keys);
  refuse_unless_ok(tell_rewards(request, optimizer));
  return {{"ok", true}, {"t", optimizer.summary().t}};
}

Json drop(const Request& request, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 1> keys{"ticket"};
  request.allow(keys);
  refuse_unless_ok(optimizer.drop(request.whole("ticket")));
  return {{"ok", true}};
}

Json best(const Space& space, const Optimizer& optimizer) {
  const auto best = optimizer.best();
  if (!best) throw Refusal{"no_answers", "nothing was told yet, so there is no best arm"};
  return best_json(space, *best);
}

Json in_flight(const Space& space, const Optimizer& optimizer) {
  Json tickets = Json::array();
  for (const Pull& pull : optimizer.in_flight()) {
    tickets.push_back(
        {{"ticket", pull.ticket}, {"arm", arm_json(space, pull.arm)}, {"length", pull.length}});
  }
  return {{"tickets", std::move(tickets)}};
}

Json serve(const Request& request, const Space& space, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 7> ops{"ask",     "tell", "drop",     "best",
                                                       "summary", "tree", "in_flight"};
  const std::string op = request.op();
  if (op == "ask") return ask(request, space, optimizer);
  if (op == "tell") return tell(request, optimizer);
  if (op == "drop") return drop(request, optimizer);
  if (std::find(ops.begin(), ops.end(), op) == ops.end()) {
    throw Refusal{"unknown_op", excerpt(op) + ": " + unknown_name("op", op, ops)};
  }
  request.allow({});
  if (op == "best") return best(space, optimizer);
  if (op == "in_flight") return in_flight(space, optimizer);
  if (op == "summary") return summary_json(optimizer.summary());
  return {{"nodes", tree_json(space, optimizer)}};
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string PipeSession::answer(std::string_view line) {
  try {
    return to_line(serve(Request(line), space_, optimizer_));
  } catch (const Refusal& refusal) {
    return to_line(error_answer(refusal.code, refusal.message));
  }
}

std::string PipeSession::answer_to_long_line() {
  return to_line(error_answer(
      "line_too_long", "a line may have " + std::to_string(kLongestLine) + " bytes at most"));
}

std::string PipeSession::answer_to_lost_line(const std::string& reason) {
  return to_line(error_answer("not_stored", "nothing has changed: " + reason));
}

}  // namespace canopy::cli
