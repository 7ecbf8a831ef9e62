#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "files/document.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace canopy {

/// What to draw: f over one parameter, or over two.
struct EstimateAxes {
  std::string x = {};        ///< empty: the first parameter
  std::string y = {};        ///< empty: a curve
  std::uint64_t points = 0;  ///< along each axis; 0: 101 of a curve, 41 of a map
};

/// A parameter that cannot be an axis, and why.
struct WrongAxis {
  std::string parameter;  ///< `x`, `y` or `points`
  std::string message;
};
[[nodiscard]] std::optional<WrongAxis> wrong_axis(const Space& space, const EstimateAxes& axes);

/// What is known of f along the axes, through the best arm: for each point the mean and the
/// interval of the arm itself, if it was tried; else the level that a model gives its cell, and
/// where it sees f (`by` is `model`); else, without a model, those of the smallest cell around it
/// that has rewards. And the best that f may be there as the search sees it. Values along an axis
/// are evenly spaced on the scale of the parameter; of integers and choices, each of them where
/// there are not too many. Rows of a map are values of y.
///
///   {"x":{"name":"ttl","values":[..]},"through":{"ttl":5},"mean":[..],"lower":[..],"upper":[..],
///    "bound":[..],"pulls":[..]}
[[nodiscard]] Document estimate_picture(const StudySpecification& specification,
                                        Optimizer& optimizer, const EstimateAxes& axes);

}  // namespace canopy
