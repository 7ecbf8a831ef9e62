#pragma once

#include "canopy/enum_names.hpp"
#include "canopy/family/detail/composite.hpp"
#include "canopy/options.hpp"
#include "canopy/space.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace canopy {

/// The algorithms that POO and GPO can run: those with options nu1 and rho.
enum class Base { hoo, thoo, hct, vhct };

template <>
struct EnumNames<Base> {
  static constexpr std::array<std::string_view, 4> names{"hoo", "thoo", "hct", "vhct"};
};

struct PooOptions {
  /// The algorithm of all instances. The paper uses HOO, whose steps cost O(nodes).
  Base base = Base::hoo;

  /// nu_max > 0 and rho_max in (0, 1): the largest nu1 and rho considered. Raising rho_max creates
  /// more instances, each of which gets fewer pulls.
  double nu_max = 1.0;
  double rho_max = 0.9;

  /// > 0: confidence_scale of the instances; unless set, the default of the base.
  std::optional<double> confidence_scale = std::nullopt;

  /// Seed of the instances' random choices.
  std::uint64_t seed = 1;
};

template <class Visit>
void visit_fields(PooOptions& options, Visit&& visit) {
  visit(Field{"base", "the algorithm that is run with several values of rho"}, options.base);
  visit(Field{"nu_max", "nu1 of all instances", kPositive}, options.nu_max);
  visit(Field{"rho_max", "the largest rho of an instance", kOpenUnit}, options.rho_max);
  visit(Field{"confidence_scale", "multiplies the confidence bounds", kPositive},
        options.confidence_scale);
  visit(Field{"seed", "seed of the algorithm's random choices", kAnyWhole}, options.seed);
}

/// (1/2) D_max ln(n / ln n), D_max = ln K / ln(1 / rho_max): the number of instances that n pulls
/// support, where a cell is cut into K parts. 0 for n < 2, where the formula is undefined.
[[nodiscard]] double instances_worthwhile(double n, double rho_max, std::uint32_t arity);

/// rho_max^(2N / (2i + 1)): the rho of the i-th of N instances, i = 1, ..., N.
[[nodiscard]] double instance_rho(double rho_max, std::uint64_t i, std::uint64_t count);

/// Parallel optimistic optimization (Grill, Valko, Munos, "Black-box optimization of noisy
/// functions with unknown smoothness", NIPS 2015). The rho that fits f is unknown, so HOO is run
/// with several values at once. With N instances and n pulls so far:
///
///     while N <= (1/2) D_max ln(n / ln n):                       D_max = ln K / ln(1 / rho_max)
///       for i = 1, ..., N:  start HOO(nu_max, rho_max^(2N / (2i + 1))), give it n / N pulls
///       n <- 2n,  N <- 2N
///     give every instance one pull;  n <- n + N
///
/// It begins with one instance, HOO(nu_max, rho_max). Whenever the condition is checked, all
/// instances have had the same number of pulls, n / N, which is therefore a whole number. It
/// recommends the arm that the instance with the best mean reward recommends.
///
/// Details not specified by the paper. For n = 0 and 1 the condition is undefined (ln 0, a division
/// by ln 1). It is then taken as false, so that the first instance gets two pulls before there are
/// more. The paper recommends one of the arms that the best instance has played, at random, as its
/// theorem assumes; here that instance's own recommendation is used. An appendix of the paper
/// describes sharing evaluations among instances: the authors' programs evaluate a cell once, and
/// give the same noisy reward to every HOO that reaches it. Here every pull is a pull of one
/// instance, as in the algorithm itself: a reward counted twice is no additional evidence. Observed
/// rewards go to every instance, but not to its mean. With several pulls in flight, an instance may
/// get more pulls than its turn has. It is then skipped until the others have caught up, and n / N
/// is the smallest number of pulls of an instance.
///
/// A step costs as much as a step of an instance; there are about D_max ln n instances.
class Poo final : public Composite {
 public:
  /// Throws ConfigurationError.
  explicit Poo(const Space& space, const PooOptions& options = {}, const Objective& objective = {},
               const PartitionRule& partition = {});
  explicit Poo(std::shared_ptr<const Partition> cells, const PooOptions& options = {},
               const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  struct Statistics {
    double pulls = 0.0;
    double sum = 0.0;

    void transfer(State& state) {
      state(pulls, sum);
      state.require_restored(State::are_counts({pulls}) && State::are_finite({sum}));
    }
  };

  [[nodiscard]] Selection child_at(std::size_t number) const override;
  [[nodiscard]] Choice choose() override;
  void hear(std::size_t child, bool asked, const Rewards& mapped) override;
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  void transfer(State& state) override;
  [[nodiscard]] double pulls_wanted() const;
  void next_instance();
  void next_round();
  [[nodiscard]] std::size_t leader() const;

  PooOptions options_;
  std::uint64_t count_ = 1;                  // N; while new instances start there are more
  std::uint64_t each_ = 0;                   // n / N
  bool starting_ = false;                    // new instances are catching up
  std::uint64_t player_ = 0;                 // the instance whose turn it is
  std::vector<Statistics> statistics_;       // rewards of each instance
  mutable std::vector<double> recommended_;  // arm that `recommendation` points to
};

}  // namespace canopy
