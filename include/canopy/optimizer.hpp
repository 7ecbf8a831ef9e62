#pragma once

#include "canopy/cover_tree.hpp"
#include "canopy/space.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

enum class Direction { maximize, minimize };

/// What a reward means. The algorithms want rewards in about [0, 1], larger being better.
struct Objective {
  Direction direction = Direction::maximize;

  /// [a, b]: a reward r is mapped to (r - a) / (b - a), or (b - r) / (b - a) when minimizing.
  /// Nothing is clipped; single rewards that land outside [0, 1] are used and counted.
  std::array<double, 2> reward_range = {0.0, 1.0};
};

/// Names one `ask`. Numbers start at 1 and are never used again.
using Ticket = std::uint64_t;

/// What to try next: play `arm` up to `length` times in a row and tell the rewards.
struct Pull {
  Ticket ticket = 0;
  Arm arm;                   ///< Valid until the ticket is closed.
  std::uint64_t length = 0;  ///< How many rewards the ticket is good for.
  NodeIndex node = 0;        ///< The node of the tree, for optimizers that have one.
  std::uint32_t depth = 0;   ///< Its depth.
};

/// Several rewards of one arm in three numbers.
struct Rewards {
  std::uint64_t count = 0;
  double sum = 0.0;
  double sum_squares = 0.0;  ///< Checked against the others; no optimizer here needs the variance.
};

/// What became of a `tell` or a `drop`. Unless it is `ok`, the optimizer is as it was before.
enum class Status {
  ok,
  unknown_ticket,    ///< No such ticket was ever given out.
  closed_ticket,     ///< All its rewards were told, or it was dropped.
  too_many_rewards,  ///< More than the ticket is still good for.
  not_a_reward,      ///< NaN, infinite, or beyond 1e100 once mapped.
  impossible_sums,   ///< No rewards have this count, sum and sum of squares.
};

/// One line for people.
[[nodiscard]] std::string_view describe(Status status);

/// The arm to recommend, in the user's units: lower <= mean <= upper.
struct Best {
  Arm arm;  ///< Valid until the next ask or tell.
  double mean = 0.0;
  double lower = 0.0;
  double upper = 0.0;
  std::uint64_t pulls = 0;
};

struct Summary {
  std::uint64_t t = 1;             ///< Index of the next pull: answers so far plus one.
  std::uint64_t nodes = 0;         ///< of the tree
  std::uint32_t depth = 0;         ///< of the deepest of them
  std::uint64_t switches = 0;      ///< Changes of arm; the first selection is one.
  std::uint64_t refreshes = 0;     ///< Phases begun.
  std::uint64_t out_of_range = 0;  ///< Single rewards that were mapped to outside [0, 1].
  std::uint64_t in_flight = 0;     ///< Tickets that are open.
};

/// A node as seen from outside, in mapped units.
struct NodeView {
  std::string path;  ///< The way down from the root: 0 left, 1 right.
  Arm arm;           ///< Valid until the next ask or tell.
  std::uint64_t pulls = 0;
  double mean = 0.0;
  double upper = 0.0;  ///< U, possibly infinite
  double bound = 0.0;  ///< B, possibly infinite
  bool leaf = true;
};

/// The protocol that every optimizer speaks. Concrete classes are final, and Hct defines `ask` and
/// `tell` inline, so that a loop over it pays for no virtual call; hold an Optimizer where the
/// algorithm is chosen at run time. Not thread-safe: guard it, and keep many pulls in flight.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// What to try next, for at most `pulls` pulls (at least one); by default for as long as the
  /// algorithm wants to stay. Learns nothing: asked again it gives the same arm on a new ticket,
  /// until enough was told.
  virtual Pull ask(std::uint64_t pulls = UINT64_MAX) = 0;

  /// One reward, in the user's units. The only thing, with the two below, that learns.
  virtual Status tell(Ticket ticket, double reward) = 0;
  /// Several rewards: all of them, or none when the answer is not ok.
  virtual Status tell(Ticket ticket, std::span<const double> rewards) = 0;
  /// Several rewards as sums: equal to telling them one by one, up to rounding.
  virtual Status tell(Ticket ticket, const Rewards& rewards) = 0;

  /// Closes a ticket that will not be answered (any more).
  virtual Status drop(Ticket ticket) = 0;

  /// Ends what is going on and learns from the rewards told so far, as at the end of a run.
  virtual void finish() = 0;

  /// The arm to recommend; none before the first answer.
  [[nodiscard]] virtual std::optional<Best> best() const = 0;

  [[nodiscard]] virtual Summary summary() const = 0;

  /// Every node, the shallow ones first, from left to right. Not const: bounds that the algorithm
  /// had no need of yet are brought up to date.
  [[nodiscard]] virtual std::vector<NodeView> tree() = 0;

  /// The way down to a node from the root, as in NodeView.
  [[nodiscard]] virtual std::string path(NodeIndex node) const = 0;

  /// The tickets that are open, the oldest first, with what remains of their lengths.
  [[nodiscard]] virtual std::vector<Pull> in_flight() const = 0;

  /// All that it knows, tickets in flight included, as text for `restore`.
  [[nodiscard]] virtual std::string save() = 0;

  /// Takes over what an optimizer of the same space, options and objective saved, to go on exactly
  /// from there. Throws StateError, after which this one is good for nothing any more.
  virtual void restore(std::string_view saved) = 0;
};

}  // namespace canopy
