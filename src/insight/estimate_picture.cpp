#include "insight/estimate_picture.hpp"

#include "canopy/optimizers.hpp"
#include "canopy/partition.hpp"

#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/parameter_document.hpp"
#include "studies/answers.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::uint64_t kCurvePoints = 101;
constexpr std::uint64_t kMapPoints = 41;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kMostMapPoints = 300;  // along each axis

std::optional<std::size_t> index_of(const Space& space, const std::string& name) {
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    if (space.parameters()[i].name == name) return i;
  }
  return std::nullopt;
}

/// The distinct coordinates along an axis.
std::vector<double> values_along(const Domain& domain, std::uint64_t points) {
  const std::uint64_t values = domain.count().value_or(UINT64_MAX);
  points = std::min(points, values);
  std::vector<double> along;
  for (std::uint64_t i = 0; i < points; ++i) {
    // A real parameter includes both ends; for a list of values, the middle of each part is used.
    const auto at = static_cast<double>(i);
    const auto all = static_cast<double>(points);
    const double coordinate = domain.at(points == values ? (at + 0.5) / all : at / (all - 1.0));
    if (along.empty() || coordinate != along.back()) along.push_back(coordinate);
  }
  return along;
}

/// Finds the cell of a point in the tree of an optimizer.
class Cells {
 public:
  Cells(const StudySpecification& specification, Optimizer& optimizer)
      : partition_(partition_of(specification.optimizer.name, specification.space,
                                specification.partition)) {
    if (const TreeView* tree = optimizer.tree()) nodes_ = tree->nodes();
    for (std::size_t i = 0; i < nodes_.size(); ++i) by_path_.emplace(nodes_[i].path, i);
  }

  [[nodiscard]] bool has_model() const { return !nodes_.empty() && nodes_.front().model; }

  /// The smallest cell around a point, and the smallest one with rewards; null if there is none.
  struct Found {
    const NodeView* leaf = nullptr;
    const NodeView* pulled = nullptr;
  };
  [[nodiscard]] Found around(Arm point) const {
    Found found;
    std::vector<double> cell(partition_.cell_size());
    std::vector<double> parts(partition_.arity() * cell.size());
    partition_.root(cell);
    for (std::string path;;) {
      const auto node = by_path_.find(path);
      if (node == by_path_.end()) return found;
      found.leaf = &nodes_[node->second];
      if (found.leaf->pulls > 0) found.pulled = found.leaf;
      const auto depth = static_cast<std::uint32_t>(path.size());
      const std::uint32_t count = found.leaf->leaf ? 0 : partition_.cut(cell, depth, parts);
      if (count == 0) return found;
      const auto part = [&](std::uint32_t i) {
        return std::span<const double>(parts).subspan(i * cell.size(), cell.size());
      };
      std::uint32_t place = 0;  // index in the last part, if not found in an earlier one
      while (place + 1 < count && !partition_.holds(part(place), point)) ++place;
      path += static_cast<char>('0' + place);
      std::copy_n(part(place).begin(), cell.size(), cell.begin());
    }
  }

 private:
  BoxPartition partition_;
  std::vector<NodeView> nodes_;
  std::unordered_map<std::string_view, std::size_t> by_path_;
};

Document axis_document(const Parameter& parameter, const std::vector<double>& along) {
  Document::List values;
  for (const double at : along) values.push_back(value_document(parameter.domain, at));
  return Document::Table{{"name", parameter.name}, {"values", std::move(values)}};
}

/// Returns the estimate for a point: of the arm itself if it was tried; otherwise of the model for
/// its cell; without a model, of the smallest surrounding cell that has rewards.
ArmEstimate what_is_known(const std::optional<Evidence>& evidence, const Cells::Found& found,
                          Arm point) {
  if (!evidence) return {.mean = kUnknown, .interval = {kUnknown, kUnknown}};
  if (const auto own = evidence->find(point)) return evidence->estimate(*own);
  if (found.leaf != nullptr && found.leaf->model) {
    const Interval& model = *found.leaf->model;
    return {.mean = model.lower + 0.5 * (model.upper - model.lower), .interval = model};
  }
  const auto near = found.pulled != nullptr ? evidence->find(found.pulled->arm) : std::nullopt;
  if (near) return evidence->estimate(*near);
  return {.mean = kUnknown, .interval = {kUnknown, kUnknown}};
}

/// The arm that the slice goes through.
std::vector<double> middle_of(const Space& space, const Optimizer& optimizer) {
  if (const auto best = optimizer.best()) return best->arm;
  std::vector<double> arm(space.dimension());
  space.from_unit_cube(std::vector<double>(space.dimension(), 0.5), arm);
  return arm;
}

}  // namespace

std::optional<WrongAxis> wrong_axis(const Space& space, const EstimateAxes& axes) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name);
  if (!axes.x.empty() && !index_of(space, axes.x)) {
    return WrongAxis{"x", unknown_name("parameter", axes.x, names)};
  }
  if (!axes.y.empty() && !index_of(space, axes.y)) {
    return WrongAxis{"y", unknown_name("parameter", axes.y, names)};
  }
  const std::string x = axes.x.empty() ? space.parameters().front().name : axes.x;
  if (!axes.y.empty() && axes.y == x) return WrongAxis{"y", "must be another parameter than x"};
  if (!axes.y.empty() && axes.points > kMostMapPoints) {
    return WrongAxis{"points", fmt::format("must be at most {} for a map", kMostMapPoints)};
  }
  return std::nullopt;
}

Document estimate_picture(const StudySpecification& specification, Optimizer& optimizer,
                          const EstimateAxes& axes) {
  const Space& space = specification.space;
  const std::vector<Parameter>& parameters = space.parameters();
  const std::size_t x = axes.x.empty() ? 0 : *index_of(space, axes.x);
  std::vector<double> arm = middle_of(space, optimizer);
  const bool is_map = !axes.y.empty();
  const std::size_t y = index_of(space, axes.y).value_or(0);
  const std::uint64_t usual = is_map ? kMapPoints : kCurvePoints;
  const std::uint64_t points = axes.points != 0 ? axes.points : usual;
  const std::vector<double> along_x = values_along(parameters[x].domain, points);
  const std::vector<double> along_y =
      is_map ? values_along(parameters[y].domain, points) : std::vector<double>{arm[y]};
  const Cells cells(specification, optimizer);
  const std::optional<Evidence> evidence = optimizer.evidence();

  Document picture = Document::Table{{"x", axis_document(parameters[x], along_x)}};
  if (is_map) picture.set("y", axis_document(parameters[y], along_y));
  picture.set("through", arm_document(space, arm));
  picture.set("by", cells.has_model() ? "model" : "arms");
  Document::List mean;
  Document::List lower;
  Document::List upper;
  Document::List bound;
  Document::List pulls;
  for (const double at_y : along_y) {
    arm[y] = at_y;
    for (const double at_x : along_x) {
      arm[x] = at_x;
      const Cells::Found found = cells.around(arm);
      const ArmEstimate known = what_is_known(evidence, found, arm);
      mean.push_back(number_or_none(known.mean));
      lower.push_back(number_or_none(known.interval.lower));
      upper.push_back(number_or_none(known.interval.upper));
      pulls.emplace_back(known.pulls);
      bound.push_back(number_or_none(found.leaf != nullptr ? found.leaf->bound : kUnknown));
    }
  }
  picture.set("mean", std::move(mean));
  picture.set("lower", std::move(lower));
  picture.set("upper", std::move(upper));
  picture.set("bound", std::move(bound));
  picture.set("pulls", std::move(pulls));
  return picture;
}

}  // namespace canopy
