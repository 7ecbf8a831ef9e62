#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/partition.hpp"

#include "python/space.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace canopy::python {

/// A pull that outlives its optimizer's next step.
struct PythonPull {
  PythonPull(nb::object its_space, const Pull& pull)
      : space(std::move(its_space)),
        arm(pull.arm.begin(), pull.arm.end()),
        ticket(pull.ticket),
        length(pull.length),
        node(pull.node),
        depth(pull.depth) {}

  nb::object space;  ///< the PythonSpace
  std::vector<double> arm;
  Ticket ticket;
  std::uint64_t length;
  NodeIndex node;
  std::uint32_t depth;
};

/// How many pulls are asked for; None: as many as there are. Throws ValueError.
[[nodiscard]] std::uint64_t pulls_from(nb::handle pulls);

/// The ticket of a pull, or the ticket itself. Throws ValueError.
[[nodiscard]] Ticket ticket_from(nb::handle pull);

/// Rewards as they were given: one, several, or sums. Throws ValueError.
using GivenRewards = std::variant<double, std::vector<double>, Rewards>;
[[nodiscard]] GivenRewards rewards_from(nb::handle rewards);

/// Throws ValueError unless all is well.
void check(Status status, Ticket ticket);

/// What Python sees of an optimizer: tuples and dictionaries.
[[nodiscard]] nb::object best_object(const PythonSpace& space, const std::optional<Best>& best);
[[nodiscard]] nb::tuple summary_tuple(const Summary& summary);

/// A node with an arm of its own.
struct OwnedNode {
  NodeView view;
  std::vector<double> arm;
};
[[nodiscard]] std::vector<OwnedNode> owned_tree(Optimizer& optimizer);
[[nodiscard]] nb::list tree_list(const PythonSpace& space, const BoxPartition& partition,
                                 const std::vector<OwnedNode>& nodes);

/// What `help` says.
namespace docs {

inline constexpr const char* kAsk = R"(What to try next, for at most `pulls` pulls.

By default for as long as the algorithm wants to stay. Learns nothing: asked again it gives the same
arm on a new ticket, until enough was told.)";
inline constexpr const char* kTell = R"(Tells what came of a pull, in the user's units.

One reward, several, or Rewards. All of them are learnt, or none, with a ValueError.)";
inline constexpr const char* kDrop = R"(Gives a pull back that will not be answered (any more).

Nothing is learnt, so the same arm is likely to be asked for again.)";
inline constexpr const char* kFinish = R"(Ends the episode that is going on.

Learns from what it has told, as at the end of a run.)";
inline constexpr const char* kPath = R"(The way down to the node of a pull: 0 left, 1 right.)";
inline constexpr const char* kInFlight = R"(The pulls that are open, the oldest first.

With what is left of their lengths.)";
inline constexpr const char* kSave = R"(All that it knows, pulls in flight included.

Pickling an optimizer does this for you.)";

}  // namespace docs

/// Binds the protocol to a class that has `space_object()`, `space()`, `partition()` and
/// `with(action)`, which calls action(optimizer) and keeps what that has changed. The action must
/// not touch Python. A class that `kHoldsInterpreter` also has `optimizer()`, to be asked without a
/// copy on the way: `ask` is what has to be fast.
template <class Class>
void bind_protocol(nb::class_<Class>& bound) {
  bound
      .def(
          "ask",
          [](Class& self, nb::handle pulls) {
            const std::uint64_t wanted = pulls_from(pulls);
            if constexpr (Class::kHoldsInterpreter) {
              return PythonPull(self.space_object(), self.optimizer().ask(wanted));
            } else {
              std::vector<double> arm;
              Pull pull = self.with([&](Optimizer& optimizer) {
                const Pull asked = optimizer.ask(wanted);
                arm.assign(asked.arm.begin(), asked.arm.end());
                return asked;
              });
              pull.arm = arm;
              return PythonPull(self.space_object(), pull);
            }
          },
          nb::arg("pulls") = nb::none(), nb::sig("def ask(self, pulls: int | None = None) -> Pull"),
          docs::kAsk)
      .def(
          "tell",
          [](Class& self, nb::handle pull, nb::handle reward) {
            const Ticket ticket = ticket_from(pull);
            if (PyFloat_CheckExact(reward.ptr())) {
              const double value = PyFloat_AS_DOUBLE(reward.ptr());
              check(self.with([&](Optimizer& optimizer) { return optimizer.tell(ticket, value); }),
                    ticket);
              return;
            }
            const GivenRewards given = rewards_from(reward);
            check(std::visit(
                      [&](const auto& rewards) {
                        return self.with(
                            [&](Optimizer& optimizer) { return optimizer.tell(ticket, rewards); });
                      },
                      given),
                  ticket);
          },
          nb::arg("pull").none(), nb::arg("reward").none(),
          nb::sig("def tell(self, pull: Pull | int, reward: float | Iterable[float] | Rewards) -> "
                  "None"),
          docs::kTell)
      .def(
          "drop",
          [](Class& self, nb::handle pull) {
            const Ticket ticket = ticket_from(pull);
            check(self.with([&](Optimizer& optimizer) { return optimizer.drop(ticket); }), ticket);
          },
          nb::arg("pull").none(), nb::sig("def drop(self, pull: Pull | int) -> None"), docs::kDrop)
      .def(
          "finish",
          [](Class& self) {
            self.with([](Optimizer& optimizer) {
              optimizer.finish();
              return Status::ok;
            });
          },
          nb::sig("def finish(self) -> None"), docs::kFinish)
      .def("_best",
           [](Class& self) {
             std::vector<double> arm;
             std::optional<Best> best = self.with([&](Optimizer& optimizer) {
               const std::optional<Best> found = optimizer.best();
               if (found) arm.assign(found->arm.begin(), found->arm.end());
               return found;
             });
             if (best) best->arm = arm;
             return best_object(self.space(), best);
           })
      .def("_summary",
           [](Class& self) {
             return summary_tuple(
                 self.with([](Optimizer& optimizer) { return optimizer.summary(); }));
           })
      .def("_tree",
           [](Class& self) {
             const std::vector<OwnedNode> nodes =
                 self.with([](Optimizer& optimizer) { return owned_tree(optimizer); });
             return tree_list(self.space(), self.partition(), nodes);
           })
      .def(
          "path",
          [](Class& self, const PythonPull& pull) {
            const auto path = self.with([&](Optimizer& optimizer) {
              const std::uint64_t nodes = optimizer.summary().nodes;
              return nodes == 0 || pull.node < nodes ? std::optional(optimizer.path(pull.node))
                                                     : std::nullopt;
            });
            if (!path) throw std::invalid_argument("pull: is of another optimizer");
            return *path;
          },
          nb::arg("pull"), nb::sig("def path(self, pull: Pull) -> str"), docs::kPath)
      .def(
          "in_flight",
          [](Class& self) {
            std::vector<std::vector<double>> arms;
            std::vector<Pull> pulls = self.with([&](Optimizer& optimizer) {
              std::vector<Pull> open = optimizer.in_flight();
              for (const Pull& pull : open) arms.emplace_back(pull.arm.begin(), pull.arm.end());
              return open;
            });
            nb::list result;
            for (std::size_t i = 0; i < pulls.size(); ++i) {
              pulls[i].arm = arms[i];
              result.append(nb::cast(PythonPull(self.space_object(), pulls[i])));
            }
            return result;
          },
          nb::sig("def in_flight(self) -> list[Pull]"), docs::kInFlight)
      .def(
          "save",
          [](Class& self) {
            const std::string saved =
                self.with([](Optimizer& optimizer) { return optimizer.save(); });
            return nb::bytes(saved.data(), saved.size());
          },
          nb::sig("def save(self) -> bytes"), docs::kSave);
}

}  // namespace canopy::python
