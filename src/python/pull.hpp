#pragma once

#include "canopy/optimizer.hpp"

#include "python/space.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// An owned pull and its place in the tree: the root if there is no tree.
struct PlacedPull {
  PlacedPull(OwnedPull owned, const TreeView::Place& its_place)
      : pull(std::move(owned)), place(its_place) {}
  PlacedPull(const Pull& asked, const TreeView* tree)
      : pull(asked),
        place(tree != nullptr ? tree->place(asked.ticket).value_or(TreeView::Place{})
                              : TreeView::Place{}) {}

  OwnedPull pull;
  TreeView::Place place;
};

/// A placed pull with the space of its arm.
struct PythonPull {
  nb::object space;  ///< the PythonSpace
  PlacedPull placed;
  std::string incarnation = {};  ///< incarnation of the study on a server
};

/// Rewards as sums, as given by the user.
struct PythonRewards {
  std::uint64_t count = 0;
  double sum = 0.0;
  double sum_squares = 0.0;
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;

  [[nodiscard]] Rewards rewards() const;
};

/// The number of requested pulls; None: decided by the algorithm. Throws ValueError.
[[nodiscard]] std::uint64_t pulls_from(nb::handle pulls);

/// The ticket of a pull; also accepts the ticket itself. Throws ValueError.
[[nodiscard]] Ticket ticket_from(nb::handle pull);

/// Converts rewards: one, several, or sums. Throws ValueError.
[[nodiscard]] AnyRewards rewards_from(nb::handle rewards);

/// Throws ValueError: `pulls = 0: must be ...`.
[[noreturn]] void refuse(const std::string& what, nb::handle value, const std::string& expected);

}  // namespace canopy::python
