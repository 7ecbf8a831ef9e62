#pragma once

#include "canopy/mdp.hpp"
#include "canopy/options.hpp"

#include <cstdint>
#include <optional>

namespace canopy {

/// The two highest bids of an auction; 0 where there is no bid.
struct HighestBids {
  double first = 0.0;
  double second = 0.0;
};

/// The revenue of a second-price auction with a reserve: 0 if no bid reaches the reserve, otherwise
/// the larger of the second bid and the reserve.
[[nodiscard]] inline double revenue(const HighestBids& bids, double reserve) {
  if (bids.first < reserve) return 0.0;
  return bids.second > reserve ? bids.second : reserve;
}

/// Draws the two highest bids of `bidders` bidders with independent values, uniform in [0, 1], each
/// of whom attends with the given probability.
[[nodiscard]] inline HighestBids draw_bids(std::uint64_t bidders, double attendance,
                                           RandomStream& random) {
  HighestBids bids;
  for (std::uint64_t i = 0; i < bidders; ++i) {
    if (attendance < 1.0 && random.uniform() >= attendance) continue;
    const double bid = random.uniform();
    if (bid > bids.first) {
      bids.second = bids.first;
      bids.first = bid;
    } else if (bid > bids.second) {
      bids.second = bid;
    }
  }
  return bids;
}

struct AuctionOptions {
  std::uint64_t bidders = 2;  ///< 1 to 1000
};

template <class Visit>
void visit_fields(AuctionOptions& options, Visit&& visit) {
  visit(Field{"bidders", "number of bidders", kThousand}, options.bidders);
}

/// The reserve price of repeated second-price auctions among independent bidders. With n bidders
/// f(r) = (n - 1)/(n + 1) + r^n - 2n/(n + 1) r^(n + 1), which is largest at r = 1/2 whatever n is
/// (Myerson, "Optimal Auction Design", 1981).
class Auction final : public SteadyEnvironment {
 public:
  /// Throws ConfigurationError.
  explicit Auction(const AuctionOptions& options = {});

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] double mean_reward(Arm arm) const override;
  [[nodiscard]] Optimum optimum() const override;
  [[nodiscard]] std::optional<double> mixing_time() const override { return 0.0; }
  void start(RandomStream& /*random*/) override {}
  double pull(Arm arm, RandomStream& random) override {
    return revenue(draw_bids(bidders_, 1.0, random), arm[0]);
  }

 private:
  Space space_;
  std::uint64_t bidders_;
};

struct ReactiveAuctionOptions {
  std::uint64_t bidders = 2;  ///< 1 to 1000
  double aversion =
      0.5;  ///< In [0, 1]: a bidder stays away with probability aversion * remembered reserve.
  double beta = 0.1;  ///< In [1e-6, 1]: weight of the last reserve in the memory.
};

template <class Visit>
void visit_fields(ReactiveAuctionOptions& options, Visit&& visit) {
  visit(Field{"bidders", "number of bidders", kThousand}, options.bidders);
  visit(Field{"aversion", "the probability that a bidder stays away from a reserve of 1", kUnit},
        options.aversion);
  visit(Field{"beta", "weight of the last reserve in the bidders' memory", kRate}, options.beta);
}

/// Bidders remember past reserves: m' = (1 - beta) m + beta r. Each attends with a probability of
/// 1 - aversion m, so that the revenue of a reserve depends on the reserves before it.
struct ReactiveAuctionProcess {
  using State = double;
  using Observation = double;
  using Action = double;

  std::uint64_t bidders = 2;
  double aversion = 0.5;
  double beta = 0.1;

  [[nodiscard]] Transition<double> start(RandomStream& random) const {
    const double memory = random.uniform();
    return {0.0, memory, memory};
  }
  [[nodiscard]] Transition<double> step(double memory, double reserve, RandomStream& random) const {
    const double reward = revenue(draw_bids(bidders, 1.0 - aversion * memory, random), reserve);
    const double next = (1.0 - beta) * memory + beta * reserve;
    return {reward, next, next};
  }
};

/// The reserve price when bidders react. Under a constant reserve r, bidders attend with
/// probability p = 1 - aversion r; f(r) is a polynomial in r and p, and its maximum is found by
/// Brent's method. After a change of reserve the memory of the old one decays geometrically, and a
/// change of p by dp changes the mean revenue by at most n dp: the mixing time is at most n
/// aversion / beta.
class ReactiveAuction final
    : public PolicyEnvironment<ReactiveAuctionProcess, ConstantPolicy, SteadyEnvironment> {
 public:
  /// Throws ConfigurationError.
  explicit ReactiveAuction(const ReactiveAuctionOptions& options = {});

  [[nodiscard]] double mean_reward(Arm arm) const override;
  [[nodiscard]] Optimum optimum() const override { return optimum_; }
  [[nodiscard]] std::optional<double> mixing_time() const override;

 private:
  Optimum optimum_;
};

}  // namespace canopy
