#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/partition.hpp"
#include "canopy/random.hpp"

#include "support/arms.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace canopy::testing {

/// A random sequence of requests: asks of any length, rewards in all three forms and in any order,
/// dropped tickets and, if enabled, observations of other arms, failed pulls and barred arms. A
/// copy continues with the same requests.
class Conversation {
 public:
  explicit Conversation(std::uint64_t seed) : random_({.seed = seed}) {}

  /// Makes a share of the requests observations of arms of this space.
  void observe(const Space& space, double part = 0.2) {
    space_ = space.parameters();
    observing_ = part;
  }

  /// Makes a share of the requests failures.
  void fail(double part = 0.2) { failing_ = part; }

  /// Sends one request to all optimizers. Returns false if their responses differ or one of them
  /// refuses.
  bool step(const std::vector<Optimizer*>& all) {
    if (random_.uniform() < observing_) return observe_one(all);
    if (failing_ > 0.0 && !open_.empty() && random_.uniform() < failing_) return fail_one(all);
    const double what = random_.uniform();
    if (open_.empty() || what < 0.4) return ask(all);
    const std::size_t which = random_() % open_.size();
    Waiting& waiting = open_[which];
    bool same = true;
    if (what < 0.43) {
      for (Optimizer* optimizer : all) same &= optimizer->drop(waiting.ticket) == Status::ok;
      waiting.length = 0;
    } else {
      same = tell(waiting, all);
    }
    if (waiting.length == 0) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    return same;
  }

  [[nodiscard]] std::uint64_t told() const { return told_; }
  [[nodiscard]] std::uint64_t observed() const { return observed_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  [[nodiscard]] std::uint64_t in_flight() const { return open_.size(); }

  /// Ticket, length and arm of every pull so far.
  [[nodiscard]] const std::vector<OwnedPull>& pulls() const { return pulls_; }

 private:
  struct Waiting {
    Ticket ticket;
    std::uint64_t length;
  };

  bool ask(const std::vector<Optimizer*>& all) {
    const std::uint64_t pulls = 1 + random_() % 5;
    const OwnedPull first(all.front()->ask(pulls));
    bool same = true;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const OwnedPull other(all[i]->ask(pulls));
      same &= other.ticket == first.ticket && other.length == first.length;
      same &= other.arm == first.arm;
    }
    open_.push_back({first.ticket, first.length});
    pulls_.push_back(first);
    return same;
  }

  bool tell(Waiting& waiting, const std::vector<Optimizer*>& all) {
    std::vector<double> rewards{random_.uniform()};
    if (waiting.length > 1 && random_.coin()) rewards.push_back(random_.uniform());
    const double how = random_.uniform();
    bool same = true;
    for (Optimizer* optimizer : all) {
      const Ticket ticket = waiting.ticket;
      const Status status = rewards.size() == 1 && how < 0.6 ? optimizer->tell(ticket, rewards[0])
                            : how < 0.8                      ? optimizer->tell(ticket, rewards)
                                        : optimizer->tell(ticket, Rewards::of(rewards));
      same &= status == Status::ok;
    }
    waiting.length -= rewards.size();
    told_ += rewards.size();
    return same;
  }

  /// A failed pull, which sometimes also bars its arm.
  bool fail_one(const std::vector<Optimizer*>& all) {
    const std::size_t which = random_() % open_.size();
    const Ticket ticket = open_[which].ticket;
    const bool for_good = random_.uniform() < 0.2;
    bool same = true;
    for (Optimizer* optimizer : all) {
      same &= optimizer->penalize(ticket, -0.25) == Status::ok;
      if (for_good) same &= optimizer->bar(pulls_[ticket - 1].arm, -0.25) == Status::ok;
    }
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    ++failed_;
    return same;
  }

  /// An arm that was asked for, the arm of a possible cell, or a random one.
  bool observe_one(const std::vector<Optimizer*>& all) {
    const Space space(space_);
    const double which = random_.uniform();
    const std::vector<double> arm =
        which < 0.3 && !pulls_.empty() ? pulls_[random_() % pulls_.size()].arm
        : which < 0.9                  ? arm_of_some_cell(BoxPartition(space), random_, 5)
                                       : arm_somewhere(space, random_);
    std::vector<double> rewards;
    for (std::uint64_t i = 1 + random_() % 4; i > 0; --i) rewards.push_back(random_.uniform());
    bool same = true;
    for (Optimizer* optimizer : all) {
      same &= optimizer->observe(arm, Rewards::of(rewards)) == Status::ok;
    }
    observed_ += rewards.size();
    return same;
  }

  RandomStream random_;
  std::vector<Parameter> space_;
  double observing_ = 0.0;
  double failing_ = 0.0;
  std::deque<Waiting> open_;
  std::vector<OwnedPull> pulls_;
  std::uint64_t told_ = 0;
  std::uint64_t observed_ = 0;
  std::uint64_t failed_ = 0;
};

}  // namespace canopy::testing
