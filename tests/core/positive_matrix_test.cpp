#include "core/positive_matrix.hpp"

#include "canopy/random.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using Matrix = std::vector<double>;

Matrix product(const Matrix& a, const Matrix& b, std::size_t size) {
  Matrix result(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < size; ++k)
        result[i * size + j] += a[i * size + k] * b[k * size + j];
    }
  }
  return result;
}

TEST(PositiveMatrix, TimesItsInverseIsOne) {
  const std::uint64_t seed = std::random_device{}();
  RandomStream random({.seed = seed});
  for (std::size_t size = 1; size <= 12; ++size) {
    Matrix root(size * size);
    for (double& number : root) number = random.normal();
    Matrix transposed(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) transposed[i * size + j] = root[j * size + i];
    }
    Matrix matrix = product(root, transposed, size);
    for (std::size_t i = 0; i < size; ++i) matrix[i * size + i] += 0.1;
    Matrix inverse = matrix;
    ASSERT_TRUE(invert_positive(inverse, size)) << "seed " << seed;
    const Matrix one = product(matrix, inverse, size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        EXPECT_NEAR(one[i * size + j], i == j ? 1.0 : 0.0, 1e-9) << "seed " << seed;
        EXPECT_NEAR(inverse[i * size + j], inverse[j * size + i], 1e-9) << "seed " << seed;
      }
    }
  }
}

TEST(PositiveMatrix, WithOtherEigenvaluesIsRefused) {
  Matrix zero{0.0};
  EXPECT_FALSE(invert_positive(zero, 1));
  Matrix singular{1.0, 1.0, 1.0, 1.0};
  EXPECT_FALSE(invert_positive(singular, 2));
  Matrix indefinite{1.0, 2.0, 2.0, 1.0};
  EXPECT_FALSE(invert_positive(indefinite, 2));
}

}  // namespace
}  // namespace canopy
