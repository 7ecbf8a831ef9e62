#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/random.hpp"
#include "canopy/study_specification.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace canopy::testing {

/// Study files of every algorithm, on spaces of every kind.
inline const std::vector<std::string>& all_kinds_of_studies() {
  static const std::string line = "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n";
  static const std::string mixed =
      "[[space]]\nname = \"x\"\nlow = 0.001\nhigh = 10.0\nscale = \"log\"\n[[space]]\nname = "
      "\"n\"\ntype = \"integer\"\nlow = -2\nhigh = 9\n[[space]]\nname = \"mode\"\ntype = "
      "\"choice\"\nchoices = [\"slow\", \"fast\"]\n";
  static const std::string down = "direction = \"minimize\"\nreward_range = [-1.0, 2.0]\n";
  static const std::vector<std::string> all{
      line,
      "[optimizer]\nname = \"hct\"\nfeedback = \"correlated\"\n" + mixed,
      down + "[optimizer]\nname = \"hct\"\nnu1 = 1\nrho = 0.7\nconfidence_scale = 0.05\n" + line,
      down + "[optimizer]\nname = \"thoo\"\n" + mixed,
      "[optimizer]\nname = \"thoo\"\nhorizon = 200\n" + line,
      "[optimizer]\nname = \"hoo\"\npartition = \"longest_side\"\n" + mixed,
      down + "[optimizer]\nname = \"power\"\nrollout_length = 3\n" + line,
      "[optimizer]\nname = \"grid\"\npoints = 3\n" + mixed,
      down + "[optimizer]\nname = \"random\"\n" + mixed,
      mixed +
          "[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 1.0\n[[context]]\nname = \"tenant\"\n"
          "type = \"choice\"\nchoices = [\"a\", \"b\", \"c\"]\n[[context]]\nname = \"hour\"\n"
          "source = \"clock.hour\"\n",
  };
  return all;
}

/// A random conversation: asks, rewards in every form, observations, drops, ends of turns. With
/// contexts, some numbers are outside their ranges.
class Traffic {
 public:
  explicit Traffic(std::uint64_t seed, bool observes = true)
      : random_({.seed = seed, .algorithm = "traffic"}), observes_(observes) {}

  void step(Optimizer& optimizer) {
    const std::vector<Pull> open = optimizer.in_flight();
    const double what = random_.uniform();
    if (open.empty() || what < 0.35) {
      const std::uint64_t pulls = random_.coin() ? UINT64_MAX : 1 + random_() % 4;
      last_arm_ = OwnedPull(optimizer.ask_in(context(optimizer), pulls)).arm;
      return;
    }
    const Pull& pull = open[random_() % open.size()];
    const double reward = random_.uniform();
    if (what < 0.40) {
      (void)optimizer.drop(pull.ticket);
    } else if (what < 0.60 && pull.length > 1) {
      const std::array rewards{reward, random_.uniform()};
      (void)optimizer.tell(pull.ticket, rewards);
    } else if (what < 0.70) {
      const std::uint64_t count = pull.length > 1 ? 2 : 1;
      const double sum = reward * static_cast<double>(count);
      (void)optimizer.tell(pull.ticket, Rewards::from_sums(count, sum, sum * reward * 1.01));
    } else if (what < 0.74 && observes_ && !last_arm_.empty()) {
      (void)optimizer.observe_in(context(optimizer), last_arm_, Rewards::one(reward));
    } else if (what < 0.75) {
      optimizer.finish();
    } else {
      (void)optimizer.tell(pull.ticket, reward);
    }
  }

  [[nodiscard]] RandomStream& random() { return random_; }

 private:
  std::vector<double> context(const Optimizer& optimizer) {
    std::vector<double> context;
    for (const ContextVariable& variable : optimizer.contexts().variables()) {
      const double beyond = variable.domain.is_ordered() && random_() % 16 == 0 ? 1.5 : 1.0;
      context.push_back(beyond * variable.domain.at(random_.uniform()));
    }
    return context;
  }

  RandomStream random_;
  bool observes_;
  std::vector<double> last_arm_;
};

}  // namespace canopy::testing
