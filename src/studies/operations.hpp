#pragma once
// The requests of workers, whichever way they came (pipe, HTTP): how they are read, and what they
// do. docs/pipe.md has the protocol.

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
    .help = "what the search learns of it; left out: a little less than the worst reward so far",
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
  std::optional<AnyRewards> rewards = {};  ///< of a failure: what it is worth, if that is given
  Metrics metrics = {};
};

/// Rewards of an arm that was not asked for.
struct ObserveRequest {
  std::vector<double> arm = {};
  std::vector<double> context = {};  ///< in which they were earned, where the study has contexts
  AnyRewards rewards = 0.0;
  Role role = Role::search;
  Metrics metrics = {};
};

/// An arm that must not be played again, and what the search shall think of it.
struct BarRequest {
  std::vector<double> arm = {};
  std::optional<double> reward = {};
};

// Mistakes are left with the reader; what is returned then is not to be used.

[[nodiscard]] TellRequest read_tell(RequestReader& reader, const Document& table,
                                    const std::string& prefix);
/// The same for a table without the key `failed`: the pull has failed.
[[nodiscard]] TellRequest read_failure(RequestReader& reader, const Document& table,
                                       const std::string& prefix);
[[nodiscard]] ObserveRequest read_observation(RequestReader& reader, const Document& table,
                                              const std::string& prefix, const Names& names);
[[nodiscard]] BarRequest read_bar(RequestReader& reader, const Document& table,
                                  const std::string& prefix, const Names& names);

/// What came of a request: an answer, or why nothing has happened.
struct Outcome {
  Document answer = {};
  std::optional<Mistake> refusal = {};
};

[[nodiscard]] Outcome perform(Optimizer& optimizer, const TellRequest& request);
[[nodiscard]] Outcome perform(Optimizer& optimizer, const ObserveRequest& request);
[[nodiscard]] Outcome perform(Optimizer& optimizer, const BarRequest& request);
[[nodiscard]] Outcome perform(Optimizer& optimizer, const NamedTicket& dropped);

}  // namespace canopy
