#include "python/protocol.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/partition.hpp"
#include "canopy/study.hpp"

#include "insight/best_text.hpp"
#include "python/bindings.hpp"
#include "python/contexts.hpp"
#include "python/limits.hpp"
#include "python/options.hpp"
#include "python/pull.hpp"
#include "studies/measured.hpp"
#include "tuning/claims.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace canopy::python {
namespace {

// --- docstrings ----------------------------------------------------------------------------------

constexpr const char* kAskHelp =
    R"(What to try next, for at most `pulls` pulls; with `count`, a list of that many pulls.

By default the algorithm decides the number of pulls. If it is asked again before a reward was told, the adaptive tree
returns other arms that look about as good, if there are any; other algorithms return the same arm on a new ticket until
they have enough rewards. With contexts, `context` is the current context, {"load": 0.7}, and each pull has length 1.)";
constexpr const char* kTellHelp = R"(Tells the result of a pull, in the user's units.

One reward, several, or Rewards. Either all are learnt, or none, with a ValueError. A study also stores `metrics`, other
measured numbers by name: `canopy best` and the live page show them.)";
constexpr const char* kObserveHelp = R"(Tells rewards of an arm that no ask returned.

For example earlier measurements: `observe({"x": 0.5}, 0.7)`. One reward, several, or Rewards. They count as pulls of
the arm, not as steps. An algorithm whose tree does not have the arm yet keeps them until it does. With contexts,
`context` is the context in which they were measured.)";
constexpr const char* kRememberHelp = R"(Tells rewards of an arm for `best` and `estimate` only.

The search does not learn from them. This is for example for measurements of a setting that is in use anyway. One
reward, several, or Rewards.)";
constexpr const char* kPenalizeHelp = R"(Reports a failed pull, and closes it.

The search learns `reward` instead and avoids the arm; `best`, `estimate` and the range of rewards ignore it. The
default is `failure_reward()`; before the first reward there is no default, and ValueError is raised.)";
constexpr const char* kBarHelp = R"(Excludes an arm.

`best` never returns it again, and the search avoids it, as if many pulls had earned `reward`, by default
`failure_reward()`. Its pulls in flight stay open.)";
constexpr const char* kIsBarredHelp = R"(Whether an arm was barred.)";
constexpr const char* kFailureRewardHelp = R"(The default value of a failure.

The worst reward so far minus a tenth of the spread of rewards (when minimizing: plus). None before the first reward.)";
constexpr const char* kDropHelp = R"(Returns a pull that will not be answered.

Nothing is learnt, so the same arm is likely to be returned by a later ask.)";
constexpr const char* kFinishHelp = R"(Ends the current episode.

Learns from the rewards told so far, as at the end of a run.)";
constexpr const char* kPathHelp =
    R"(The path from the root to the node of a pull, a digit for each level: 0 is the first part.)";
constexpr const char* kInFlightHelp =
    R"(The open pulls, the oldest first, with their remaining lengths.)";
constexpr const char* kSaveHelp = R"(The whole state as bytes, including pulls in flight.

Pickling an optimizer also saves its state.)";

// --- asking and telling --------------------------------------------------------------------------

/// Converts a context; empty if there are no contexts. Throws ValueError for a missing context, and
/// for a context given without contexts.
std::vector<double> context_from(const Protocol& self, nb::handle context) {
  const PythonContexts* contexts = self.contexts();
  if (contexts != nullptr && !context.is_none()) return contexts->context(context);
  if (contexts != nullptr) {
    std::string names;
    for (const ContextVariable& each : contexts->contexts().variables()) {
      names += (names.empty() ? "" : ", ") + each.name;
    }
    throw std::invalid_argument("context: is missing; it must have " + names);
  }
  if (!context.is_none()) {
    refuse("context", context, "needs an optimizer with contexts={...}");
  }
  return {};
}

PythonPull ask(Protocol& self, nb::handle pulls, nb::handle context) {
  const std::uint64_t wanted = pulls_from(pulls);
  const std::vector<double> seen = context_from(self, context);
  return {self.space_object(), self.with_cuts([&](Optimizer& optimizer) {
            const Pull pull = seen.empty() ? optimizer.ask(wanted) : optimizer.ask_in(seen, wanted);
            return PlacedPull(pull, self.places(optimizer));
          })};
}

nb::list ask_for_several(Protocol& self, nb::handle pulls, nb::handle count, nb::handle context) {
  constexpr std::uint64_t kMost = 1000;
  const auto number = number_from(count);
  if (!number || !(*number >= 1.0 && *number <= kMost) || std::floor(*number) != *number) {
    refuse("count", count, "must be a whole number from 1 to 1000");
  }
  nb::list given;
  for (auto left = static_cast<std::uint64_t>(*number); left > 0; --left) {
    given.append(nb::cast(ask(self, pulls, context)));
  }
  return given;
}

/// Throws ValueError unless the status is ok.
void check(Status status, Ticket ticket) {
  if (is_taken(status)) return;
  throw std::invalid_argument("ticket " + std::to_string(ticket) + ": " +
                              std::string(describe(status)));
}

/// Converts a dictionary of numbers; None is empty.
Metrics metrics_from(nb::handle given) {
  Metrics metrics;
  if (given.is_none()) return metrics;
  if (!PyDict_Check(given.ptr())) refuse("metrics", given, "must be a dictionary of numbers");
  for (const auto& [name, value] : nb::borrow<nb::dict>(given)) {
    const auto number = number_from(value);
    if (!nb::isinstance<nb::str>(name)) refuse("metrics", name, "a name must be a string");
    const auto text = nb::cast<std::string>(name);
    if (!number || !std::isfinite(*number))
      refuse("metrics[\"" + text + "\"]", value, "must be a finite number");
    metrics[text] = *number;
  }
  return metrics;
}

/// Throws ValueError: `ticket 8: 2 rewards, but the pull is good for 1 (its length)`.
void refuse_more(Protocol& self, nb::handle pull, std::uint64_t count) {
  const Ticket ticket = ticket_from(pull);
  const std::uint64_t left = self.with([&](Optimizer& optimizer) {
    const std::optional<Pull> open = optimizer.pull_of(ticket);
    return open ? open->length : 0;
  });
  if (left == 0) return;  // another thread has told the rest meanwhile
  std::string text = "ticket " + std::to_string(ticket) + ": " + std::to_string(count) +
                     " rewards, but the pull is good for " + std::to_string(left);
  if (nb::isinstance<PythonPull>(pull)) {
    const std::uint64_t length = nb::cast<const PythonPull&>(pull).placed.pull.length;
    text +=
        left == length ? " (its length)" : " more (its length is " + std::to_string(length) + ")";
  }
  throw std::invalid_argument(text);
}

void tell(Protocol& self, nb::handle pull, nb::handle reward, nb::handle metrics) {
  const Ticket ticket = ticket_from(pull);
  const AnyRewards given = rewards_from(reward);
  const Metrics beside = metrics_from(metrics);
  const Status status = self.with_cuts(
      [&](Optimizer& optimizer) { return canopy::tell(optimizer, ticket, given, beside); });
  if (status == Status::too_many_rewards) refuse_more(self, pull, count_of(given));
  check(status, ticket);
}

std::vector<double> coordinates_from(const Protocol& self, nb::handle arm) {
  if (!PyDict_Check(arm.ptr())) refuse("arm", arm, "must be a dictionary of parameters");
  return self.space().coordinates(nb::borrow<nb::dict>(arm));
}

void refuse_unless_ok(Status status, nb::handle reward) {
  if (status == Status::needs_study) throw std::invalid_argument(std::string(describe(status)));
  if (status != Status::ok) refuse("reward", reward, std::string(describe(status)));
}

void observe(Protocol& self, nb::handle arm, nb::handle reward, nb::handle metrics,
             nb::handle context) {
  const std::vector<double> coordinates = coordinates_from(self, arm);
  const std::vector<double> seen = context_from(self, context);
  const AnyRewards given = rewards_from(reward);
  const Metrics beside = metrics_from(metrics);
  refuse_unless_ok(self.with_cuts([&](Optimizer& optimizer) {
    return canopy::observe(optimizer, coordinates, given, Role::search, beside, seen);
  }),
                   reward);
}

void remember(Protocol& self, nb::handle arm, nb::handle reward) {
  const std::vector<double> coordinates = coordinates_from(self, arm);
  const Rewards rewards = sums_of(rewards_from(reward));
  if (self.contexts() != nullptr) {
    throw std::invalid_argument("remember: is not supported with contexts; use `observe`");
  }
  refuse_unless_ok(self.with_cuts([&](Optimizer& optimizer) {
    return optimizer.remember(coordinates, rewards);
  }),
                   reward);
}

void set_reward_range(Protocol& self, nb::handle range) {
  const std::optional<RewardRange> given = range_from(range);
  self.with([&](Optimizer& optimizer) {
    optimizer.set_reward_range(given);
    return Status::ok;
  });
}

void drop(Protocol& self, nb::handle pull) {
  const Ticket ticket = ticket_from(pull);
  check(self.with([&](Optimizer& optimizer) { return optimizer.drop(ticket); }), ticket);
}

/// The outcome of a failure. No status: the value of the failure is neither given nor known.
using Outcome = std::optional<Status>;

std::optional<double> reward_or_none(nb::handle reward) {
  if (reward.is_none()) return std::nullopt;
  const auto number = number_from(reward);
  if (!number) refuse("reward", reward, "must be a finite number, or None");
  return number;
}

/// Calls take(optimizer, reward), with the default value of a failure if no reward is given.
template <class Take>
Status with_penalty(Protocol& self, nb::handle given, Take&& take) {
  const std::optional<double> reward = reward_or_none(given);
  const Outcome outcome = self.with_cuts([&](Optimizer& optimizer) -> Outcome {
    const std::optional<double> worth = reward ? reward : optimizer.failure_reward();
    return worth ? Outcome(take(optimizer, *worth)) : std::nullopt;
  });
  if (outcome) return *outcome;
  throw std::invalid_argument(
      "reward: is missing, and there is no earlier reward from which the value of a failure "
      "follows");
}

void penalize(Protocol& self, nb::handle pull, nb::handle reward) {
  const Ticket ticket = ticket_from(pull);
  check(with_penalty(
            self, reward,
            [&](Optimizer& optimizer, double worth) { return optimizer.penalize(ticket, worth); }),
        ticket);
}

void bar(Protocol& self, nb::handle arm, nb::handle reward) {
  const std::vector<double> coordinates = coordinates_from(self, arm);
  const Status status = with_penalty(self, reward, [&](Optimizer& optimizer, double worth) {
    return optimizer.bar(coordinates, worth);
  });
  if (status != Status::ok) refuse("reward", reward, std::string(describe(status)));
}

bool is_barred(Protocol& self, nb::handle arm) {
  const std::vector<double> coordinates = coordinates_from(self, arm);
  return self.with([&](Optimizer& optimizer) { return optimizer.is_barred(coordinates); });
}

std::optional<double> failure_reward(Protocol& self) {
  return self.with([](Optimizer& optimizer) { return optimizer.failure_reward(); });
}

void finish(Protocol& self) {
  self.with_cuts([](Optimizer& optimizer) {
    optimizer.finish();
    return Status::ok;
  });
}

// --- looking -------------------------------------------------------------------------------------

nb::list in_flight(Protocol& self) {
  std::vector<PlacedPull> pulls = self.with([&](Optimizer& optimizer) {
    const TreeView* tree = self.places(optimizer);
    std::vector<PlacedPull> open;
    for (const Pull& pull : optimizer.in_flight()) open.emplace_back(pull, tree);
    return open;
  });
  nb::list result;
  for (PlacedPull& pull : pulls) {
    result.append(nb::cast(PythonPull{self.space_object(), std::move(pull)}));
  }
  return result;
}

std::string path(Protocol& self, const PythonPull& pull) {
  const auto [node, depth] = pull.placed.place;
  std::string way = self.with([&self, node = node](Optimizer& optimizer) {
    const TreeView* tree = self.places(optimizer);
    return tree != nullptr ? tree->path(node) : std::string();
  });
  if (way.size() == depth) return way;
  throw std::invalid_argument("pull: is from another optimizer, or its node is gone");
}

/// An end of an interval; None if it is unbounded.
nb::object end_or_none(double end) {
  return std::isfinite(end) ? nb::object(nb::float_(end)) : nb::none();
}

nb::str text(std::string_view name) {
  return nb::str(name.data(), name.size());
}

nb::object number_or_none(const std::optional<std::uint64_t>& number) {
  return number ? nb::cast(*number) : nb::none();
}

/// The fields of `Best` in Python, or None.
nb::object best_tuple(const Protocol& self, const std::optional<Best>& found) {
  if (!found) return nb::none();
  const PythonSpace& space = self.space();
  const nb::object own = found->own.empty() ? nb::none() : nb::object(space.dictionary(found->own));
  const auto& model = found->by_model;
  const nb::object by_model =
      model ? nb::object(nb::make_tuple(model->lower, model->upper)) : nb::none();
  return nb::make_tuple(space.dictionary(found->arm), found->mean, end_or_none(found->lower),
                        end_or_none(found->upper), found->pulls, found->confidence,
                        text(name_of(found->assumes)), found->rare_extremes, found->rivals,
                        found->unknown, text(name_of(found->basis)), own, by_model,
                        number_or_none(found->since), found->level_moves,
                        checks_list(found->limits), best_text(space.space(), *found));
}

nb::object best(Protocol& self, nb::handle context) {
  const std::vector<double> seen = context_from(self, context);
  return best_tuple(self, self.with([&](Optimizer& optimizer) {
    return seen.empty() ? optimizer.best() : optimizer.best_in(seen);
  }));
}

/// The fields of `Policy` in Python, or None.
nb::object policy(Protocol& self) {
  if (self.contexts() == nullptr) return nb::none();
  const std::optional<Policy> known =
      self.with([](Optimizer& optimizer) { return optimizer.policy(); });
  return known ? nb::object(policy_tuple(*known, self.space(), *self.contexts())) : nb::none();
}

nb::object nearest(Protocol& self) {
  return best_tuple(self, self.with([](Optimizer& optimizer) { return optimizer.nearest(); }));
}

nb::list limit_checks(Protocol& self, nb::handle arm) {
  const std::vector<double> coordinates = coordinates_from(self, arm);
  return checks_list(
      self.with([&](Optimizer& optimizer) { return optimizer.limit_checks(coordinates); }));
}

/// Returns (metric, min, max, factor) for each limit.
nb::list limits(const Protocol& self) {
  nb::list list;
  const auto end = [](const std::optional<double>& number) {
    return number ? nb::object(nb::float_(*number)) : nb::none();
  };
  for (const Limit& limit : self.specification().objective.limits) {
    list.append(nb::make_tuple(text(limit.metric), end(limit.min), end(limit.max), limit.factor));
  }
  return list;
}

/// The uplift: for a study, whose tuner may have compared arms by itself, the strongest one.
std::optional<Uplift> claim_of(const Optimizer& optimizer) {
  const auto* study = dynamic_cast<const Study*>(&optimizer);
  if (study == nullptr) return optimizer.uplift();
  return strongest_uplift(*study, study->specification(), tuner_state_of(*study));
}

/// The fields of `Uplift` in Python, or None.
nb::object uplift(Protocol& self) {
  using Found = std::pair<std::optional<Uplift>, std::optional<Best>>;
  const Found found = self.with([](Optimizer& optimizer) {
    return Found{claim_of(optimizer), optimizer.best()};
  });
  if (!found.first || !found.second) return nb::none();
  const Uplift& known = *found.first;
  const PythonSpace& space = self.space();
  const Direction direction = self.specification().objective.direction;
  const nb::object arm = known.arm.empty() ? nb::none() : nb::object(space.dictionary(known.arm));
  return nb::make_tuple(
      arm, number_or_none(known.policy_of), text(name_of(known.verdict)), known.difference,
      end_or_none(known.interval.lower), end_or_none(known.interval.upper), known.confidence,
      known.pairs, known.fewest, known.is_best, known.is_confirmed, known.is_refuted,
      known.baseline_mean, end_or_none(known.baseline.lower), end_or_none(known.baseline.upper),
      known.rounds, known.moves.has_value(), number_or_none(known.since), known.was_proven,
      uplift_text(space.space(), known, *found.second, direction));
}

/// The fields of `Loss` in Python, or None.
nb::object loss(Protocol& self) {
  const std::optional<Loss> known =
      self.with([](Optimizer& optimizer) { return optimizer.loss(); });
  if (!known) return nb::none();
  const nb::object waits_for =
      known->waits_for.empty() ? nb::none() : nb::object(self.space().dictionary(known->waits_for));
  return nb::make_tuple(known->lost, known->margin, known->allowed, known->baseline_mean,
                        known->pulls, waits_for, loss_text(self.specification(), *known));
}

/// The fields of `Baseline` in Python, or None.
nb::object baseline(const Protocol& self) {
  const StudySpecification& specification = self.specification();
  if (!specification.baseline) return nb::none();
  const Baseline& given = *specification.baseline;
  const auto or_none = [](const auto& number) { return number ? nb::cast(*number) : nb::none(); };
  const Budget& budget = specification.budget;
  return nb::make_tuple(self.space().dictionary(given.setting), given.every, given.pulls,
                        or_none(given.seed), or_none(budget.pulls), or_none(budget.max_loss),
                        or_none(budget.worst_loss), or_none(budget.max_loss_per_pull),
                        or_none(budget.worst_loss_per_pull));
}

/// Returns (mean, lower, upper, pulls, assumes), or None.
nb::object estimate_of(Protocol& self, nb::handle arm) {
  const std::vector<double> coordinates = coordinates_from(self, arm);
  const std::optional<ArmEstimate> known =
      self.with([&](Optimizer& optimizer) { return optimizer.estimate(coordinates); });
  if (!known) return nb::none();
  return nb::make_tuple(known->mean, end_or_none(known->interval.lower),
                        end_or_none(known->interval.upper), known->pulls,
                        text(name_of(known->assumes)));
}

/// Two numbers, or None.
nb::object range_or_none(const std::optional<RewardRange>& range) {
  return range ? nb::object(nb::make_tuple(range->front(), range->back())) : nb::none();
}

/// Returns (pull, kind, size), or None.
nb::object change_or_none(const std::optional<Change>& change) {
  if (!change) return nb::none();
  return nb::make_tuple(change->pull, text(name_of(change->kind)), change->size);
}

/// The last given range, or "auto" if it is learnt.
nb::object given_range(Protocol& self) {
  const std::optional<RewardRange> range =
      self.with([](Optimizer& optimizer) { return optimizer.reward_range(); });
  return range ? range_or_none(range) : nb::object(text("auto"));
}

nb::tuple summary(Protocol& self) {
  const Summary at = self.with([](Optimizer& optimizer) { return optimizer.summary(); });
  return nb::make_tuple(at.t, at.nodes, at.depth, at.switches, at.refreshes, at.out_of_range,
                        at.in_flight, at.observed, range_or_none(at.fitting_range), at.passed_over,
                        at.settling, at.penalized, at.changes, change_or_none(at.last_change),
                        at.followed_level);
}

std::optional<std::uint64_t> settling(Protocol& self) {
  return self.with([](Optimizer& optimizer) { return optimizer.summary().settling; });
}

/// Returns (noise, correlation, smoothness, lowest, highest, shares, explorer_pulls, lost, turn),
/// or None.
nb::object learnt(Protocol& self) {
  const std::optional<Learnt> known =
      self.with([](Optimizer& optimizer) { return optimizer.learnt(); });
  if (!known) return nb::none();
  const PythonSpace& space = self.space();
  nb::dict shares;
  for (std::size_t i = 0; i < known->shares.size(); ++i) {
    shares[space.space().parameters()[i].name.c_str()] = known->shares[i];
  }
  nb::object turn = nb::none();
  if (const auto& last = known->turn) {
    turn = nb::make_tuple(text(name_of(last->why)), space.dictionary(last->arm), last->pulls,
                          last->length, last->estimate, last->deviation, last->bound);
  }
  return nb::make_tuple(known->noise, known->correlation, known->smoothness, known->lowest,
                        known->highest, shares, known->explorer_pulls, known->lost, turn);
}

/// A node with a copy of its arm.
struct OwnedNode {
  NodeView view;
  std::vector<double> arm;
};

std::vector<OwnedNode> owned_nodes(Optimizer& optimizer) {
  std::vector<OwnedNode> nodes;
  const TreeView* tree = optimizer.tree();
  if (tree == nullptr) return nodes;
  for (NodeView& view : tree->nodes()) {
    std::vector<double> arm(view.arm.begin(), view.arm.end());
    nodes.push_back({std::move(view), std::move(arm)});
  }
  return nodes;
}

/// The cell of the node at the end of a path: {'x': (0.0, 0.5)}.
nb::dict cell_dictionary(const PythonSpace& space, const BoxPartition& partition,
                         const std::string& path) {
  const std::size_t size = partition.cell_size();
  std::vector<double> cell(size);
  std::vector<double> parts(partition.arity() * size);
  partition.root(cell);
  for (std::size_t depth = 0; depth < path.size(); ++depth) {
    const std::uint32_t count = partition.cut(cell, static_cast<std::uint32_t>(depth), parts);
    const auto place = static_cast<std::uint32_t>(path[depth] - '0');
    if (place >= count) break;
    const auto first = parts.begin() + static_cast<std::ptrdiff_t>(place * size);
    cell.assign(first, first + static_cast<std::ptrdiff_t>(size));
  }
  nb::dict result;
  for (std::size_t i = 0; i < space.space().dimension(); ++i) {
    const auto [low, high] = partition.side(cell, i);
    result[space.name(i)] = nb::make_tuple(space.value(low, i), space.value(high, i));
  }
  return result;
}

BoxPartition partition_of(Protocol& self) {
  const StudySpecification& specification = self.specification();
  return canopy::partition_of(specification.optimizer.name, self.space().space(),
                              specification.partition);
}

/// Empty for user-defined cells.
nb::dict cell_at(Protocol& self, const std::string& path) {
  if (self.has_own_partition()) return {};
  const BoxPartition partition = partition_of(self);
  return cell_dictionary(self.space(), partition, path);
}

/// Returns a list of (path, arm, cell, pulls, mean, upper, bound, leaf, model).
nb::list tree(Protocol& self) {
  const PythonSpace& space = self.space();
  const BoxPartition partition = partition_of(self);
  nb::list result;
  for (const auto& [view, arm] : self.with(owned_nodes)) {
    const nb::dict cell =
        self.has_own_partition() ? nb::dict() : cell_dictionary(space, partition, view.path);
    const nb::object model =
        view.model ? nb::object(nb::make_tuple(view.model->lower, view.model->upper)) : nb::none();
    result.append(nb::make_tuple(view.path, space.dictionary(arm), cell, view.pulls, view.mean,
                                 view.upper, view.bound, view.leaf, model));
  }
  return result;
}

nb::bytes save(Protocol& self) {
  const std::string saved = self.with([](Optimizer& optimizer) {
    (void)optimizer
        .tree();  // updates all bounds, so that the saved state does not depend on earlier reads
    return optimizer.save();
  });
  return nb::bytes(saved.data(), saved.size());
}

/// The garbage collector's traversal and clearing: choices of the space and the contexts may refer
/// back to the optimizer.
int traverse_protocol(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  Py_VISIT(nb::inst_ptr<Protocol>(self)->space_object().ptr());
  Py_VISIT(nb::inst_ptr<Protocol>(self)->contexts_object().ptr());
  return 0;
}

std::array<PyType_Slot, 2> protocol_slots{
    {{Py_tp_traverse, reinterpret_cast<void*>(traverse_protocol)}, {0, nullptr}}};

}  // namespace

void bind_protocol(nb::module_& module) {
  nb::class_<Protocol>(module, "_Protocol", nb::type_slots(protocol_slots.data()))
      .def("ask", &ask, nb::arg("pulls") = nb::none(), nb::kw_only(),
           nb::arg("context") = nb::none(),
           nb::sig("def ask(self, pulls: int | None = None, *, context: dict[str, Any] | None = "
                   "None) -> Pull"),
           kAskHelp)
      .def("ask", &ask_for_several, nb::arg("pulls") = nb::none(), nb::kw_only(),
           nb::arg("count").none(), nb::arg("context") = nb::none(),
           nb::sig("def ask(self, pulls: int | None = None, *, count: int, context: dict[str, Any] "
                   "| None = None) -> list[Pull]"))
      .def("tell", &tell, nb::arg("pull").none(), nb::arg("reward").none(),
           nb::arg("metrics") = nb::none(),
           nb::sig("def tell(self, pull: Pull | int, reward: float | Iterable[float] | Rewards, "
                   "metrics: dict[str, float] | None = None) -> None"),
           kTellHelp)
      .def("observe", &observe, nb::arg("arm").none(), nb::arg("reward").none(),
           nb::arg("metrics") = nb::none(), nb::kw_only(), nb::arg("context") = nb::none(),
           nb::sig("def observe(self, arm: dict[str, Any], reward: float | Iterable[float] | "
                   "Rewards, metrics: dict[str, float] | None = None, *, context: dict[str, Any] | "
                   "None = None) -> None"),
           kObserveHelp)
      .def("remember", &remember, nb::arg("arm").none(), nb::arg("reward").none(),
           nb::sig("def remember(self, arm: dict[str, Any], reward: float | Iterable[float] | "
                   "Rewards) -> None"),
           kRememberHelp)
      .def("penalize", &penalize, nb::arg("pull").none(), nb::arg("reward") = nb::none(),
           nb::sig("def penalize(self, pull: Pull | int, reward: float | None = None) -> None"),
           kPenalizeHelp)
      .def("bar", &bar, nb::arg("arm").none(), nb::arg("reward") = nb::none(),
           nb::sig("def bar(self, arm: dict[str, Any], reward: float | None = None) -> None"),
           kBarHelp)
      .def("is_barred", &is_barred, nb::arg("arm").none(),
           nb::sig("def is_barred(self, arm: dict[str, Any]) -> bool"), kIsBarredHelp)
      .def("failure_reward", &failure_reward, nb::sig("def failure_reward(self) -> float | None"),
           kFailureRewardHelp)
      .def("drop", &drop, nb::arg("pull").none(),
           nb::sig("def drop(self, pull: Pull | int) -> None"), kDropHelp)
      .def("finish", &finish, nb::sig("def finish(self) -> None"), kFinishHelp)
      .def("in_flight", &in_flight, nb::sig("def in_flight(self) -> list[Pull]"), kInFlightHelp)
      .def("path", &path, nb::arg("pull"), nb::sig("def path(self, pull: Pull) -> str"), kPathHelp)
      .def("save", &save, nb::sig("def save(self) -> bytes"), kSaveHelp)
      .def("_best", &best, nb::arg("context") = nb::none())
      .def("_policy", &policy)
      .def(
          "_check_context",
          [](const Protocol& self, nb::handle context) { (void)context_from(self, context); },
          nb::arg("context").none())
      .def("_uplift", &uplift)
      .def("_loss", &loss)
      .def("_estimate", &estimate_of, nb::arg("arm").none())
      .def("_set_reward_range", &set_reward_range, nb::arg("range").none())
      .def("_summary", &summary)
      .def("_settling", &settling)
      .def("_learnt", &learnt)
      .def("_tree", &tree)
      .def("_cell", &cell_at, nb::arg("path"))
      .def_prop_ro("space", &Protocol::space_object, "The search space.")
      .def_prop_ro("contexts", &Protocol::contexts_object,
                   "The variables that are observed before each pull; None without contexts.")
      .def_prop_ro(
          "optimizer_name",
          [](const Protocol& self) { return text(self.specification().optimizer.name); },
          "The name of the algorithm.")
      .def_prop_ro(
          "options",
          [](const Protocol& self) {
            return options_dictionary(self.specification().optimizer.options);
          },
          "The options of the optimizer, with all defaults.")
      .def_prop_ro(
          "partition",
          [](const Protocol& self) { return text(text_of(self.specification().partition)); },
          "The rule by which cells are cut.")
      .def_prop_ro(
          "direction",
          [](const Protocol& self) {
            return text(name_of(self.specification().objective.direction));
          },
          R"("maximize" or "minimize".)")
      .def_prop_ro(
          "confidence",
          [](const Protocol& self) { return self.specification().objective.confidence; },
          "The level of the confidence intervals.")
      .def_prop_ro(
          "hard_range",
          [](const Protocol& self) { return self.specification().objective.hard_range; },
          "Whether no reward can be outside reward_range.")
      .def_prop_ro("_baseline", &baseline)
      .def("_nearest", &nearest)
      .def_prop_ro("_limits", &limits)
      .def("_limit_checks", &limit_checks, nb::arg("arm"))
      .def_prop_ro("reward_range", &given_range,
                   R"(The approximate range of rewards: two numbers, or "auto".)");
}

}  // namespace canopy::python
