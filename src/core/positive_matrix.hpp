#pragma once

#include <cstddef>
#include <vector>

namespace canopy {

/// Inverts a symmetric matrix with positive eigenvalues, given row by row, in place (Gauss-Jordan;
/// such a matrix needs no exchange of rows). False if it has others; the matrix is then of no use.
[[nodiscard]] bool invert_positive(std::vector<double>& matrix, std::size_t size);

}  // namespace canopy
