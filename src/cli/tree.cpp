#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "files/json.hpp"
#include "studies/answers.hpp"
#include "studies/study_figures.hpp"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct TreeArguments {
  NamedStudyFlags study;
  std::optional<std::string> svg;
};

/// From the root down, deeper nodes further to the right.
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

int draw_tree(const TreeArguments& arguments) {
  NamedStudy study(arguments.study, "tree");
  const auto optimizer = study.load_with_warning().optimizer;
  const Space& space = study.specification.space;
  const TreeView* tree = optimizer->tree();
  if (tree == nullptr) {
    throw StudyError(StudyError::Fault::other,
                     "the optimizer of " + study.record.name + " has no tree");
  }
  const std::vector<NodeView> nodes = tree->nodes();
  if (arguments.svg) {
    draw(tree_figure(study.record.name, nodes), *arguments.svg);
    fmt::print("{}\n", *arguments.svg);
  } else if (arguments.study.json) {
    const Document::Table nodes_table{{"nodes", tree_document(space, *optimizer)}};
    fmt::print("{}\n", json_text(nodes_table, 2));
  } else {
    print_tree(nodes, space);
  }
  return kSuccess;
}

}  // namespace

Command add_tree(Words app) {
  const auto arguments = std::make_shared<TreeArguments>();
  Words command = app.command("tree", "Show the tree of a study, as text or as a picture.");
  arguments->study.add_to(command);
  command.option("--svg", arguments->svg, "draw it into this file (.svg or .png)");
  command.footer("Examples:\n  canopy tree cache\n  canopy tree cache --svg cache.svg");
  return [arguments] { return draw_tree(*arguments); };
}

}  // namespace canopy::cli
