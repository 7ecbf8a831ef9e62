#include "studies/answers.hpp"

#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/record.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace canopy {

Document number_or_none(double value) {
  return std::isfinite(value) ? Document(value) : Document();
}

namespace {

Document short_pull_document(const Space& space, const Pull& pull) {
  Document document = Document::Table{
      {"ticket", pull.ticket}, {"arm", arm_document(space, pull.arm)}, {"length", pull.length}};
  if (pull.purpose != Purpose::search) document.set("purpose", name_of(pull.purpose));
  if (!pull.then.empty()) {
    document.set("then", arm_document(space, pull.then));
    document.set("then_length", pull.then_length);
  }
  return document;
}

}  // namespace

Document pull_document(const Space& space, Optimizer& optimizer, const Pull& pull) {
  const TreeView* tree = optimizer.contexts().empty() ? optimizer.tree() : nullptr;
  const auto place = tree != nullptr ? tree->place(pull.ticket) : std::nullopt;
  Document document = short_pull_document(space, pull);
  document.set("depth", place ? place->depth : 0);
  document.set("path", place ? tree->path(place->node) : std::string());
  return document;
}

Document in_flight_document(const Space& space, const Optimizer& optimizer) {
  Document::List tickets;
  for (const Pull& pull : optimizer.in_flight()) {
    tickets.push_back(short_pull_document(space, pull));
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

std::string no_best_text(const Space& space, const Optimizer& optimizer, Context context) {
  const std::optional<Best> nearest =
      context.empty() ? optimizer.nearest() : optimizer.nearest_in(context);
  const LimitCheck* worst = nearest ? worst_of(nearest->limits) : nullptr;
  if (worst == nullptr) {
    return "there is no best arm: no setting has a reward yet, except barred ones";
  }
  std::string text =
      fmt::format("no setting so far keeps {} {}; the nearest, {}, has {}", worst->metric,
                  worst->limit, space.describe(nearest->arm), significant_text(worst->estimate, 4));
  const std::optional<Learnt> learnt = optimizer.learnt();
  const bool none_keeps_them =
      learnt && learnt->turn && learnt->turn->why == Learnt::Why::least_broken;
  return none_keeps_them ? text + ", and probably none does" : text;
}

}  // namespace canopy
