#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/partition.hpp"

#include "python/space.hpp"

#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

/// Binds the protocol to a class that has `space_object()`, `space()`, `partition()` and
/// `with(action)`, which calls action(optimizer) and keeps what that has changed. The action must
/// not touch Python.
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
          nb::arg("pulls") = nb::none())
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
          nb::arg("pull").none(), nb::arg("reward").none())
      .def(
          "drop",
          [](Class& self, nb::handle pull) {
            const Ticket ticket = ticket_from(pull);
            check(self.with([&](Optimizer& optimizer) { return optimizer.drop(ticket); }), ticket);
          },
          nb::arg("pull").none())
      .def("finish",
           [](Class& self) {
             self.with([](Optimizer& optimizer) {
               optimizer.finish();
               return Status::ok;
             });
           })
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
            return self.with([&](Optimizer& optimizer) { return optimizer.path(pull.node); });
          },
          nb::arg("pull"))
      .def("in_flight",
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
           })
      .def("save", [](Class& self) {
        const std::string saved = self.with([](Optimizer& optimizer) { return optimizer.save(); });
        return nb::bytes(saved.data(), saved.size());
      });
}

}  // namespace canopy::python
