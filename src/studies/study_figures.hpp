#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study.hpp"

#include "figures/figure.hpp"

#include <string>
#include <vector>

namespace canopy {

/// The tree: every node at the middle of its cell, by depth.
[[nodiscard]] SeriesFigure tree_figure(const std::string& title,
                                       const std::vector<NodeView>& nodes);

/// Rewards over time, and for every parameter the setting over time, where pulls went, and the
/// estimate of f with its upper bounds.
[[nodiscard]] std::vector<SeriesFigure> study_figures(Store& store, const StudyRecord& record,
                                                      const StudySpecification& specification,
                                                      Optimizer& optimizer);

}  // namespace canopy
