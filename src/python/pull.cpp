#include "python/pull.hpp"

#include "core/text.hpp"
#include "python/bindings.hpp"
#include "python/options.hpp"

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <nanobind/stl/string.h>

namespace canopy::python {

Rewards PythonRewards::rewards() const {
  Rewards result = Rewards::from_sums(count, sum, sum_squares);
  result.min = min.value_or(result.min);
  result.max = max.value_or(result.max);
  return result;
}

void refuse(const std::string& what, nb::handle value, const std::string& expected) {
  throw std::invalid_argument(what + " = " + shown(value) + ": " + expected);
}

std::uint64_t pulls_from(nb::handle pulls) {
  if (pulls.is_none()) return UINT64_MAX;
  if (PyLong_Check(pulls.ptr())) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(pulls.ptr(), &overflow);
    if (overflow > 0) return UINT64_MAX;
    if (overflow == 0 && value >= 1) return static_cast<std::uint64_t>(value);
  } else if (const auto number = number_from(pulls);  // e.g. integers of numpy
             number && *number >= 1.0 && *number <= 0x1p53 && std::floor(*number) == *number) {
    return static_cast<std::uint64_t>(*number);
  }
  refuse("pulls", pulls, "must be a whole number, 1 or more, or None");
}

Ticket ticket_from(nb::handle pull) {
  static const nb::handle pull_type = nb::type<PythonPull>();
  if (pull.type().is(pull_type)) {
    if (!nb::inst_ready(pull)) throw std::invalid_argument("pull: was not returned by ask");
    return nb::inst_ptr<PythonPull>(pull)->placed.pull.ticket;
  }
  if (PyIndex_Check(pull.ptr()) != 0) {  // includes integers of numpy
    const nb::object whole = nb::steal(PyNumber_Index(pull.ptr()));
    if (!whole.is_valid()) throw nb::python_error();
    int overflow = 0;
    const long long ticket = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    // Numbers that are too large become 0, which is never given out.
    return overflow == 0 && ticket >= 0 ? static_cast<Ticket>(ticket) : 0;
  }
  refuse("pull", pull, "must be a pull returned by ask, or its ticket");
}

namespace {

constexpr const char* kRewards = "must be a finite number, several of them, or Rewards";

/// Whether it is iterable, like a list, an array or a generator.
bool is_series(nb::handle value) {
  return nb::hasattr(value, "__iter__") && !nb::isinstance<nb::str>(value) &&
         !nb::isinstance<nb::bytes>(value) && !nb::isinstance<nb::dict>(value) &&
         !PyByteArray_Check(value.ptr());
}

double checked_number(const char* name, nb::handle given) {
  const auto number = number_from(given);
  if (!number || std::isnan(*number)) refuse(name, given, "must be a number");
  return *number;
}

std::optional<double> optional_number(const char* name, nb::handle given) {
  return given.is_none() ? std::nullopt : std::optional(checked_number(name, given));
}

PythonRewards sums_from(nb::handle count, nb::handle sum, nb::handle sum_squares, nb::handle min,
                        nb::handle max) {
  const double whole = checked_number("count", count);
  if (whole < 1.0 || whole > 0x1p53 || std::floor(whole) != whole) {
    refuse("count", count, "must be a whole number, 1 or more");
  }
  return {static_cast<std::uint64_t>(whole), checked_number("sum", sum),
          checked_number("sum_squares", sum_squares), optional_number("min", min),
          optional_number("max", max)};
}

nb::object or_none(const std::optional<double>& number) {
  return number ? nb::object(nb::float_(*number)) : nb::none();
}

std::string text_of(const PythonRewards& rewards) {
  std::string text = "Rewards(count=" + std::to_string(rewards.count) +
                     ", sum=" + to_text(rewards.sum) +
                     ", sum_squares=" + to_text(rewards.sum_squares);
  if (rewards.min) text += ", min=" + to_text(*rewards.min);
  if (rewards.max) text += ", max=" + to_text(*rewards.max);
  return text + ")";
}

nb::dict arm_of(const PythonPull& pull) {
  return nb::inst_ptr<PythonSpace>(pull.space)->dictionary(pull.placed.pull.arm);
}

/// The second arm of a duel whose first arm was not played yet, else None.
nb::object then_of(const PythonPull& pull) {
  const std::vector<double>& then = pull.placed.pull.then;
  if (then.empty()) return nb::none();
  return nb::inst_ptr<PythonSpace>(pull.space)->dictionary(then);
}

nb::str purpose_of(const PythonPull& pull) {
  const std::string_view name = name_of(pull.placed.pull.purpose);
  return nb::str(name.data(), name.size());
}

/// A number, or a text from a server: `17-9f3c2a71b0`.
nb::object ticket_of(const PythonPull& pull) {
  const Ticket number = pull.placed.pull.ticket;
  if (pull.incarnation.empty()) return nb::int_(number);
  return nb::cast(std::to_string(number) + "-" + pull.incarnation);
}

/// Throws ValueError unless it is an arm of the space.
std::vector<double> coordinates_in(const nb::object& space, nb::handle given) {
  std::vector<double> arm;
  for (const nb::handle each : given) arm.push_back(nb::cast<double>(each));
  if (!nb::cast<const PythonSpace&>(space).space().contains(arm)) {
    throw std::invalid_argument("arm: is not in the space");
  }
  return arm;
}

PythonPull pull_from(const nb::object& space, const nb::object& ticket, const nb::list& arm,
                     std::uint64_t length, std::uint32_t node, std::uint32_t depth,
                     nb::handle purpose, nb::handle then, std::uint64_t then_length) {
  OwnedPull pull;
  std::string incarnation;
  if (nb::isinstance<nb::str>(ticket)) {
    const auto text = nb::cast<std::string>(ticket);
    const std::size_t end = text.find('-');
    if (end == std::string::npos)
      throw std::invalid_argument("ticket: is not the ticket of a server");
    pull.ticket = std::strtoull(text.c_str(), nullptr, 10);
    incarnation = text.substr(end + 1);
  } else {
    pull.ticket = nb::cast<Ticket>(ticket);
  }
  pull.length = length;
  pull.arm = coordinates_in(space, arm);
  pull.purpose = enum_from<Purpose>("purpose", purpose);
  if (!then.is_none()) {
    pull.then = coordinates_in(space, then);
    pull.then_length = then_length;
  }
  return {space, {std::move(pull), {node, depth}}, std::move(incarnation)};
}

}  // namespace

AnyRewards rewards_from(nb::handle rewards) {
  if (const auto number = number_from(rewards)) return *number;
  if (nb::isinstance<PythonRewards>(rewards)) return nb::cast<PythonRewards>(rewards).rewards();
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
  if (values.empty()) refuse("reward", rewards, "must have at least one number");
  return values;
}

void bind_pull(nb::module_& module) {
  nb::class_<PythonRewards>(module, "Rewards",
                            "Several rewards of an arm as sums.\n\n"
                            "count, sum and sum_squares, and optionally the minimum and the "
                            "maximum.")
      .def(
          "__init__",
          [](PythonRewards* self, nb::handle count, nb::handle sum, nb::handle sum_squares,
             nb::handle min, nb::handle max) {
            new (self) PythonRewards(sums_from(count, sum, sum_squares, min, max));
          },
          nb::arg("count").none(), nb::arg("sum").none(), nb::arg("sum_squares").none(),
          nb::arg("min") = nb::none(), nb::arg("max") = nb::none())
      .def_ro("count", &PythonRewards::count)
      .def_ro("sum", &PythonRewards::sum)
      .def_ro("sum_squares", &PythonRewards::sum_squares)
      .def_prop_ro("min", [](const PythonRewards& self) { return or_none(self.min); })
      .def_prop_ro("max", [](const PythonRewards& self) { return or_none(self.max); })
      .def("__reduce__",
           [](const PythonRewards& self) {
             return nb::make_tuple(nb::type<PythonRewards>(),
                                   nb::make_tuple(self.count, self.sum, self.sum_squares,
                                                  or_none(self.min), or_none(self.max)));
           })
      .def("__repr__", &text_of);

  nb::class_<PythonPull>(module, "Pull", nb::is_final(),
                         "What to try next: play `arm` up to `length` times in a row and tell the "
                         "rewards.")
      .def(
          "__init__",
          [](PythonPull* self, const nb::object& space, const nb::object& ticket,
             const nb::list& arm, std::uint64_t length, std::uint32_t node, std::uint32_t depth,
             const nb::object& purpose, const nb::object& then, std::uint64_t then_length) {
            new (self) PythonPull(
                pull_from(space, ticket, arm, length, node, depth, purpose, then, then_length));
          },
          nb::sig("def __init__(self, space: Space, ticket: int | str, arm: list[float], length: "
                  "int, node: int, depth: int, purpose: str = 'search', then: list[float] | None = "
                  "None, then_length: int = 0) -> None"),
          nb::arg("space"), nb::arg("ticket"), nb::arg("arm"), nb::arg("length"), nb::arg("node"),
          nb::arg("depth"), nb::arg("purpose") = "search", nb::arg("then") = nb::none(),
          nb::arg("then_length") = 0)
      .def_prop_ro("arm", &arm_of, "The setting to try, by parameter name.")
      .def_prop_ro("ticket", &ticket_of, nb::sig("def ticket(self) -> int | str"),
                   "The number of this pull, never reused; a string for a study on a server.")
      .def_prop_ro(
          "length", [](const PythonPull& self) { return self.placed.pull.length; },
          "The maximum number of rewards.")
      .def_prop_ro("purpose", &purpose_of,
                   nb::sig("def purpose(self) -> Literal['search', 'baseline', 'duel', 'wait']"),
                   "Its purpose: the search, the baseline, a duel of both, or waiting at a "
                   "known good setting.")
      .def_prop_ro("then", &then_of, nb::sig("def then(self) -> dict[str, Any] | None"),
                   "For a duel: the setting to try for the last `then_length` rewards.")
      .def_prop_ro(
          "then_length", [](const PythonPull& self) { return self.placed.pull.then_length; },
          "The number of its rewards that are of `then`.")
      .def_prop_ro(
          "depth", [](const PythonPull& self) { return self.placed.place.depth; },
          "The depth of its node in the tree.")
      .def("__repr__",
           [](const PythonPull& self) {
             const auto& [pull, place] = self.placed;
             return "Pull(ticket=" + nb::cast<std::string>(nb::str(ticket_of(self))) +
                    ", arm=" + shown(arm_of(self)) + ", length=" + std::to_string(pull.length) +
                    ", depth=" + std::to_string(place.depth) + ")";
           })
      .def("__reduce__", [](const PythonPull& self) {
        const auto& [pull, place] = self.placed;
        const auto list_of = [](const std::vector<double>& numbers) {
          nb::list list;
          for (const double each : numbers) list.append(each);
          return list;
        };
        const nb::object then = pull.then.empty() ? nb::none() : nb::object(list_of(pull.then));
        return nb::make_tuple(
            nb::type<PythonPull>(),
            nb::make_tuple(self.space, ticket_of(self), list_of(pull.arm), pull.length, place.node,
                           place.depth, purpose_of(self), then, pull.then_length));
      });
}

}  // namespace canopy::python
