#include "python/protocol.hpp"

#include "python/bindings.hpp"
#include "python/options.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>

namespace canopy::python {
namespace {

[[noreturn]] void refuse(const std::string& what, nb::handle value, const std::string& expected) {
  throw std::invalid_argument(what + " = " + shown(value) + ": " + expected);
}

constexpr const char* kRewards = "must be a finite number, several of them, or Rewards";

/// Whether it holds rewards one after the other: a list, an array, a generator.
bool is_series(nb::handle value) {
  return nb::hasattr(value, "__iter__") && !nb::isinstance<nb::str>(value) &&
         !nb::isinstance<nb::bytes>(value) && !nb::isinstance<nb::dict>(value) &&
         !PyByteArray_Check(value.ptr());
}

nb::dict cell_dictionary(const PythonSpace& space, const BoxPartition& partition,
                         const std::string& path) {
  std::vector<double> cell(partition.cell_size());
  std::vector<double> left(cell.size());
  std::vector<double> right(cell.size());
  partition.root(cell);
  for (std::size_t depth = 0; depth < path.size(); ++depth) {
    if (!partition.split(cell, static_cast<std::uint32_t>(depth), left, right)) break;
    cell = path[depth] == '0' ? left : right;
  }
  nb::dict result;
  for (std::size_t i = 0; i < space.space().dimension(); ++i) {
    const auto [low, high] = partition.side(cell, i);
    result[space.name(i)] = nb::make_tuple(space.value(low, i), space.value(high, i));
  }
  return result;
}

}  // namespace

std::uint64_t pulls_from(nb::handle pulls) {
  if (pulls.is_none()) return UINT64_MAX;
  if (PyLong_Check(pulls.ptr())) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(pulls.ptr(), &overflow);
    if (overflow > 0) return UINT64_MAX;
    if (overflow == 0 && value >= 1) return static_cast<std::uint64_t>(value);
  } else if (const auto number = number_from(pulls);  // such as numpy's whole numbers
             number && *number >= 1.0 && *number <= 0x1p53 && std::floor(*number) == *number) {
    return static_cast<std::uint64_t>(*number);
  }
  refuse("pulls", pulls, "must be a whole number, 1 or more, or None");
}

Ticket ticket_from(nb::handle pull) {
  static const nb::handle pull_type = nb::type<PythonPull>();
  if (pull.type().is(pull_type)) {
    if (!nb::inst_ready(pull)) throw std::invalid_argument("pull: was never given by ask");
    return nb::inst_ptr<PythonPull>(pull)->ticket;
  }
  if (PyIndex_Check(pull.ptr()) != 0) {  // numpy has whole numbers of its own
    const nb::object whole = nb::steal(PyNumber_Index(pull.ptr()));
    if (!whole.is_valid()) throw nb::python_error();
    int overflow = 0;
    const long long ticket = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    if (overflow == 0 && ticket >= 0) return static_cast<Ticket>(ticket);
    check(Status::unknown_ticket, 0);
  }
  refuse("pull", pull, "must be what ask gave, or its ticket");
}

GivenRewards rewards_from(nb::handle rewards) {
  if (nb::isinstance<Rewards>(rewards)) return nb::cast<Rewards>(rewards);
  if (const auto number = number_from(rewards)) return *number;
  if (!is_series(rewards)) refuse("reward", rewards, kRewards);
  const nb::object dimensions = nb::getattr(rewards, "ndim", nb::none());
  if (!dimensions.is_none() && !dimensions.equal(nb::int_(1))) {
    refuse("reward", rewards, "must have one dimension, not " + shown(dimensions));
  }
  std::vector<double> values;
  for (const nb::handle each : rewards) {
    const auto number = number_from(each);
    if (!number) refuse("reward", each, kRewards);
    values.push_back(*number);
  }
  if (values.empty()) refuse("reward", rewards, "must hold one number or more");
  return values;
}

void check(Status status, Ticket ticket) {
  if (status == Status::ok) return;
  throw std::invalid_argument("ticket " + std::to_string(ticket) + ": " +
                              std::string(describe(status)));
}

nb::object best_object(const PythonSpace& space, const std::optional<Best>& best) {
  if (!best) return nb::none();
  return nb::make_tuple(space.dictionary(best->arm), best->mean, best->lower, best->upper,
                        best->pulls);
}

nb::tuple summary_tuple(const Summary& summary) {
  return nb::make_tuple(summary.t, summary.nodes, summary.depth, summary.switches,
                        summary.refreshes, summary.out_of_range, summary.in_flight);
}

std::vector<OwnedNode> owned_tree(Optimizer& optimizer) {
  std::vector<OwnedNode> nodes;
  for (NodeView& view : optimizer.tree()) {
    std::vector<double> arm(view.arm.begin(), view.arm.end());
    nodes.push_back({std::move(view), std::move(arm)});
  }
  return nodes;
}

nb::list tree_list(const PythonSpace& space, const BoxPartition& partition,
                   const std::vector<OwnedNode>& nodes) {
  nb::list result;
  for (const OwnedNode& node : nodes) {
    const NodeView& view = node.view;
    result.append(nb::make_tuple(view.path, space.dictionary(node.arm),
                                 cell_dictionary(space, partition, view.path), view.pulls,
                                 view.mean, view.upper, view.bound, view.leaf));
  }
  return result;
}

void bind_pull(nb::module_& module) {
  nb::class_<Rewards>(module, "Rewards",
                      "Several rewards of one arm in three numbers: count, sum, sum_squares.")
      .def(
          "__init__",
          [](Rewards* self, nb::handle count, nb::handle sum, nb::handle sum_squares) {
            const auto checked = [](const char* name, nb::handle given) {
              const auto number = number_from(given);
              if (!number || std::isnan(*number)) refuse(name, given, "must be a number");
              return *number;
            };
            const double whole = checked("count", count);
            if (whole < 1.0 || whole > 0x1p53 || std::floor(whole) != whole) {
              refuse("count", count, "must be a whole number, 1 or more");
            }
            new (self) Rewards{static_cast<std::uint64_t>(whole), checked("sum", sum),
                               checked("sum_squares", sum_squares)};
          },
          nb::arg("count"), nb::arg("sum"), nb::arg("sum_squares"))
      .def_ro("count", &Rewards::count)
      .def_ro("sum", &Rewards::sum)
      .def_ro("sum_squares", &Rewards::sum_squares)
      .def("__reduce__",
           [](const Rewards& self) {
             return nb::make_tuple(nb::type<Rewards>(),
                                   nb::make_tuple(self.count, self.sum, self.sum_squares));
           })
      .def("__repr__", [](const Rewards& self) {
        return "Rewards(count=" + std::to_string(self.count) + ", sum=" + to_text(self.sum) +
               ", sum_squares=" + to_text(self.sum_squares) + ")";
      });

  nb::class_<PythonPull>(module, "Pull", nb::is_final(),
                         "What to try next: play `arm` up to `length` times in a row and tell the "
                         "rewards.")
      .def(
          "__init__",
          [](PythonPull* self, const nb::object& space, Ticket ticket, const nb::list& arm,
             std::uint64_t length, NodeIndex node, std::uint32_t depth) {
            std::vector<double> coordinates;
            for (const nb::handle each : arm) coordinates.push_back(nb::cast<double>(each));
            nb::cast<const PythonSpace&>(space).check_coordinates(coordinates);
            new (self) PythonPull(space, {ticket, coordinates, length, node, depth});
          },
          nb::arg("space"), nb::arg("ticket"), nb::arg("arm"), nb::arg("length"), nb::arg("node"),
          nb::arg("depth"))
      .def_prop_ro(
          "arm",
          [](const PythonPull& self) {
            return nb::inst_ptr<PythonSpace>(self.space)->dictionary(self.arm);
          },
          "The setting to try, by the names of the parameters.")
      .def_ro("ticket", &PythonPull::ticket, "The number of this pull, never used again.")
      .def_ro("length", &PythonPull::length, "How many rewards it is good for.")
      .def_ro("depth", &PythonPull::depth, "The depth of its node in the tree.")
      .def("__repr__",
           [](const PythonPull& self) {
             const nb::dict arm = nb::inst_ptr<PythonSpace>(self.space)->dictionary(self.arm);
             return "Pull(ticket=" + std::to_string(self.ticket) + ", arm=" + shown(arm) +
                    ", length=" + std::to_string(self.length) +
                    ", depth=" + std::to_string(self.depth) + ")";
           })
      .def("__reduce__", [](const PythonPull& self) {
        nb::list arm;
        for (const double each : self.arm) arm.append(each);
        return nb::make_tuple(
            nb::type<PythonPull>(),
            nb::make_tuple(self.space, self.ticket, arm, self.length, self.node, self.depth));
      });
}

}  // namespace canopy::python
