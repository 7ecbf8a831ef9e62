#include "core/positive_matrix.hpp"

namespace canopy {

bool invert_positive(std::vector<double>& matrix, std::size_t size) {
  for (std::size_t pivot = 0; pivot < size; ++pivot) {
    const double at = matrix[pivot * size + pivot];
    if (!(at > 0.0)) return false;
    for (std::size_t row = 0; row < size; ++row) {
      if (row == pivot) continue;
      const double factor = matrix[row * size + pivot] / at;
      for (std::size_t column = 0; column < size; ++column) {
        if (column == pivot) continue;
        matrix[row * size + column] -= factor * matrix[pivot * size + column];
      }
      matrix[row * size + pivot] = -factor;
    }
    for (std::size_t column = 0; column < size; ++column) {
      if (column != pivot) matrix[pivot * size + column] /= at;
    }
    matrix[pivot * size + pivot] = 1.0 / at;
  }
  return true;
}

}  // namespace canopy
