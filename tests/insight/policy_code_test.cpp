#include "insight/policy_code.hpp"

#include "canopy/contextual.hpp"
#include "canopy/random.hpp"

#include "core/text.hpp"
#include "support/shell.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using testing::shell;

json json_of(const Domain& domain, double coordinate) {
  if (!domain.contains(coordinate)) return coordinate;
  return std::visit([](const auto& value) { return json(value); }, domain.value(coordinate));
}

class GeneratedPython : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shell("python3 --version 2>&1").status != 0) GTEST_SKIP() << "there is no python3";
  }

  /// Learns where the best arm depends on all variables.
  void learn(std::vector<ContextVariable> variables, std::uint64_t seed, int pulls = 700) {
    study_.contexts = ContextSpace(std::move(variables));
    optimizer_ = std::make_unique<Contextual>(study_.space, study_.contexts);
    RandomStream random({.seed = seed, .purpose = "policy code"});
    for (int i = 0; i < pulls; ++i) {
      const std::vector<double> context = any_context(random, 0.0);
      const Pull pull = optimizer_->ask_in(context);
      double best = 0.0;
      for (std::size_t k = 0; k < context.size(); ++k) {
        best += study_.contexts[k].domain.share(context[k]) > 0.45 ? 0.9 : 0.1;
      }
      best /= static_cast<double>(context.size());
      const double reward = 1.0 - std::pow(pull.arm[0] - best, 2.0) + 0.02 * random.normal();
      ASSERT_EQ(optimizer_->tell(pull.ticket, reward), Status::ok);
    }
  }

  /// Some are outside the ranges, and some at the borders of bins.
  [[nodiscard]] std::vector<double> any_context(RandomStream& random, double beyond = 0.2) const {
    std::vector<double> context;
    for (const auto& [name, domain, period] : study_.contexts.variables()) {
      const bool is_list = domain.count().has_value();
      double share = random.uniform();
      if (!is_list && random.uniform() < beyond) share = std::floor(64.0 * share) / 64.0;
      double value = domain.at(share);
      if (domain.is_ordered() && random.uniform() < beyond) {
        const auto [low, high] = domain.ends();
        value = low + (high - low) * (3.0 * random.uniform() - 1.0);
      }
      context.push_back(value);
    }
    return context;
  }

  [[nodiscard]] std::string code() const {
    return policy_python("a \"b\" \\ c", study_, *optimizer_->policy(),
                         optimizer_->summary().t - 1);
  }

  /// The result of the function for each list of arguments; a string is the message of an
  /// exception.
  [[nodiscard]] json call(const json& arguments) const {
    folder_.write("policy.py", code());
    folder_.write("arguments.json", arguments.dump());
    folder_.write(
        "call.py",
        "import json, policy\n"
        "def call(each):\n"
        "    try:\n"
        "        return policy.setting(*each)\n"
        "    except ValueError as error:\n"
        "        return str(error)\n"
        "print(json.dumps([call(each) for each in json.load(open('arguments.json'))]))\n");
    const auto [status, out] = shell("cd " + folder_.path("") + " && python3 call.py 2>&1");
    EXPECT_EQ(status, 0) << out << code();
    return status == 0 ? json::parse(out) : json::array();
  }

  void expect_as_best_in(std::uint64_t seed) const {
    RandomStream random({.seed = seed, .purpose = "contexts"});
    std::vector<std::vector<double>> contexts;
    json arguments = json::array();
    for (int i = 0; i < 2000; ++i) {
      contexts.push_back(any_context(random));
      json& each = arguments.emplace_back(json::array());
      for (std::size_t k = 0; k < study_.contexts.size(); ++k) {
        each.push_back(json_of(study_.contexts[k].domain, contexts.back()[k]));
      }
    }
    const json settings = call(arguments);
    ASSERT_EQ(settings.size(), contexts.size());
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      const std::vector<double> arm = optimizer_->best_in(contexts[i])->arm;
      ASSERT_EQ(settings[i], (json{{"x", arm[0]}, {"mode", arm[1] == 0.0 ? "slow" : "a \"b\""}}))
          << arguments[i] << "\n"
          << code();
    }
  }

  StudySpecification study_{
      .space = Space{{"x", Real{0.0, 1.0}}, {"mode", Choice{{"slow", "a \"b\""}}}}};
  std::unique_ptr<Contextual> optimizer_;
  testing::TemporaryFolder folder_;
};

TEST_F(GeneratedPython, SetsWhatCanopySetsInEveryKindOfContext) {
  const std::vector<ContextVariable> kinds{{"load", Real{0.0, 1.0}},
                                           {"size", Real{1.0, 1024.0, Scale::log}},
                                           {"hour", Real{0.0, 24.0}, 24.0},
                                           {"users", Integer{-5, 20}},
                                           {"step", Integer{10, 100, Scale::linear, 10}},
                                           {"tenant", Choice{{"a", "b", "ä \"c\""}}}};
  std::uint64_t seed = 1;
  for (const ContextVariable& kind : kinds) {
    SCOPED_TRACE(kind.name);
    learn({kind}, ++seed);
    EXPECT_GE(optimizer_->regions(), 2U);
    expect_as_best_in(seed);
  }
  learn({kinds[2], kinds[3], kinds[5]}, ++seed, 2000);
  EXPECT_GE(optimizer_->regions(), 3U);
  expect_as_best_in(seed);
  learn({kinds[1], kinds[0]}, ++seed, 2000);
  EXPECT_GE(optimizer_->regions(), 3U);
  expect_as_best_in(seed);
}

TEST_F(GeneratedPython, RefusesWhatCanopyRefuses) {
  learn({{"load", Real{0.0, 1.0}}, {"tenant", Choice{{"a", "b"}}}}, 7, 60);
  const json said = call(json::array({json::array({0.5, "a"}), json::array({0.5, "z"})}));
  EXPECT_TRUE(said[0].is_object());
  EXPECT_EQ(said[1], "tenant must be one of \"a\" \"b\"");
  folder_.write("nan.py",
                "import policy\nfor bad in (float('nan'), float('inf')):\n"
                "    try:\n        policy.setting(bad, 'a')\n"
                "    except ValueError as error:\n        print(error)\n");
  EXPECT_EQ(shell("cd " + folder_.path("") + " && python3 nan.py 2>&1").out,
            "load must be a finite number\nload must be a finite number\n");
}

TEST_F(GeneratedPython, HasNamesThatPythonTakes) {
  learn({{"request size", Real{0.0, 1.0}}, {"class", Integer{0, 3}}, {"2nd", Integer{0, 3}}}, 8,
        60);
  EXPECT_NE(code().find("def setting(request_size, class_, _2nd):"), std::string::npos) << code();
  EXPECT_TRUE(call(json::array({json::array({0.5, 1, 2})}))[0].is_object());
}

TEST_F(GeneratedPython, SetsNothingWhereNothingIsKnown) {
  learn({{"load", Real{0.0, 1.0}}}, 9, 0);
  EXPECT_TRUE(call(json::array({json::array({0.5})}))[0].is_null());
}

}  // namespace
}  // namespace canopy
