#pragma once

#include "canopy/hct.hpp"
#include "canopy/random.hpp"

#include "support/arms.hpp"
#include "support/compare_trees.hpp"
#include "support/random_hct.hpp"
#include "support/textbook_protocol.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <rapidcheck.h>

namespace canopy::testing {

/// Performs random operations on both sides: asks, tells (one by one, in lists, as sums), drops,
/// reads, records, changes of the range and, if requested, observations.
class Interleaving {
 public:
  Interleaving(const RandomHct& config, std::uint64_t seed, double observing = 0.0)
      : config_(config),
        observing_(observing),
        fast_(config.partition, config.options, config.objective),
        textbook_(config.partition, config.options, config.objective),
        random_({.seed = seed}) {}

  void step() {
    if (observing_ > 0.0 && random_.uniform() < observing_) observe();
    if (random_.uniform() < 0.01) remember();
    if (random_.uniform() < 0.002) set_range();
    const double what = random_.uniform();
    if (textbook_.open().empty() || what < 0.4) {
      ask();
    } else if (what < 0.9) {
      tell();
    } else if (what < 0.95) {
      drop();
    } else {
      RC_ASSERT(difference(fast_.tree()->nodes(), textbook_.hct()) == "");
    }
    RC_ASSERT(fast_.summary().in_flight == textbook_.open().size());
    RC_ASSERT(fast_.summary().t == textbook_.hct().t());
  }

  /// Asks for one pull and tells its reward, which is the fast path. Observes before and in
  /// between.
  void single_step() {
    if (random_.uniform() < observing_) observe();
    ask(1);
    if (random_.uniform() < observing_) observe();
    const Ticket ticket = arms_.rbegin()->first;
    const double reward = config_.reward(arms_.at(ticket), random_.uniform());
    RC_ASSERT(fast_.tell(ticket, reward) == Status::ok);
    scale_.see(reward);
    textbook_.tell(ticket, 1, scale_.to_mapped(reward));
    RC_ASSERT(fast_.summary().t == textbook_.hct().t());
  }

  void finish() {
    fast_.finish();
    textbook_.finish();
    RC_ASSERT(difference(fast_.tree()->nodes(), textbook_.hct()) == "");
    RC_ASSERT(fast_.summary().refreshes == textbook_.hct().refreshes());
    RC_ASSERT(fast_.summary().observed == observed_);
  }

 private:
  void ask() { ask(random_.uniform() < 0.5 ? 1 + random_() % 6 : UINT64_MAX); }

  void ask(std::uint64_t pulls) {
    const Pull pull = fast_.ask(pulls);
    RC_ASSERT(textbook_.ask(pulls) == pull.ticket);
    const TextbookProtocol::Open& open = textbook_.open().at(pull.ticket);
    // Uses the view obtained before, since obtaining one updates bounds.
    RC_ASSERT(tree_.path(tree_.place(pull.ticket).value().node) == textbook_.hct().path(open.node));
    RC_ASSERT(pull.length == open.remaining);
    arms_[pull.ticket] = pull.arm;
  }

  void tell() {
    const Ticket ticket = pick();
    const std::uint64_t remaining = textbook_.open().at(ticket).remaining;
    const std::uint64_t count = 1 + random_() % std::min<std::uint64_t>(remaining, 50);
    std::vector<double> rewards;
    for (std::uint64_t i = 0; i < count; ++i) {
      rewards.push_back(config_.reward(arms_.at(ticket), random_.uniform()));
    }
    const Rewards sums = Rewards::of(rewards);
    const double how = random_.uniform();
    if (how < 0.8) {
      const Status status = count == 1 && how < 0.6
                                ? fast_.tell(ticket, rewards.front())
                                : fast_.tell(ticket, std::span<const double>(rewards));
      RC_ASSERT(status == Status::ok);
      double sum = 0.0;
      for (const double reward : rewards) {
        scale_.see(reward);
        sum += scale_.to_mapped(reward);
      }
      textbook_.tell(ticket, count, sum);
    } else {
      RC_ASSERT(fast_.tell(ticket, sums) == Status::ok);
      scale_.see(sums.min, sums.max, sums.mean());
      textbook_.tell(ticket, count, scale_.to_mapped(sums.sum, count));
    }
  }

  void drop() {
    const Ticket ticket = pick();
    RC_ASSERT(fast_.drop(ticket) == Status::ok);
    textbook_.drop(ticket);
    RC_ASSERT(fast_.tell(ticket, 0.5) == Status::closed_ticket);
  }

  /// Observes the arm of a cell, which may not have a node yet.
  void observe() {
    const std::vector<double> arm = arm_of_some_cell(*config_.partition, random_, 6);
    std::vector<double> rewards;
    for (std::uint64_t i = 1 + random_() % 8; i > 0; --i) {
      rewards.push_back(config_.reward(arm, random_.uniform()));
    }
    const Rewards sums = Rewards::of(rewards);
    RC_ASSERT(fast_.observe(arm, sums) == Status::ok);
    scale_.see(sums.min, sums.max, sums.mean());
    textbook_.observe(arm, sums.count, scale_.to_mapped(sums.sum, sums.count));
    observed_ += sums.count;
  }

  /// Adds remembered rewards, which must not affect the search.
  void remember() {
    const std::vector<double> arm = arm_of_some_cell(*config_.partition, random_, 6);
    RC_ASSERT(fast_.remember(arm, Rewards::one(10.0 * random_.uniform() - 5.0)) == Status::ok);
  }

  void set_range() {
    std::optional<std::array<double, 2>> range;
    if (random_.coin()) range = {-random_.uniform(), 1.0 + random_.uniform()};
    fast_.set_reward_range(range);
    scale_.set_range(range);
  }

  Ticket pick() {
    auto open = textbook_.open().begin();
    std::advance(open, static_cast<std::ptrdiff_t>(random_() % textbook_.open().size()));
    return open->first;
  }

  const RandomHct& config_;
  double observing_;  // probability of an observation
  Hct fast_;
  const TreeView& tree_ = *fast_.tree();
  TextbookProtocol textbook_;
  TextbookScale& scale_ = textbook_.scale();
  RandomStream random_;
  std::map<Ticket, Arm> arms_;
  std::uint64_t observed_ = 0;
};

}  // namespace canopy::testing
