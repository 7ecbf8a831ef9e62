#include "studies/answers.hpp"

#include "files/json.hpp"

#include <cmath>
#include <cstddef>
#include <variant>

namespace canopy {

Document number_or_none(double value) {
  return std::isfinite(value) ? Document(value) : Document();
}

Document arm_document(const Space& space, Arm arm) {
  Document table;
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    std::visit([&](const auto& value) { table.set(space.parameters()[i].name, value); },
               space.value(arm, i));
  }
  return table;
}

std::string arm_text(const Space& space, Arm arm) {
  return json_text(arm_document(space, arm));
}

Document best_document(const Space& space, const Best& best) {
  Document table = Document::Table{{"arm", arm_document(space, best.arm)},
                                   {"mean", best.mean},
                                   {"lower", number_or_none(best.lower)},
                                   {"upper", number_or_none(best.upper)},
                                   {"level", best.level},
                                   {"pulls", best.pulls},
                                   {"rivals", best.rivals},
                                   {"basis", name_of(best.basis)}};
  if (!best.own.empty()) table.set("own", arm_document(space, best.own));
  if (const auto& model = best.by_model) {
    table.set("by_model", Document::Table{{"lower", model->lower}, {"upper", model->upper}});
  }
  return table;
}

Document summary_document(const Summary& summary) {
  Document table = Document::Table{{"t", summary.t},
                                   {"nodes", summary.nodes},
                                   {"depth", summary.depth},
                                   {"switches", summary.switches},
                                   {"refreshes", summary.refreshes},
                                   {"out_of_range", summary.out_of_range},
                                   {"in_flight", summary.in_flight},
                                   {"observed", summary.observed},
                                   {"penalized", summary.penalized}};
  if (const auto& range = summary.fitting_range) {
    table.set("fitting_range", Document::List{range->front(), range->back()});
  }
  if (summary.passed_over != 0) table.set("passed_over", summary.passed_over);
  if (summary.settling) table.set("settling", *summary.settling);
  return table;
}

std::string_view code_of(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unknown_ticket:
      return "unknown_ticket";
    case Status::closed_ticket:
      return "closed_ticket";
    case Status::too_many_rewards:
      return "too_many_rewards";
    case Status::not_a_reward:
      return "not_a_reward";
    case Status::impossible_sums:
      return "impossible_sums";
    case Status::not_an_arm:
      return "not_an_arm";
  }
  return "unknown";
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

Document learnt_document(const Space& space, const Learnt& learnt) {
  Document table = Document::Table{{"noise", learnt.noise},
                                   {"correlation", learnt.correlation},
                                   {"smoothness", learnt.smoothness},
                                   {"lowest", learnt.lowest},
                                   {"highest", learnt.highest},
                                   {"guard_pulls", learnt.guard_pulls},
                                   {"lost", learnt.lost}};
  Document shares;
  for (std::size_t i = 0; i < learnt.shares.size(); ++i) {
    shares.set(space.parameters()[i].name, learnt.shares[i]);
  }
  table.set("shares", shares);
  if (const auto& turn = learnt.turn) {
    table.set("turn", Document::Table{{"why", name_of(turn->why)},
                                      {"arm", arm_document(space, turn->arm)},
                                      {"pulls", turn->pulls},
                                      {"length", turn->length},
                                      {"level", turn->level},
                                      {"deviation", turn->deviation},
                                      {"bound", turn->bound}});
  }
  return table;
}

Document node_document(const Space& space, const NodeView& node) {
  return Document::Table{{"path", node.path},   {"arm", arm_document(space, node.arm)},
                         {"pulls", node.pulls}, {"mean", node.mean},
                         {"upper", node.upper}, {"bound", node.bound},
                         {"leaf", node.leaf}};
}

Document tree_document(const Space& space, Optimizer& optimizer) {
  Document::List nodes;
  const TreeView* tree = optimizer.tree();
  if (tree == nullptr) return nodes;
  for (const NodeView& node : tree->nodes()) nodes.push_back(node_document(space, node));
  return nodes;
}

}  // namespace canopy
