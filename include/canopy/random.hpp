#pragma once

#include "canopy/state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace canopy {

/// The identity of a random stream. Streams with different names are independent, and a stream's
/// numbers depend only on its name: not on threads, machines or the order of work.
struct StreamName {
  std::uint64_t seed = 0;
  std::string_view environment = {};
  std::string_view algorithm = {};  ///< its label, which the user can keep stable
  std::string_view purpose = {};
  std::uint64_t run = 0;
};

/// A counter-based random stream (Philox 4x64, ten rounds; Salmon, Moraes, Dror, Shaw, "Parallel
/// random numbers: as easy as 1, 2, 3", SC 2011). A UniformRandomBitGenerator. Not thread-safe:
/// give every thread a stream of its own.
class RandomStream {
 public:
  using result_type = std::uint64_t;

  explicit RandomStream(const StreamName& name);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() {
    if (next_ == buffer_.size()) refill();
    return buffer_[next_++];
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

  /// True with probability 1/2.
  bool coin() { return ((*this)() >> 63) != 0; }

  /// Normal with mean 0 and variance 1.
  double normal();

  /// Exponential with mean 1.
  double exponential();

  /// Saves or restores the position in the stream, without the name.
  void transfer(State& state);

 private:
  static constexpr std::size_t kBufferSize = 64;

  void refill();

  std::array<std::uint64_t, 2> key_;
  std::uint64_t run_;
  std::uint64_t block_ = 0;  // number of blocks of four numbers generated
  std::size_t next_;
  std::array<result_type, kBufferSize> buffer_{};
};

}  // namespace canopy
