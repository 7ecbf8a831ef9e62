// Prints the state of the adaptive tree's model at three moments of a run, as a gnuplot script from
// which `make figures` draws docs/figures/adaptive_model.png.

#include "canopy/adaptive.hpp"
#include "canopy/garland.hpp"
#include "canopy/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace canopy;
using Tree = AdaptiveModel::Tree;

constexpr std::array<std::uint64_t, 3> kMoments{30, 300, 3'000};
constexpr double kNoise = 0.2;

/// The two ends of a cell.
struct Side {
  double low;
  double high;
};

Side side_of(const Tree& tree, NodeIndex node) {
  const Partition::Reach reach = *tree.partition().reach(tree.cell(node), 0);
  return {reach.arm - reach.half_side, reach.arm + reach.half_side};
}

std::vector<NodeIndex> leaves_of(const Tree& tree) {
  std::vector<NodeIndex> leaves;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree[i].is_leaf()) leaves.push_back(i);
  }
  std::sort(leaves.begin(), leaves.end(),
            [&](NodeIndex a, NodeIndex b) { return tree.arm(a)[0] < tree.arm(b)[0]; });
  return leaves;
}

/// Both ends of every leaf: m, m -/+ sqrt(v), m -/+ 3 sqrt(v), the index.
std::string steps_data(const Tree& tree) {
  std::string data;
  for (const NodeIndex leaf : leaves_of(tree)) {
    const AdaptiveModel::Node& node = tree[leaf];
    const double deviation = std::sqrt(node.variance);
    const Side side = side_of(tree, leaf);
    for (const double x : {side.low, side.high}) {
      data += fmt::format("{} {} {} {} {} {} {}\n", x, node.level, node.level - deviation,
                          node.level + deviation, node.level - 3.0 * deviation,
                          node.level + 3.0 * deviation, node.bound);
    }
  }
  return data;
}

/// Arms with rewards: position, mean, size of the dot.
std::string dots_data(const Tree& tree) {
  std::string data;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    if (tree[i].pulls == 0.0) continue;
    data += fmt::format("{} {} {}\n", tree.arm(i)[0], tree[i].mean,
                        0.8 + 0.45 * std::log10(tree[i].pulls));
  }
  return data;
}

/// A colour of the palette below for a value from 0 to 1, with this strength.
int colour(double value, double strength) {
  constexpr std::array<std::array<double, 3>, 5> palette{
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double place = 4.0 * std::clamp(value, 0.0, 1.0);
  const auto left = std::min<std::size_t>(3, static_cast<std::size_t>(place));
  const double share = place - static_cast<double>(left);
  int mixed = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double full = palette[left][i] + share * (palette[left + 1][i] - palette[left][i]);
    mixed = 256 * mixed + static_cast<int>(std::lround(255.0 + strength * (full - 255.0)));
  }
  return mixed;
}

/// A rectangle for every cell: middle, depth, ends, colour by m, stronger for more pulls.
std::string tree_data(const Tree& tree, double pulls_so_far) {
  std::vector<double> pulls(tree.size());
  for (NodeIndex i = tree.size(); i-- > 0;) {
    pulls[i] += tree[i].pulls;
    if (i != Tree::kRoot) pulls[tree[i].parent] += pulls[i];
  }
  std::string data;
  for (NodeIndex i = 0; i < tree.size(); ++i) {
    const Side side = side_of(tree, i);
    const double strength = 0.12 + 0.88 * std::log1p(pulls[i]) / std::log1p(pulls_so_far);
    data += fmt::format("{} {} {} {} {}\n", 0.5 * (side.low + side.high), tree[i].depth, side.low,
                        side.high, colour(tree[i].level, strength));
  }
  return data;
}

void print_blocks(const Adaptive& optimizer, std::uint64_t pulls) {
  const Tree& tree = optimizer.model().tree();
  fmt::print("$steps{0} << END\n{1}END\n$dots{0} << END\n{2}END\n$tree{0} << END\n{3}END\n", pulls,
             steps_data(tree), dots_data(tree), tree_data(tree, static_cast<double>(pulls)));
  fmt::print("alpha{} = {}\nsigma{} = {}\n", pulls, optimizer.model().smoothness(), pulls,
             optimizer.model().noise_deviation());
}

constexpr const char* kPreamble = R"(set terminal pngcairo size 1400,1560 font 'sans,15' noenhanced
set multiplot
set lmargin at screen 0.065
set rmargin at screen 0.93
set border 3 lc rgb '#888888'
set tics nomirror out textcolor rgb '#444444'
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set cbrange [0:1]
set xrange [0:1]
set samples 3000
set style fill solid 1 noborder
f(x) = x * (1 - x) * (4 - sqrt(abs(sin(60 * x))))
)";

/// The model above the tree; the figure has three of these panels, numbered from the top.
void print_panels(std::size_t which, std::uint64_t pulls) {
  const double top = 0.945 - 0.315 * static_cast<double>(which);
  fmt::print(
      "set tmargin at screen {}\nset bmargin at screen {}\n"
      "set format x ''\nunset colorbox\nset yrange [-0.3:1.45]\nset ytics 0.5\nset ylabel ''\n"
      "set label 1 sprintf('n = {}   learnt: alpha %.2f, noise %.2f', alpha{}, sigma{}) at graph "
      "0.01, graph 0.94 font ',17'\n{}\n",
      top, top - 0.165, pulls, pulls, pulls,
      which == 0 ? "set key at screen 0.5, screen 0.985 center top horizontal maxrows 1 samplen "
                   "1.5 width -1 font ',14'"
                 : "unset key");
  fmt::print(
      "plot $steps{0} using 1:5:6 with filledcurves lc rgb '#dbe8f6' title 'm ± 3√v', "
      "$steps{0} using 1:3:4 with filledcurves lc rgb '#9fc4ea' title 'm ± √v', "
      "f(x) with lines lw 1.2 lc rgb '#333333' title 'f', "
      "$steps{0} using 1:7 with lines lw 1.3 lc rgb '#e08214' title 'index', "
      "$steps{0} using 1:2 with lines lw 2 lc rgb '#1f5fa8' title 'm', "
      "$dots{0} using 1:2:3 with points pt 7 ps variable lc rgb '#80b2182b' "
      "title 'mean reward'\n",
      pulls);
  fmt::print(
      "unset key\nunset label 1\nset tmargin at screen {}\nset bmargin at screen {}\n"
      "set format x '%g'\nset yrange [13.5:-0.5]\nset ytics 5\nset ylabel 'depth' offset 1.5,0\n"
      "set colorbox user origin screen 0.945, screen {} size 0.012, 0.08\nset cbtics 0.5\n"
      "plot $tree{} using 1:2:3:4:($2-0.46):($2+0.46):5 with boxxyerror lc rgb variable notitle, "
      "NaN with lines palette notitle\n",
      top - 0.175, top - 0.27, top - 0.265, pulls);
}

}  // namespace

int main() {
  fmt::print("{}", kPreamble);
  const Garland environment({.noise = Noise::gaussian, .noise_width = kNoise});
  Garland played = environment;
  RandomStream random({.environment = "garland", .purpose = "picture"});
  // With a declared range, the model is in the units of rewards.
  Adaptive optimizer(environment.space(), {}, {.reward_range = {{0.0, 1.0}}});
  std::uint64_t done = 0;
  for (const std::uint64_t moment : kMoments) {
    while (done < moment) {
      const Pull pull = optimizer.ask(moment - done);
      for (std::uint64_t i = 0; i < pull.length; ++i) {
        (void)optimizer.tell(pull.ticket, played.pull(pull.arm, random));
      }
      done += pull.length;
    }
    print_blocks(optimizer, moment);
  }
  for (std::size_t i = 0; i < kMoments.size(); ++i) print_panels(i, kMoments[i]);
  return EXIT_SUCCESS;
}
