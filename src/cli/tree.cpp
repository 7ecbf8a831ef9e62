#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "files/json.hpp"
#include "studies/answers.hpp"
#include "tuning/contexts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

/// Prints the tree from the root down; deeper nodes are indented further.
void print_tree(const std::vector<NodeView>& nodes, const Space& space) {
  std::vector<const NodeView*> order;
  order.reserve(nodes.size());
  for (const NodeView& node : nodes) order.push_back(&node);
  std::sort(order.begin(), order.end(),
            [](const NodeView* a, const NodeView* b) { return a->path < b->path; });
  for (const NodeView* node : order) {
    fmt::print("{:{}}{}  {}", "", 2 * node->path.size(), node->path.empty() ? "root" : node->path,
               space.describe(node->arm));
    if (node->pulls > 0) {
      fmt::print("  pulls {}  mean {:.4g}  bound {:.4g}", node->pulls, node->mean, node->upper);
    }
    fmt::print("\n");
  }
}

int show_tree(const NamedStudyFlags& arguments) {
  NamedStudy study(arguments, "tree");
  const LoadedOptimizer loaded = study.load_with_warning();
  const auto& optimizer = loaded.optimizer;
  const Space& space = study.specification.space;
  const TreeView* tree = optimizer->tree();
  if (tree == nullptr) {
    throw StudyError(StudyError::Fault::other,
                     "the optimizer of " + study.record.name + " has no tree");
  }
  const std::vector<NodeView> nodes = tree->nodes();
  if (arguments.json) {
    const Document::Table nodes_table{{"nodes", tree_document(space, *optimizer)}};
    fmt::print("{}\n", json_text(nodes_table, 2));
  } else {
    const std::vector<double>& last = tuner_state_of(loaded).last_context();
    if (!last.empty()) {
      fmt::print("the tree of the region of the last context, {}\n",
                 context_text(study.specification.contexts, last));
    }
    print_tree(nodes, space);
  }
  return kSuccess;
}

}  // namespace

Command add_tree(ArgumentParser app) {
  const auto arguments = std::make_shared<NamedStudyFlags>();
  ArgumentParser command = app.command("tree", "Show the tree of a study.");
  arguments->add_to(command);
  command.footer("`canopy report` and `canopy dashboard` draw it.\nExample:\n  canopy tree cache");
  return [arguments] { return show_tree(*arguments); };
}

}  // namespace canopy::cli
