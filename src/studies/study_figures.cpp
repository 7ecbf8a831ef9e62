#include "studies/study_figures.hpp"

#include "canopy/detail/reward_map.hpp"

#include "studies/told.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace canopy {
namespace {

constexpr const char* kBlue = "#1f5fa8";
constexpr const char* kLightBlue = "#9cc3ea";
constexpr const char* kOrange = "#e67e22";
constexpr const char* kGrey = "#bbbbbb";
constexpr std::size_t kMostPoints = 2000;   // more could not be told apart
constexpr std::size_t kMostParameters = 6;  // with figures of their own
constexpr std::size_t kAveraged = 50;       // points of the running mean

/// Where a node stands between the two ends of the space, and its place in the picture.
Series::Point place_of(const std::string& path) {
  double low = 0.0;
  double width = 1.0;
  for (const char turn : path) {
    width *= 0.5;
    if (turn == '1') low += width;
  }
  const double x = low + 0.5 * width;
  const auto depth = static_cast<double>(path.size());
  return {x, depth, depth, depth};
}

/// One reward, and what it was for.
struct Measurement {
  double pull = 0.0;  ///< how many were learnt before it
  double reward = 0.0;
  double count = 1.0;  ///< of rewards that were told as one
  std::vector<double> arm;
};

struct History {
  std::vector<Measurement> learnt;
  std::vector<Measurement> baseline;
};

History history_of(Store& store, const StudyRecord& record) {
  History history;
  double pulls = 0.0;
  read_journal(store, record, [&](const JournalEntry& entry, std::optional<Arm> arm) {
    if (const auto* measured = std::get_if<BaselineMeasured>(&entry.event)) {
      history.baseline.push_back({pulls, measured->reward, 1.0, {}});
      return;
    }
    const auto learn = [&](double reward, double count) {
      std::vector<double> coordinates;
      if (arm) coordinates.assign(arm->begin(), arm->end());
      history.learnt.push_back({pulls, reward, count, std::move(coordinates)});
      pulls += count;
    };
    if (const auto* told = std::get_if<ToldList>(&entry.event)) {
      for (const double reward : told->rewards) learn(reward, 1.0);
    } else if (const auto rewards = rewards_of(entry.event)) {
      learn(rewards->mean(), static_cast<double>(rewards->count));
    }
  });
  return history;
}

/// Every so many of them, if there are too many to be told apart.
std::vector<const Measurement*> thinned(const std::vector<Measurement>& all) {
  const std::size_t step = all.size() / kMostPoints + 1;
  std::vector<const Measurement*> some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(&all[i]);
  return some;
}

Series dots(std::string label, const char* colour) {
  return {std::move(label), colour, {}, SeriesStyle::dots};
}

SeriesFigure rewards_figure(const std::string& title, const History& history) {
  Series rewards = dots("reward", kLightBlue);
  for (const Measurement* each : thinned(history.learnt)) {
    rewards.points.push_back({each->pull, each->reward, each->reward, each->reward});
  }
  Series baseline = dots("baseline", kOrange);
  for (const Measurement* each : thinned(history.baseline)) {
    baseline.points.push_back({each->pull, each->reward, each->reward, each->reward});
  }
  Series mean{"mean", kBlue, {}, SeriesStyle::line};
  const std::size_t width = std::max<std::size_t>(1, history.learnt.size() / kAveraged);
  for (std::size_t i = 0; i + width <= history.learnt.size(); i += width) {
    double sum = 0.0;
    for (std::size_t j = i; j < i + width; ++j) sum += history.learnt[j].reward;
    const double y = sum / static_cast<double>(width);
    mean.points.push_back({history.learnt[i + width / 2].pull, y, y, y});
  }
  return {title + ": rewards over time",
          "pulls",
          "reward",
          {rewards, baseline, mean},
          FigureScale::linear};
}

SeriesFigure setting_figure(const std::string& name, std::size_t axis, const History& history) {
  Series settings = dots("", kBlue);
  for (const Measurement* each : thinned(history.learnt)) {
    if (each->arm.size() <= axis) continue;
    const double y = each->arm[axis];
    settings.points.push_back({each->pull, y, y, y});
  }
  return {name + " over time", "pulls", name, {settings}, FigureScale::linear};
}

SeriesFigure pulls_figure(const std::string& name, std::size_t axis, const History& history) {
  std::map<double, double> counts;
  for (const Measurement& each : history.learnt) {
    if (each.arm.size() > axis) counts[each.arm[axis]] += each.count;
  }
  Series bars{"", kBlue, {}, SeriesStyle::impulses};
  for (const auto& [x, count] : counts) bars.points.push_back({x, count, count, count});
  return {"Where pulls went", name, "pulls", {bars}, FigureScale::linear};
}

/// The means of the arms that were pulled, each with the bound that the search goes by.
SeriesFigure estimate_figure(const std::string& name, std::size_t axis,
                             const std::vector<NodeView>& nodes) {
  Series means{"mean, and bound of the cell", kBlue, {}, SeriesStyle::intervals};
  for (const NodeView& node : nodes) {
    if (node.pulls == 0 || !std::isfinite(node.upper)) continue;
    means.points.push_back({node.arm[axis], node.mean, std::min(node.mean, node.upper),
                            std::max(node.mean, node.upper)});
  }
  return {"The estimate of f", name, "reward", {means}, FigureScale::linear};
}

}  // namespace

SeriesFigure tree_figure(const std::string& title, const std::vector<NodeView>& nodes) {
  Series edges{"", kGrey, {}, SeriesStyle::edges};
  Series pulled = dots("pulled", kBlue);
  Series waiting = dots("not pulled", kOrange);
  constexpr double kBreak = std::numeric_limits<double>::quiet_NaN();
  for (const NodeView& node : nodes) {
    (node.pulls > 0 ? pulled : waiting).points.push_back(place_of(node.path));
    if (node.path.empty()) continue;
    edges.points.push_back(place_of(node.path.substr(0, node.path.size() - 1)));
    edges.points.push_back(place_of(node.path));
    edges.points.push_back({0.0, kBreak, 0.0, 0.0});
  }
  return {title + ": the tree",
          "place in the space, from left to right",
          "depth",
          {edges, pulled, waiting},
          FigureScale::linear,
          true};
}

std::vector<SeriesFigure> study_figures(Store& store, const StudyRecord& record,
                                        const StudySpecification& specification,
                                        Optimizer& optimizer) {
  const History history = history_of(store, record);
  const TreeView* tree = optimizer.tree();
  const std::vector<NodeView> nodes = tree != nullptr ? tree->nodes() : std::vector<NodeView>();
  std::vector<SeriesFigure> figures{rewards_figure(record.name, history)};
  const std::vector<Parameter>& parameters = specification.space.parameters();
  for (std::size_t i = 0; i < std::min(parameters.size(), kMostParameters); ++i) {
    const std::string& name = parameters[i].name;
    figures.push_back(setting_figure(name, i, history));
    figures.push_back(pulls_figure(name, i, history));
    if (!nodes.empty()) {
      figures.push_back(estimate_figure(name, i, nodes));
    }
  }
  if (!nodes.empty()) figures.push_back(tree_figure(record.name, nodes));
  return figures;
}

}  // namespace canopy
