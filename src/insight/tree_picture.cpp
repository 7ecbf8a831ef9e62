#include "insight/tree_picture.hpp"

#include "canopy/evidence.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/partition.hpp"

#include "files/parameter_document.hpp"
#include "files/record.hpp"
#include "studies/answers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace canopy {
namespace {

/// The parent-child relations of nodes. Nodes are ordered by depth, so parents precede their
/// children, and siblings are adjacent.
class Family {
 public:
  explicit Family(const std::vector<NodeView>& nodes) : members_(nodes.size()) {
    std::unordered_map<std::string_view, std::size_t> by_path;
    for (std::size_t i = 0; i < nodes.size(); ++i) by_path.emplace(nodes[i].path, i);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const std::string_view path = nodes[i].path;
      members_[i].parent = by_path.at(path.substr(0, path.size() - 1));
      Member& parent = members_[members_[i].parent];
      if (parent.children++ == 0) parent.first_child = i;
    }
    for (std::size_t i = nodes.size(); i-- > 0;) {
      members_[i].pulls += static_cast<double>(nodes[i].pulls);
      if (i > 0) members_[members_[i].parent].pulls += members_[i].pulls;
    }
  }

  [[nodiscard]] std::size_t parent(std::size_t node) const { return members_[node].parent; }
  /// The index of a node among its siblings.
  [[nodiscard]] std::size_t place(std::size_t node) const {
    return node - members_[parent(node)].first_child;
  }

  /// Starts with the root and repeatedly adds the children of the node with most pulls below it.
  [[nodiscard]] std::vector<std::size_t> most_pulled(std::size_t most) const {
    std::vector<std::size_t> chosen;
    if (members_.empty()) return chosen;
    std::priority_queue<std::pair<double, std::size_t>> parents;
    const auto choose = [&](std::size_t node) {
      chosen.push_back(node);
      if (members_[node].children > 0) parents.emplace(members_[node].pulls, node);
    };
    choose(0);
    while (!parents.empty()) {
      const Member& parent = members_[parents.top().second];
      parents.pop();
      if (chosen.size() + parent.children > most) break;
      for (std::size_t i = 0; i < parent.children; ++i) choose(parent.first_child + i);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

 private:
  struct Member {
    std::size_t parent = 0;
    std::size_t first_child = 0;
    std::size_t children = 0;
    double pulls = 0.0;  // of the node and its descendants
  };

  std::vector<Member> members_;
};

/// The extent of a cell along one parameter: both ends, or all values if they are unordered.
Document side_document(const Domain& domain, const std::array<double, 2>& side) {
  const auto [first, last] = side;
  if (domain.is_ordered()) {
    return Document::List{value_document(domain, first), value_document(domain, last)};
  }
  Document::List values;
  const auto steps = static_cast<std::size_t>(std::round((last - first) / domain.spacing()));
  for (std::size_t i = 0; i <= steps; ++i) {
    values.push_back(value_document(domain, first + static_cast<double>(i) * domain.spacing()));
  }
  return values;
}

void set_cell(Document& table, const Space& space, const BoxPartition& partition,
              std::span<const double> cell) {
  double share = 1.0;
  Document sides;
  for (std::size_t axis = 0; axis < space.dimension(); ++axis) {
    if (const auto reach = partition.reach(cell, axis)) share *= 2.0 * reach->half_side;
    const auto& [name, domain] = space.parameters()[axis];
    sides.set(name, side_document(domain, partition.side(cell, axis)));
  }
  table.set("share", share);
  table.set("cell", std::move(sides));
}

/// The rewards of all arms in the cell of each node. If several nodes have the same arm, it is
/// counted at the deepest one.
std::vector<Rewards> rewards_in(const std::vector<NodeView>& nodes, const Family& family,
                                const std::optional<Evidence>& evidence) {
  std::vector<Rewards> in(nodes.size());
  std::vector<bool> is_counted(evidence ? evidence->size() : 0, false);
  for (std::size_t i = nodes.size(); i-- > 0;) {  // children follow their parents
    const auto own = evidence ? evidence->find(nodes[i].arm) : std::nullopt;
    if (own && !is_counted[*own]) {
      is_counted[*own] = true;
      in[i].count += evidence->pulls(*own);
      in[i].sum += evidence->mean(*own) * static_cast<double>(evidence->pulls(*own));
    }
    if (i == 0) continue;
    in[family.parent(i)].count += in[i].count;
    in[family.parent(i)].sum += in[i].sum;
  }
  return in;
}

}  // namespace

Document tree_picture(const StudySpecification& specification, Optimizer& optimizer,
                      const TreeChoice& choice) {
  const Space& space = specification.space;
  const TreeView* tree = optimizer.tree();
  const std::vector<NodeView> nodes = tree != nullptr ? tree->nodes() : std::vector<NodeView>();
  const Family family(nodes);
  const std::vector<std::size_t> chosen = family.most_pulled(choice.most);
  const BoxPartition partition =
      partition_of(specification.optimizer.name, space, specification.partition);
  const std::vector<Rewards> all =
      choice.cells ? rewards_in(nodes, family, optimizer.evidence()) : std::vector<Rewards>();
  std::unordered_map<std::size_t, std::vector<double>> parts;  // the cells of the node's children
  Document::List list;
  for (const std::size_t i : chosen) {
    Document table = record_of(space, nodes[i]);
    if (choice.cells) {
      const std::size_t depth = nodes[i].path.size();
      std::vector<double> cell(partition.cell_size());
      if (i == 0) {
        partition.root(cell);
      } else {
        const auto begin = static_cast<std::ptrdiff_t>(family.place(i) * cell.size());
        std::copy_n(parts.at(family.parent(i)).begin() + begin, cell.size(), cell.begin());
      }
      table.set("depth", depth);
      table.set("pulls_in", all[i].count);
      table.set("mean_in", all[i].count > 0 ? Document(all[i].mean()) : Document());
      set_cell(table, space, partition, cell);
      if (!nodes[i].leaf) {
        std::vector<double>& below = parts[i];
        below.resize(partition.arity() * cell.size());
        (void)partition.split(cell, static_cast<std::uint32_t>(depth), below);
      }
    }
    list.push_back(std::move(table));
  }
  return Document::Table{{"nodes", std::move(list)}, {"left_out", nodes.size() - chosen.size()}};
}

}  // namespace canopy
