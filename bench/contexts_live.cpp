// Checks claims about a live system with contexts: how often a policy is called better than a
// baseline although the knob has no effect, and how often limits are kept.
//
//   contexts_live [claims | limits] [PULLS [RUNS]]

#include "canopy/contextual.hpp"
#include "canopy/contextual_with_baseline.hpp"
#include "canopy/disturbed.hpp"

#include "suite.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace canopy;
using namespace canopy::bench;

Space line() {
  return {{"x", Real{0.0, 1.0}}};
}

ContextSpace load() {
  return ContextSpace({{"load", Real{0.0, 1.0}}});
}

/// A function of a load, which is uniform, and of one knob.
class Loaded final : public KnownEnvironment {
 public:
  using Value = std::function<double(double load, double x)>;

  explicit Loaded(Value value) : value_(std::move(value)) {}

  [[nodiscard]] const Space& space() const override { return space_; }
  [[nodiscard]] const ContextSpace& contexts() const override { return contexts_; }
  [[nodiscard]] std::vector<double> context_at(std::uint64_t /*t*/) const override {
    return {load_};
  }
  [[nodiscard]] double mean_reward_at(Arm arm, std::uint64_t /*t*/) const override {
    return value_(load_, arm[0]);
  }
  [[nodiscard]] Optimum optimum_at(std::uint64_t /*t*/) const override {
    Optimum best{{0.0}, value_(load_, 0.0)};
    for (int i = 0; i <= 100; ++i) {
      const double x = 0.01 * i;
      if (value_(load_, x) > best.value) best = {{x}, value_(load_, x)};
    }
    return best;
  }
  void start(RandomStream& random) override { load_ = random.uniform(); }
  double pull(Arm arm, RandomStream& random) override {
    const double reward = value_(load_, arm[0]);
    load_ = random.uniform();
    return reward;
  }

 private:
  Space space_ = line();
  ContextSpace contexts_ = load();
  Value value_;
  double load_ = 0.5;
};

// --- claims ----------------------------------------------------------------------------------

/// Whether a policy was called better than the baseline at any look, and the fraction of pulls
/// spent on comparing.
struct Claimed {
  double better = 0.0;
  double pairs = 0.0;
};

Claimed claims_of(const Loaded::Value& value, Disturbance kind, std::uint64_t pulls,
                  std::uint64_t runs) {
  Claimed claimed;
  for (std::uint64_t run = 0; run < runs; ++run) {
    Disturbed system(std::make_unique<Loaded>(value), kind, 0.3);
    RandomStream random({.environment = name_of(kind), .purpose = "claims", .run = run});
    system.start(random);
    ContextualWithBaseline optimizer(std::make_unique<Contextual>(line(), load()), line(), {},
                                     {0.2}, {.first = 75, .seed = run + 1});
    bool is_better = false;
    for (std::uint64_t t = 1; t <= pulls; ++t) {
      const Pull pull = optimizer.ask_in(system.context_at(t));
      const std::vector<double> arm(pull.arm.begin(), pull.arm.end());
      (void)optimizer.tell(pull.ticket, system.pull(arm, random));
      if (t % 10 == 0) is_better = is_better || !optimizer.proven().empty();
    }
    if (is_better) claimed.better += 1.0 / static_cast<double>(runs);
    const auto uplift = optimizer.uplift();
    if (uplift) claimed.pairs += static_cast<double>(uplift->pairs) / static_cast<double>(runs);
  }
  return claimed;
}

/// For a knob without effect, and for one with an effect.
void print_claims(std::uint64_t pulls, std::uint64_t runs) {
  const Loaded::Value flat = [](double z, double) { return 0.3 + 0.4 * z; };
  const Loaded::Value shifting = [](double z, double x) {
    return 0.9 - 0.8 * std::pow(x - 0.3 - 0.6 * z, 2);
  };
  constexpr std::size_t kKinds = EnumNames<Disturbance>::names.size();
  std::array<std::array<Claimed, 2>, kKinds> claimed{};
  on_all_cores(2 * kKinds, [&](std::size_t i) {
    claimed.at(i / 2).at(i % 2) =
        claims_of(i % 2 == 0 ? flat : shifting, static_cast<Disturbance>(i / 2), pulls, runs);
  });
  fmt::print(
      "| noise, {} pulls, {} runs | called better without any effect, % | called better where it "
      "is, % |\n|---|---|---|\n",
      pulls, runs);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    fmt::print("| {} | {:.1f} | {:.1f} |\n", name_of(static_cast<Disturbance>(kind)),
               100.0 * claimed.at(kind)[0].better, 100.0 * claimed.at(kind)[1].better);
  }
}

// --- limits ----------------------------------------------------------------------------------

/// A reward, and a metric that must be at most 60.
struct Limited {
  std::string_view name;
  Loaded::Value reward;
  Loaded::Value metric;
};

const std::vector<Limited>& limited_systems() {
  static const Loaded::Value hill = [](double, double x) {
    return 0.8 - 1.2 * std::pow(x - 0.9, 2);
  };
  static const Loaded::Value moving = [](double z, double x) {
    return 0.8 - 1.2 * std::pow(x - 0.3 - 0.6 * z, 2);
  };
  static const std::vector<Limited> systems{
      {"the load adds to the metric", hill, [](double z, double x) { return 70.0 * x + 40.0 * z; }},
      {"the load turns the metric around", moving,
       [](double z, double x) { return 100.0 * (z < 0.5 ? x : 1.0 - x); }},
      {"the load multiplies the metric", hill,
       [](double z, double x) { return 90.0 * x * (0.5 + z); }},
      {"the load does nothing to the metric", moving, [](double, double x) { return 100.0 * x; }},
      {"nothing is measured near the limit", moving, [](double, double x) { return 30.0 * x; }},
  };
  return systems;
}

struct Kept {
  double excess = 0.0;       // over the limit, mean over all pulls
  double beyond = 0.0;       // fraction of pulls whose mean is beyond the limit
  double regret = 0.0;       // per pull that keeps the limit, against the best such arm
  double best_beyond = 0.0;  // fraction of contexts whose final best arm breaks it
  double row_beyond = 0.0;   // the same for the rows of the policy
  double regions = 0.0;
};

constexpr double kLimit = 60.0;

double best_within(const Limited& system, double z) {
  double best = -1e9;
  for (int i = 0; i <= 200; ++i) {
    const double x = 0.005 * i;
    if (system.metric(z, x) <= kLimit) best = std::max(best, system.reward(z, x));
  }
  return best;
}

Kept limits_of(const Limited& system, bool sees_context, std::uint64_t pulls, std::uint64_t runs) {
  Kept kept;
  Objective objective;
  objective.limits = {{.metric = "p99", .max = kLimit}};
  const double share = 1.0 / static_cast<double>(pulls * runs);
  for (std::uint64_t run = 0; run < runs; ++run) {
    std::unique_ptr<Optimizer> optimizer;
    if (sees_context) {
      optimizer = std::make_unique<Contextual>(line(), load(), AdaptiveOptions{}, objective);
    } else {
      optimizer =
          std::make_unique<Adaptive>(line(), AdaptiveOptions{.drift = Drift::none}, objective);
    }
    RandomStream random({.environment = system.name, .run = run});
    for (std::uint64_t t = 0; t < pulls; ++t) {
      const std::vector<double> context{random.uniform()};
      const double z = context[0];
      const Pull pull = optimizer->ask_in(context, 1);
      const std::vector<double> arm(pull.arm.begin(), pull.arm.end());
      const double metric = system.metric(z, arm[0]);
      if (metric > kLimit) kept.beyond += share;
      kept.excess += share * std::max(0.0, metric - kLimit);
      kept.regret += share * std::max(0.0, best_within(system, z) - system.reward(z, arm[0]));
      (void)optimizer->measure(pull.ticket, arm, {{"p99", metric + 8.0 * random.normal()}});
      (void)optimizer->tell(pull.ticket, system.reward(z, arm[0]) + 0.1 * random.normal());
    }
    constexpr int kContexts = 100;
    const auto policy = optimizer->policy();
    if (policy)
      kept.regions += static_cast<double>(policy->rows.size()) / static_cast<double>(runs);
    for (int i = 0; i < kContexts; ++i) {
      const double z = (i + 0.5) / kContexts;
      const double of_all = 1.0 / static_cast<double>(kContexts * runs);
      const auto best = optimizer->best_in(std::vector{z});
      if (best && system.metric(z, best->arm[0]) > kLimit) kept.best_beyond += of_all;
      if (!policy) continue;
      for (const PolicyRow& row : policy->rows) {
        const bool is_here =
            row.where[0].is_everything || (z >= row.where[0].ends[0] && z < row.where[0].ends[1]);
        if (!is_here || row.arm.empty() || row.breaks_limits) continue;
        if (system.metric(z, row.arm[0]) > kLimit) kept.row_beyond += of_all;
      }
    }
  }
  return kept;
}

void print_limits(std::uint64_t pulls, std::uint64_t runs) {
  const std::vector<Limited>& systems = limited_systems();
  std::vector<std::array<Kept, 2>> kept(systems.size());
  on_all_cores(2 * systems.size(), [&](std::size_t i) {
    kept[i / 2].at(i % 2) = limits_of(systems[i / 2], i % 2 == 0, pulls, runs);
  });
  fmt::print(
      "| {} pulls, {} runs: with the context (without) | beyond the limit, mean of all pulls | "
      "best "
      "setting beyond it, % of contexts | the same of policies | regret within it | regions "
      "|\n|---|---|---|---|---|---|\n",
      pulls, runs);
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const auto& [with, without] = kept[i];
    fmt::print("| {} | {:.1f} ({:.1f}) | {:.1f} ({:.1f}) | {:.1f} | {:.4f} ({:.4f}) | {:.1f} |\n",
               systems[i].name, with.excess, without.excess, 100.0 * with.best_beyond,
               100.0 * without.best_beyond, 100.0 * with.row_beyond, with.regret, without.regret,
               with.regions);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view which = count > 1 ? arguments[1] : "";
  const auto number = [&](int at, std::uint64_t otherwise) {
    return count > at ? std::strtoull(arguments[at], nullptr, 10) : otherwise;
  };
  if (which.empty() || which == "claims") print_claims(number(2, 300), number(3, 600));
  if (which.empty()) fmt::print("\n");
  if (which.empty() || which == "limits") print_limits(number(2, 1'000), number(3, 40));
  return EXIT_SUCCESS;
}
