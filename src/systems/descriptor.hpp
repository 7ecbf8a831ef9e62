#pragma once

#include <unistd.h>
#include <utility>

namespace canopy {

/// Owns a file descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }  ///< -1: none
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  void close() {
    if (is_open()) (void)::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

}  // namespace canopy
