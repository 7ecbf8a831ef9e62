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

/// The algorithm that is restarted.
enum class RestartedBase { adaptive, hct };

template <>
struct EnumNames<RestartedBase> {
  static constexpr std::array<std::string_view, 2> names{"adaptive", "hct"};
};

struct RestartedOptions {
  /// The algorithm, with its default options.
  RestartedBase base = RestartedBase::adaptive;

  /// >= 1: pulls between two starts. Raising it forgets later.
  std::uint64_t every = 1000;
};

template <class Visit>
void visit_fields(RestartedOptions& options, Visit&& visit) {
  visit(Field{"base", "the algorithm that is restarted"}, options.base);
  visit(Field{"every", "pulls between two starts", kAtLeastOne}, options.every);
}

/// An optimizer that is restarted from scratch at regular intervals: the simplest approach to a
/// system that changes. If changes come at known times, restarting at these times is an oracle
/// baseline.
///
/// A restart also forgets observed rewards, but not bars. Rewards for pulls from before a restart
/// are not learnt. `best` uses rewards since the last restart. A restart ends the current turn.
class Restarted final : public Composite {
 public:
  /// Throws ConfigurationError.
  explicit Restarted(const Space& space, const RestartedOptions& options = {},
                     const Objective& objective = {}, const PartitionRule& partition = {});
  explicit Restarted(std::shared_ptr<const Partition> cells, const RestartedOptions& options = {},
                     const Objective& objective = {});

  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override;

 private:
  [[nodiscard]] Selection child_at(std::size_t number) const override;
  [[nodiscard]] Choice choose() override;
  void hear(std::size_t /*child*/, bool /*asked*/, const Rewards& /*mapped*/) override {}
  [[nodiscard]] std::optional<Recommendation> recommendation() const override;
  void transfer(State& state) override;

  RestartedOptions options_;
  std::uint64_t started_ = 1;                // pull of the last start
  mutable std::vector<double> recommended_;  // arm that `recommendation` points to
};

}  // namespace canopy
