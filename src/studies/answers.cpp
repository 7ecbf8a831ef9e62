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

Document tree_document(const Space& space, Optimizer& optimizer) {
  Document::List nodes;
  const TreeView* tree = optimizer.tree();
  if (tree == nullptr) return nodes;
  for (const NodeView& node : tree->nodes()) {
    nodes.emplace_back(Document::Table{{"path", node.path},
                                       {"arm", arm_document(space, node.arm)},
                                       {"pulls", node.pulls},
                                       {"mean", node.mean},
                                       {"upper", node.upper},
                                       {"bound", node.bound},
                                       {"leaf", node.leaf}});
  }
  return nodes;
}

}  // namespace canopy
