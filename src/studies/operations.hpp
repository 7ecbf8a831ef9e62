#pragma once
// The requests of workers (from a pipe or over HTTP): reading and executing them. docs/pipe.md
// describes the protocol.

#include "canopy/event.hpp"
#include "canopy/optimizer.hpp"

#include "files/document.hpp"
#include "files/names.hpp"
#include "studies/request_reader.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

namespace request {

inline constexpr RequestField kFailed{
    .name = "failed", .help = "whether the pull has failed", .kind = RequestField::Kind::flag};
inline constexpr RequestField kFailureReward{
    .name = "reward",
    .help = "the reward to learn instead; by default a little worse than the worst reward so far",
    .kind = RequestField::Kind::reward};
inline constexpr std::array kTell{kTicket, kRewards, kMetrics, kFailed};
inline constexpr std::array kFailure{kTicket, kFailed.needed(), kFailureReward};
inline constexpr std::array kObservation{kArm, kContext, kRewards, kRole, kMetrics};
inline constexpr std::array kBar{kArm, kFailureReward};

}  // namespace request

/// The result of a pull.
struct TellRequest {
  NamedTicket ticket = {};
  bool failed = false;
  std::optional<AnyRewards> rewards = {};  ///< for a failure: its penalty, if given
  Metrics metrics = {};
};

/// Rewards of an arm that were not measured for a ticket.
struct ObserveRequest {
  std::vector<double> arm = {};
  std::vector<double> context = {};  ///< in which they were measured, if the study has contexts
  AnyRewards rewards = 0.0;
  Role role = Role::search;
  Metrics metrics = {};
};

/// An arm to bar, and the reward that the search learns for it.
struct BarRequest {
  std::vector<double> arm = {};
  std::optional<double> reward = {};
};

// Mistakes are reported to the reader; the returned value must not be used then.

[[nodiscard]] TellRequest read_tell(RequestReader& reader, const Document& table,
                                    const std::string& prefix);
/// Reads a failed pull from a table that has no key `failed`.
[[nodiscard]] TellRequest read_failure(RequestReader& reader, const Document& table,
                                       const std::string& prefix);
[[nodiscard]] ObserveRequest read_observation(RequestReader& reader, const Document& table,
                                              const std::string& prefix, const Names& names);
[[nodiscard]] BarRequest read_bar(RequestReader& reader, const Document& table,
                                  const std::string& prefix, const Names& names);

/// The result of a request: a response, or the reason why nothing was changed.
struct Outcome {
  Document answer = {};
  std::optional<Mistake> refusal = {};
};

[[nodiscard]] Outcome perform(Optimizer& optimizer, const TellRequest& request);
[[nodiscard]] Outcome perform(Optimizer& optimizer, const ObserveRequest& request);
[[nodiscard]] Outcome perform(Optimizer& optimizer, const BarRequest& request);
[[nodiscard]] Outcome perform(Optimizer& optimizer, const NamedTicket& dropped);

}  // namespace canopy
