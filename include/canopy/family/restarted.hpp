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

/// What is started again.
enum class RestartedBase { adaptive, hct };

template <>
struct EnumNames<RestartedBase> {
  static constexpr std::array<std::string_view, 2> names{"adaptive", "hct"};
};

struct RestartedOptions {
  /// With its defaults.
  RestartedBase base = RestartedBase::adaptive;

  /// >= 1: pulls from one start to the next. Raising it forgets later.
  std::uint64_t every = 1000;
};

template <class Visit>
void visit_fields(RestartedOptions& options, Visit&& visit) {
  visit(Field{"base", "the algorithm that is started again"}, options.base);
  visit(Field{"every", "pulls from one start to the next", kAtLeastOne}, options.every);
}

/// An optimizer that forgets everything every so many pulls, and begins again: the simplest thing
/// to do in a system that changes. Where changes come at known times, restarts at these times are
/// what an oracle would do.
///
/// What was observed is forgotten, too; what is barred is not. Answers to pulls from before a
/// restart are not learnt. `best` rests on rewards since the last restart. Turns are cut short at a
/// restart.
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
  std::uint64_t started_ = 1;                // the pull at which the last start was
  mutable std::vector<double> recommended_;  // the arm that `recommendation` points at
};

}  // namespace canopy
