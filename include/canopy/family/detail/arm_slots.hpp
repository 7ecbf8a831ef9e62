#pragma once

#include "canopy/detail/tickets.hpp"
#include "canopy/space.hpp"

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace canopy {

/// The first slot that no open ticket refers to; the number of slots if there is none.
[[nodiscard]] NodeIndex free_slot(const Tickets& tickets, std::size_t slots);

/// Storage for the arms of algorithms that create a new arm at every turn. A slot is reused once no
/// ticket for it is open, so the memory is proportional to the tickets in flight.
class ArmSlots {
 public:
  explicit ArmSlots(std::size_t arm_size) : arm_size_(arm_size) {}

  /// A slot that no open ticket refers to.
  [[nodiscard]] NodeIndex free_slot(const Tickets& tickets);

  [[nodiscard]] std::span<double> at(NodeIndex slot) { return arms_[slot]; }
  [[nodiscard]] Arm operator[](NodeIndex slot) const { return arms_[slot]; }
  [[nodiscard]] std::size_t size() const { return arms_.size(); }

  /// Whether all slots hold arms of the space.
  [[nodiscard]] bool are_in(const Space& space) const;

  void transfer(State& state);

 private:
  std::size_t arm_size_;
  std::deque<std::vector<double>> arms_;
};

}  // namespace canopy
