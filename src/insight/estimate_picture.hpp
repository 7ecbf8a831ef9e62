#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "files/document.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace canopy {

/// The axes of the picture: f over one parameter or over two.
struct EstimateAxes {
  std::string x = {};        ///< empty: the first parameter
  std::string y = {};        ///< empty: a curve
  std::uint64_t points = 0;  ///< along each axis; 0: 101 for a curve, 41 for a map
};

/// An invalid axis, and the reason.
struct WrongAxis {
  std::string parameter;  ///< `x`, `y` or `points`
  std::string message;
};
[[nodiscard]] std::optional<WrongAxis> wrong_axis(const Space& space, const EstimateAxes& axes);

/// A slice through the best arm of what is known about f. For each point: mean and interval of the
/// arm itself if it was tried; else the model's estimate for its cell (`by` is `model`); else,
/// without a model, those of the smallest cell around it that has rewards. `bound` is the search's
/// optimistic bound on f. Values along an axis are evenly spaced on the parameter's scale; for
/// integers and choices they are all values, unless there are too many. Rows of a map are values of
/// y.
///
///   {"x":{"name":"ttl","values":[..]},"through":{"ttl":5},"mean":[..],"lower":[..],"upper":[..],
///    "bound":[..],"pulls":[..]}
[[nodiscard]] Document estimate_picture(const StudySpecification& specification,
                                        Optimizer& optimizer, const EstimateAxes& axes);

}  // namespace canopy
