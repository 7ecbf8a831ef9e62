#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "support/textbook_adaptive.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace canopy::bench {

using canopy::testing::TextbookAdaptive;
using Variant = TextbookAdaptive::Variant;

/// Adapts the textbook to ask and tell.
class TextbookPlayer {
 public:
  TextbookPlayer(const Space& space, const Variant& variant)
      : textbook_(std::make_shared<BoxPartition>(space), 0.06, variant) {}

  Pull ask(std::uint64_t pulls) {
    const TextbookAdaptive::Turn turn = textbook_.choose();
    rewards_.clear();
    length_ = std::min(pulls, turn.pulls);
    return {0, textbook_.arm(turn.node), length_};
  }

  Status tell(Ticket /*ticket*/, double reward) {
    rewards_.push_back(reward);
    if (rewards_.size() == length_) textbook_.learn(rewards_);
    return Status::ok;
  }

 private:
  TextbookAdaptive textbook_;
  std::vector<double> rewards_;
  std::uint64_t length_ = 0;
};

}  // namespace canopy::bench
