#include "studies/operations.hpp"

#include "studies/answers.hpp"
#include "studies/measured.hpp"

#include <utility>

namespace canopy {
namespace {

Outcome refused(std::string_view code, std::string_view message) {
  return {.refusal = Mistake{.code = std::string(code), .message = std::string(message)}};
}

Outcome outcome_of(Status status, Document::Table answer) {
  if (!is_taken(status)) return refused(name_of(status), describe(status));
  answer.insert(answer.begin(), {"ok", true});
  return {.answer = std::move(answer)};
}

/// Calls take(reward) with the penalty for a failure.
template <class Take>
Outcome with_penalty(const Optimizer& optimizer, const std::optional<double>& given, Take&& take) {
  const std::optional<double> penalty = given ? given : optimizer.failure_reward();
  return penalty ? take(*penalty) : refused("no_reward_yet", kNoRewardYet);
}

}  // namespace

TellRequest read_tell(RequestReader& reader, const Document& table, const std::string& prefix) {
  if (reader.flag(table, prefix, request::kFailed)) return read_failure(reader, table, prefix);
  reader.allow(table, prefix, request::kTell);
  return {.ticket = reader.ticket(table, prefix),
          .rewards = reader.rewards(table, prefix),
          .metrics = reader.metrics(table, prefix)};
}

TellRequest read_failure(RequestReader& reader, const Document& table, const std::string& prefix) {
  reader.allow(table, prefix, request::kFailure);
  return {.ticket = reader.ticket(table, prefix),
          .failed = true,
          .rewards = reader.number(table, prefix, request::kFailureReward)};
}

ObserveRequest read_observation(RequestReader& reader, const Document& table,
                                const std::string& prefix, const Names& names) {
  reader.allow(table, prefix, request::kObservation);
  const Role role = reader.role(table, prefix);
  if (role == Role::baseline && !names.contexts.empty()) {
    reader.complain(prefix + "role", "wrong_type",
                    "cannot be `baseline` in a study with [[context]]; this is not supported yet");
  }
  return {.arm = reader.arm(table, prefix, names.space).value_or(std::vector<double>()),
          .context = reader.context(table, prefix, names.contexts, role != Role::search),
          .rewards = reader.rewards(table, prefix).value_or(0.0),
          .role = role,
          .metrics = reader.metrics(table, prefix)};
}

BarRequest read_bar(RequestReader& reader, const Document& table, const std::string& prefix,
                    const Names& names) {
  reader.allow(table, prefix, request::kBar);
  return {.arm = reader.arm(table, prefix, names.space).value_or(std::vector<double>()),
          .reward = reader.number(table, prefix, request::kFailureReward)};
}

Outcome perform(Optimizer& optimizer, const TellRequest& request) {
  if (!request.failed) {
    const Status status = tell(optimizer, request.ticket.number, *request.rewards, request.metrics);
    return outcome_of(status, {{"t", optimizer.summary().t}});
  }
  std::optional<double> given;
  if (request.rewards) given = std::get<double>(*request.rewards);
  return with_penalty(optimizer, given, [&](double penalty) {
    const Status status = optimizer.penalize(request.ticket.number, penalty);
    return outcome_of(status, {{"t", optimizer.summary().t}, {"reward", penalty}});
  });
}

Outcome perform(Optimizer& optimizer, const ObserveRequest& request) {
  return outcome_of(observe(optimizer, request.arm, request.rewards, request.role, request.metrics,
                            request.context),
                    {});
}

Outcome perform(Optimizer& optimizer, const BarRequest& request) {
  return with_penalty(optimizer, request.reward, [&](double penalty) {
    return outcome_of(optimizer.bar(request.arm, penalty), {{"reward", penalty}});
  });
}

Outcome perform(Optimizer& optimizer, const NamedTicket& dropped) {
  return outcome_of(optimizer.drop(dropped.number), {});
}

}  // namespace canopy
