#pragma once

#include <cstddef>
#include <vector>

namespace canopy {

/// Inverts a symmetric positive definite matrix, given row by row, in place (Gauss-Jordan; no
/// pivoting is needed). Returns false if the matrix is not positive definite; its contents are then
/// undefined.
[[nodiscard]] bool invert_positive(std::vector<double>& matrix, std::size_t size);

}  // namespace canopy
