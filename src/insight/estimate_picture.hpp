#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/study_specification.hpp"

#include "files/document.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace canopy {

/// The axes of the picture: f along one parameter or along two.
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

/// The estimates of f on a slice of the space through the best arm. Each point has the mean and
/// interval of its arm if that was tried; otherwise those of the model for its cell (`by` is
/// `model`) or, without a model, those of the smallest surrounding cell that has rewards. `bound`
/// is the search's optimistic bound on f. Values along an axis are evenly spaced on the parameter's
/// scale; for integers and choices they are all values, unless there are too many. Each row of a
/// map belongs to one value of y.
///
///   {"x":{"name":"ttl","values":[..]},"through":{"ttl":5},"mean":[..],"lower":[..],"upper":[..],
///    "bound":[..],"pulls":[..]}
[[nodiscard]] Document estimate_picture(const StudySpecification& specification,
                                        Optimizer& optimizer, const EstimateAxes& axes);

}  // namespace canopy
