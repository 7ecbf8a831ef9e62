#include "canopy/pairs.hpp"

#include <algorithm>
#include <cmath>

namespace canopy {
namespace {

constexpr std::array kFactors{1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0, 1.0, 2.0};

/// Number of entries for single pairs. They are followed by half that number of entries of two
/// pairs each, the same number of entries of four pairs each, and so on, so that the list grows
/// with the logarithm of the number of pairs.
constexpr std::size_t kSingle = 1024;

/// The number of pairs averaged in this entry.
std::uint64_t pairs_of_entry(std::size_t entry) {
  return entry < kSingle ? 1 : std::uint64_t{2} << ((entry - kSingle) / (kSingle / 2));
}

}  // namespace

void Pairs::Bets::add(double difference) {
  count += 1.0;
  squares += difference * difference;
  if (squares == 0.0) return;
  const double z = difference / std::sqrt(squares / count);
  for (std::size_t i = 0; i < kBets; ++i) {
    const double bet = std::tanh(kFactors.at(i) * z);
    above.at(i) += std::log1p(bet);
    below.at(i) += std::log1p(-bet);
  }
}

double Pairs::Bets::evidence(Side side) const {
  const auto& logs = side == Side::above ? above : below;
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0.0;
  for (const double log : logs) sum += std::exp(log - top);
  return top + std::log(sum / static_cast<double>(kBets));
}

void Pairs::add(double difference) {
  ++count_;
  sum_ += difference;
  largest_ = std::max(largest_, std::abs(difference));
  part_sum_ += difference;
  if (++part_count_ < pairs_of_entry(entries_.size())) return;
  entries_.push_back(part_sum_ / static_cast<double>(part_count_));
  at_zero_.add(entries_.back());
  part_sum_ = 0.0;
  part_count_ = 0;
}

double Pairs::mean() const {
  return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_);
}

std::optional<bool> Pairs::is_above(double alpha) const {
  const double enough = std::log(2.0 / alpha);
  if (above() >= enough) return true;
  if (below() >= enough) return false;
  return std::nullopt;
}

double Pairs::evidence_at(double delta, Side side) const {
  Bets bets;
  for (const double entry : entries_) bets.add(entry - delta);
  return bets.evidence(side);
}

Interval Pairs::interval(double alpha) const {
  Interval known;
  if (entries_.empty()) return known;
  const double enough = std::log(2.0 / alpha);
  const double middle = mean();
  double squares = 0.0;
  for (const double entry : entries_) squares += (entry - middle) * (entry - middle);
  double scale = std::sqrt(squares / static_cast<double>(entries_.size()));
  if (scale == 0.0) scale = 1e-9 * std::abs(middle);  // all differences are equal
  if (scale == 0.0) return known;
  for (const Side side : {Side::above, Side::below}) {
    const double sign = side == Side::above ? -1.0 : 1.0;
    double in = middle;
    double step = scale;
    double out = middle + sign * step;
    bool is_out = evidence_at(out, side) >= enough;
    for (int i = 0; i < 16 && !is_out; ++i) {
      in = out;
      step *= 2.0;
      out = middle + sign * step;
      is_out = evidence_at(out, side) >= enough;
    }
    if (!is_out) continue;
    while (std::abs(out - in) > 1e-5 * scale) {
      const double half = in + 0.5 * (out - in);
      if (half == in || half == out) break;
      (evidence_at(half, side) >= enough ? out : in) = half;
    }
    (side == Side::above ? known.lower : known.upper) = out;
  }
  return known;
}

std::uint64_t Pairs::fewest(double alpha) {
  const double enough = std::log(2.0 / alpha);
  Bets bets;
  std::uint64_t count = 0;
  while (bets.evidence(Side::above) < enough) {
    bets.add(1.0);
    ++count;
  }
  return count;
}

void Pairs::transfer(State& state) {
  state(entries_, count_, sum_, largest_, part_sum_, part_count_);
  if (!state.restoring()) return;
  State::require(entries_.size() <= count_ && part_count_ < count_ + 1 &&
                 State::are_finite({sum_, part_sum_}) && State::are_sizes({largest_}));
  at_zero_ = {};
  for (const double entry : entries_) {
    State::require(State::are_finite({entry}));
    at_zero_.add(entry);
  }
}

}  // namespace canopy
