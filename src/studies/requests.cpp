#include "studies/requests.hpp"

#include "core/text.hpp"
#include "files/json.hpp"
#include "files/record.hpp"
#include "studies/answers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using Json = nlohmann::json;

/// What is answered instead, when a request cannot be served.
struct Refusal {
  std::string_view code;
  std::string message;
};

void refuse_unless_ok(Status status) {
  if (!is_taken(status)) throw Refusal{name_of(status), std::string(describe(status))};
}

Document error_answer(std::string_view code, std::string_view message) {
  return Document::Table{{"error", Document::Table{{"code", code}, {"message", message}}}};
}

/// The text of a value, cut short.
std::string shown(const Json& value) {
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
                    "not valid JSON (byte " + std::to_string(error.byte) + " of the line)"};
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
      throw Refusal{"unknown_key", shown(key) + ": " + unknown_name("key", key, keys)};
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
                  std::string(key) + " = " + shown(value) + ": must be a whole number"};
  }

  [[nodiscard]] double real(const char* key) const { return to_real(key, get(key)); }

  [[nodiscard]] std::vector<double> reals(const char* key) const {
    const Json& list = get(key);
    if (!list.is_array() || list.empty()) {
      throw Refusal{"wrong_type", std::string(key) + " = " + shown(list) +
                                      ": must be a list of one or more numbers"};
    }
    std::vector<double> values;
    values.reserve(list.size());
    for (const Json& value : list) values.push_back(to_real(key, value));
    return values;
  }

  [[nodiscard]] const Json& get(const char* key) const {
    if (const Json* value = find(key)) return *value;
    throw Refusal{"missing_key", std::string(key) + ": is missing"};
  }

 private:
  static double to_real(const char* key, const Json& value) {
    if (value.is_number()) return value.get<double>();
    throw Refusal{"not_a_reward",
                  std::string(key) + " = " + shown(value) + ": must be a finite number"};
  }

  Json json_;
};

Document ask(const Request& request, const Space& space, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 1> keys{"pulls"};
  request.allow(keys);
  std::uint64_t pulls = UINT64_MAX;
  if (request.find("pulls") != nullptr) pulls = request.whole("pulls");
  if (pulls == 0) throw Refusal{"wrong_type", "pulls = 0: must be 1 or more"};
  return pull_document(space, optimizer, optimizer.ask(pulls));
}

constexpr std::array kSums{"count", "sum", "sum_squares", "min", "max"};

/// The rewards of a request, in one of three ways, handed to `take`: a number, several, or sums.
template <class Take>
Status with_rewards(const Request& request, Take&& take) {
  const bool one = request.find("reward") != nullptr;
  const bool several = request.find("rewards") != nullptr;
  const bool sums = std::any_of(kSums.begin(), kSums.end(),
                                [&](const char* key) { return request.find(key) != nullptr; });
  if (static_cast<int>(one) + static_cast<int>(several) + static_cast<int>(sums) != 1) {
    throw Refusal{"malformed_request",
                  "expected one of: reward; rewards; count, sum and sum_squares (and min and max)"};
  }
  if (one) return take(request.real("reward"));
  if (several) return take(std::span<const double>(request.reals("rewards")));
  const std::uint64_t count = request.whole("count");
  if (count == 0) return Status::impossible_sums;
  Rewards rewards = Rewards::from_sums(count, request.real("sum"), request.real("sum_squares"));
  if (request.find("min") != nullptr) rewards.min = request.real("min");
  if (request.find("max") != nullptr) rewards.max = request.real("max");
  return take(rewards);
}

Document tell(const Request& request, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 8> keys{"ticket", "reward",      "rewards", "count",
                                                        "sum",    "sum_squares", "min",     "max"};
  request.allow(keys);
  const Ticket ticket = request.whole("ticket");
  refuse_unless_ok(
      with_rewards(request, [&](const auto& rewards) { return optimizer.tell(ticket, rewards); }));
  return Document::Table{{"ok", true}, {"t", optimizer.summary().t}};
}

/// The arm of a request, by the names of its parameters.
std::vector<double> arm_in(const Request& request, const Space& space) {
  const Json& given = request.get("arm");
  if (!given.is_object()) {
    throw Refusal{"wrong_type", "arm = " + shown(given) + ": must be an object"};
  }
  std::vector<double> arm;
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    const auto& [name, domain] = space.parameters()[i];
    const auto found = given.find(name);
    if (found == given.end()) throw Refusal{"missing_key", "arm." + name + ": is missing"};
    std::optional<double> coordinate;
    if (found->is_string()) {
      coordinate = domain.coordinate(found->get<std::string>());
    } else if (found->is_number_integer()) {
      coordinate = domain.coordinate(found->get<std::int64_t>());
    } else if (found->is_number()) {
      coordinate = domain.coordinate(found->get<double>());
    }
    if (!coordinate) {
      throw Refusal{"not_an_arm",
                    "arm." + name + " = " + shown(*found) + ": must be " + domain.description()};
    }
    arm.push_back(*coordinate);
  }
  if (given.size() != space.dimension()) {
    throw Refusal{"not_an_arm", "arm: has parameters that the space does not have"};
  }
  return arm;
}

Document observe(const Request& request, const Space& space, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 8> keys{"arm", "reward",      "rewards", "count",
                                                        "sum", "sum_squares", "min",     "max"};
  request.allow(keys);
  const std::vector<double> arm = arm_in(request, space);
  refuse_unless_ok(with_rewards(request, [&]<class Given>(const Given& rewards) {
    if constexpr (std::is_same_v<Given, Rewards>) {
      return optimizer.observe(arm, rewards);
    } else if constexpr (std::is_same_v<Given, double>) {
      return optimizer.observe(arm, Rewards::one(rewards));
    } else {
      return optimizer.observe(arm, Rewards::of(rewards));
    }
  }));
  return Document::Table{{"ok", true}};
}

Document drop(const Request& request, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 1> keys{"ticket"};
  request.allow(keys);
  refuse_unless_ok(optimizer.drop(request.whole("ticket")));
  return Document::Table{{"ok", true}};
}

/// The reward of a request that need not have one: then what a failure is worth.
double reward_of_failure(const Request& request, const Optimizer& optimizer) {
  if (request.find("reward") != nullptr) return request.real("reward");
  if (const std::optional<double> reward = optimizer.failure_reward()) return *reward;
  throw Refusal{"no_reward_yet", std::string(kNoRewardYet)};
}

Document fail(const Request& request, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 2> keys{"ticket", "reward"};
  request.allow(keys);
  const Ticket ticket = request.whole("ticket");
  const double reward = reward_of_failure(request, optimizer);
  refuse_unless_ok(optimizer.penalize(ticket, reward));
  return Document::Table{{"ok", true}, {"t", optimizer.summary().t}, {"reward", reward}};
}

Document bar(const Request& request, const Space& space, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 2> keys{"arm", "reward"};
  request.allow(keys);
  const std::vector<double> arm = arm_in(request, space);
  const double reward = reward_of_failure(request, optimizer);
  refuse_unless_ok(optimizer.bar(arm, reward));
  return Document::Table{{"ok", true}, {"reward", reward}};
}

Document best(const Space& space, const Optimizer& optimizer) {
  const auto best = optimizer.best();
  if (!best) {
    throw Refusal{"no_answers",
                  "no arm has a reward yet, but for those that are barred: there is no best arm"};
  }
  return record_of(space, *best);
}

Document serve(const Request& request, const Space& space, Optimizer& optimizer) {
  static constexpr std::array<std::string_view, 10> ops{
      "ask", "tell", "fail", "observe", "bar", "drop", "best", "summary", "tree", "in_flight"};
  const std::string op = request.op();
  if (op == "ask") return ask(request, space, optimizer);
  if (op == "tell") return tell(request, optimizer);
  if (op == "fail") return fail(request, optimizer);
  if (op == "observe") return observe(request, space, optimizer);
  if (op == "bar") return bar(request, space, optimizer);
  if (op == "drop") return drop(request, optimizer);
  if (std::find(ops.begin(), ops.end(), op) == ops.end()) {
    throw Refusal{"unknown_op", shown(op) + ": " + unknown_name("op", op, ops)};
  }
  request.allow({});
  if (op == "best") return best(space, optimizer);
  if (op == "in_flight") return in_flight_document(space, optimizer);
  if (op == "summary") return record_of(space, optimizer.summary());
  return Document::Table{{"nodes", tree_document(space, optimizer)}};
}

}  // namespace

std::string answer_request(std::string_view line, const Space& space, Optimizer& optimizer) {
  try {
    return json_text(serve(Request(line), space, optimizer));
  } catch (const Refusal& refusal) {
    return json_text(error_answer(refusal.code, refusal.message));
  }
}

std::string answer_to_long_request() {
  return json_text(error_answer(
      "line_too_long", "a line may have " + std::to_string(kLongestRequest) + " bytes at most"));
}

std::string answer_to_lost_request(const std::string& reason) {
  return json_text(error_answer("not_stored", "nothing has changed: " + reason));
}

}  // namespace canopy
