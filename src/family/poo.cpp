#include "canopy/family/poo.hpp"

#include "family/composite_options.hpp"
#include "family/list.hpp"
#include "optimizers/checked.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

namespace canopy {

double instances_worthwhile(double n, double rho_max, std::uint32_t arity) {
  if (n < 2.0) return 0.0;
  const double largest_dimension = std::log(static_cast<double>(arity)) / -std::log(rho_max);
  return 0.5 * largest_dimension * std::log(n / std::log(n));
}

double instance_rho(double rho_max, std::uint64_t i, std::uint64_t count) {
  const auto all = static_cast<double>(count);
  return std::pow(rho_max, 2.0 * all / (2.0 * static_cast<double>(i) + 1.0));
}

Poo::Poo(const Space& space, const PooOptions& options, const Objective& objective,
         const PartitionRule& partition)
    : Composite(space, partition, checked(options, objective)), options_(options) {
  add_child();
  statistics_.resize(1);
}

Poo::Poo(std::shared_ptr<const Partition> cells, const PooOptions& options,
         const Objective& objective)
    : Composite(std::move(cells), checked(options, objective)), options_(options) {
  add_child();
  statistics_.resize(1);
}

/// The first instance has rho_max; later ones are created in blocks of N = 1, 2, 4, ...
Selection Poo::child_at(std::size_t number) const {
  const std::uint64_t block = std::bit_floor(std::uint64_t{number});
  const double rho =
      number == 0 ? options_.rho_max : instance_rho(options_.rho_max, number - block + 1, block);
  return instance_of(options_.base, options_.nu_max, rho, options_.confidence_scale,
                     options_.seed + number);
}

TurnOptimizer::Choice Poo::choose() {
  while (statistics_[player_].pulls >= pulls_wanted()) next_instance();
  return play(player_);
}

/// The number of pulls that an instance has had at the end of its turn: the same as the others if
/// the instance is new, otherwise one more.
double Poo::pulls_wanted() const {
  return static_cast<double>(starting_ ? each_ : each_ + 1);
}

/// A custom partition may throw; the next turn then tries again.
void Poo::next_instance() {
  const auto before = std::tuple(player_, count_, each_, starting_);
  ++player_;
  if (player_ == (starting_ ? 2 * count_ : count_)) {
    if (starting_) count_ *= 2;
    next_round();
  }
  if (!starting_) return;
  try {
    add_child();
  } catch (...) {
    std::tie(player_, count_, each_, starting_) = before;
    throw;
  }
  statistics_.emplace_back();
}

void Poo::next_round() {
  const auto fewest = std::ranges::min_element(statistics_, {}, &Statistics::pulls);
  each_ = static_cast<std::uint64_t>(fewest->pulls);
  const auto count = static_cast<double>(count_);
  const double n = count * static_cast<double>(each_);
  starting_ = count <= instances_worthwhile(n, options_.rho_max, arity());
  player_ = starting_ ? count_ : 0;
}

void Poo::hear(std::size_t child, bool /*asked*/, const Rewards& mapped) {
  statistics_[child].pulls += static_cast<double>(mapped.count);
  statistics_[child].sum += mapped.sum;
}

/// The instance with the best mean reward; ties go to the first.
std::size_t Poo::leader() const {
  std::size_t leader = 0;
  double best = -kInfinity;
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    const auto [pulls, sum] = statistics_[i];
    if (pulls == 0.0 || sum / pulls <= best) continue;
    best = sum / pulls;
    leader = i;
  }
  return leader;
}

std::optional<TicketedOptimizer::Recommendation> Poo::recommendation() const {
  const auto best = best_of(leader());
  if (!best) return std::nullopt;
  recommended_ = best->own.empty() ? best->arm : best->own;
  return Recommendation{recommended_, best->mean, static_cast<double>(best->pulls)};
}

void Poo::transfer(State& state) {
  state.mark("poo");
  Composite::transfer(state);
  state(count_, each_, starting_, player_, statistics_);
  if (!state.restoring()) return;
  State::require(std::has_single_bit(count_) && count_ <= children() && each_ <= t_);
  State::require(children() <= 2 * count_ && statistics_.size() == children());
  State::require(starting_ ? player_ == children() - 1 && player_ >= count_ : player_ < count_);
  State::require(starting_ ? each_ >= 1 : children() == count_);
}

std::unique_ptr<Optimizer> Poo::clone() const {
  return std::make_unique<Poo>(*this);
}

OptimizerEntry poo_entry() {
  return composite_entry<Poo, PooOptions>(
      "poo", "parallel optimistic optimization: HOO with many values of rho at once");
}

}  // namespace canopy
