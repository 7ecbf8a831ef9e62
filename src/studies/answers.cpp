#include "studies/answers.hpp"

#include "files/arm_document.hpp"
#include "files/record.hpp"

#include <cmath>
#include <cstddef>

namespace canopy {

Document number_or_none(double value) {
  return std::isfinite(value) ? Document(value) : Document();
}

Document pull_document(const Space& space, Optimizer& optimizer, const Pull& pull) {
  const TreeView* tree = optimizer.tree();
  const auto place = tree != nullptr ? tree->place(pull.ticket) : std::nullopt;
  return Document::Table{{"ticket", pull.ticket},
                         {"arm", arm_document(space, pull.arm)},
                         {"length", pull.length},
                         {"depth", place ? place->depth : 0},
                         {"path", place ? tree->path(place->node) : std::string()}};
}

Document in_flight_document(const Space& space, const Optimizer& optimizer) {
  Document::List tickets;
  for (const Pull& pull : optimizer.in_flight()) {
    tickets.emplace_back(Document::Table{
        {"ticket", pull.ticket}, {"arm", arm_document(space, pull.arm)}, {"length", pull.length}});
  }
  return Document::Table{{"tickets", std::move(tickets)}};
}

Document tree_document(const Space& space, Optimizer& optimizer) {
  Document::List nodes;
  const TreeView* tree = optimizer.tree();
  if (tree == nullptr) return nodes;
  for (const NodeView& node : tree->nodes()) nodes.push_back(record_of(space, node));
  return nodes;
}

}  // namespace canopy
