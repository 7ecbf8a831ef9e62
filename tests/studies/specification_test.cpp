#include "canopy/errors.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/study_specification.hpp"

#include "studies/stored_specification.hpp"
#include "support/temporary_folder.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

constexpr std::string_view kSpace = "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n";

/// The error message for an invalid study.
std::string refusal(const std::string& toml) {
  try {
    const StudySpecification study = parse_study(toml, "s.toml");
    return "accepted, dimension " + std::to_string(study.space.dimension());
  } catch (const SpecificationError& error) {
    return error.what();
  }
}

std::string with_space(const std::string& toml) {
  return toml + std::string(kSpace);
}

/// The value of an option of the optimizer; none unless it was specified.
OptionValue option(const StudySpecification& study, const std::string& name) {
  const OptionValue* value = study.optimizer.options.find(name);
  return value != nullptr ? *value : OptionValue{};
}

TEST(Specification, ReadsEveryKey) {
  const StudySpecification study = parse_study(R"(
format = 1
name = "mine"
direction = "minimize"
reward_range = [-1, 3.5]
[optimizer]
name = "hct"
revision = 1
feedback = "correlated"
mixing_time = 2
preset = "paper"
nu1 = 4.0
rho = 0.5
confidence_scale = 0.025
delta = 0.01
constants = "supplement"
partition = "longest_side"
[[space]]
name = "x"
type = "real"
low = 0.1
high = 1
scale = "log"
[[space]]
name = "n"
type = "integer"
low = -2
high = 9
[[space]]
name = "mode"
type = "choice"
choices = ["a", "b"]
)",
                                               "s.toml");
  EXPECT_EQ(study.name, "mine");
  EXPECT_EQ(study.objective.direction, Direction::minimize);
  EXPECT_EQ(study.objective.reward_range, (RewardRange{-1.0, 3.5}));
  EXPECT_EQ(study.optimizer.name, "hct");
  EXPECT_EQ(study.revision, 1U);
  EXPECT_EQ(option(study, "feedback"), OptionValue("correlated"));
  EXPECT_EQ(option(study, "mixing_time"), OptionValue(2.0));
  EXPECT_EQ(option(study, "preset"), OptionValue("paper"));
  EXPECT_EQ(option(study, "nu1"), OptionValue(4.0));
  EXPECT_EQ(option(study, "rho"), OptionValue(0.5));
  EXPECT_EQ(option(study, "confidence_scale"), OptionValue(0.025));
  EXPECT_EQ(option(study, "delta"), OptionValue(0.01));
  EXPECT_EQ(option(study, "constants"), OptionValue("supplement"));
  EXPECT_EQ(study.partition, SplitRule::longest_side);
  ASSERT_EQ(study.space.dimension(), 3U);
  EXPECT_EQ(study.space, (Space{{"x", Real{0.1, 1.0, Scale::log}},
                                {"n", Integer{-2, 9}},
                                {"mode", Choice{{"a", "b"}}}}));
}

TEST(Specification, ReadsIntegersOnALogScaleAndInSteps) {
  const std::string toml =
      "[[space]]\nname = \"n\"\ntype = \"integer\"\nlow = 1\nhigh = 65536\nscale = \"log\"\n"
      "[[space]]\nname = \"k\"\ntype = \"integer\"\nlow = 0\nhigh = 100\nstep = 5\n"
      "[[space]]\nname = \"j\"\ntype = \"integer\"\nlow = 0\nhigh = 9\nscale = \"linear\"\n"
      "step = 1\n";
  EXPECT_EQ(parse_study(toml, "s.toml").space, (Space{{"n", Integer{1, 65536, Scale::log}},
                                                      {"k", Integer{0, 100, Scale::linear, 5}},
                                                      {"j", Integer{0, 9}}}));
}

TEST(Specification, OfPlainIntegersIsWrittenAsItWasBeforeTheyHadScaleAndStep) {
  const std::string stored =
      R"({"format":1,"direction":"maximize","reward_range":[0.0,1.0],"optimizer":{"name":"random"},)"
      R"("space":[{"name":"n","type":"integer","low":0,"high":9}]})";
  const StudySpecification before = parse_stored_study(stored, "s");
  EXPECT_EQ(before.space, (Space{{"n", Integer{0, 9}}}));
  const std::string written = json_of(before);
  EXPECT_EQ(written.find("scale"), std::string::npos) << written;
  EXPECT_EQ(written.find("step"), std::string::npos) << written;
  StudySpecification now{.space = Space{{"n", Integer{0, 9, Scale::linear, 1}}}};
  now.optimizer.name = "random";
  now.objective.reward_range = {0.0, 1.0};
  EXPECT_EQ(learning_differences(before, now), "");
  EXPECT_EQ(json_of(now), written);
}

TEST(Specification, HasOnlyTheOptionsThatAreWritten) {
  const StudySpecification study = parse_study(kSpace, "s.toml");
  EXPECT_EQ(study.optimizer, Selection{});
  EXPECT_EQ(study.revision, 0U);
  EXPECT_EQ(study.partition, SplitRule::cyclic);
  EXPECT_EQ(study.objective, Objective{});
  EXPECT_FALSE(study.system.has_value());
  EXPECT_EQ(study.budget, Budget{});
}

TEST(Specification, ReadsTheOptionsOfEveryOptimizer) {
  const auto read = [](const std::string& lines) {
    return parse_study(with_space("[optimizer]\n" + lines), "s.toml");
  };
  const StudySpecification thoo =
      read("name = \"thoo\"\nhorizon = 5e3\nnu1 = 2\nseed = 9\npartition = \"cyclic\"\n");
  EXPECT_EQ(option(thoo, "horizon"), OptionValue(std::uint64_t{5000}));
  EXPECT_EQ(option(thoo, "nu1"), OptionValue(2.0));
  EXPECT_EQ(option(thoo, "seed"), OptionValue(std::uint64_t{9}));
  EXPECT_EQ(option(read("name = \"thoo\"\nhorizon = \"doubling\"\n"), "horizon"), OptionValue{});
  const StudySpecification power =
      read("name = \"power\"\nsigma = 0.2\nwindow = 4\nrollout_length = 7\n");
  EXPECT_EQ(option(power, "sigma"), OptionValue(0.2));
  EXPECT_EQ(option(power, "window"), OptionValue(std::uint64_t{4}));
  EXPECT_EQ(option(power, "rollout_length"), OptionValue(std::uint64_t{7}));
  EXPECT_EQ(option(read("name = \"hoo\"\nrho = 0.3\n"), "rho"), OptionValue(0.3));
  EXPECT_EQ(option(read("name = \"grid\"\npoints = 5\n"), "points"), OptionValue(std::uint64_t{5}));
  EXPECT_EQ(read("name = \"random\"\n").optimizer.name, "random");
}

TEST(Specification, RefusesOptionsOfAnotherOptimizerAndWrongOnesOfItsOwn) {
  const auto refused = [](const std::string& lines) {
    return refusal(with_space("[optimizer]\n" + lines));
  };
  EXPECT_EQ(refused("name = \"grid\"\nfeedback = \"iid\"\n"),
            "s.toml:3: optimizer.feedback = 'iid': unknown key; known: name revision points "
            "confidence_scale recent discount context_parts");
  EXPECT_EQ(refused("name = \"random\"\npartition = \"cyclic\"\n"),
            "s.toml:3: optimizer.partition = 'cyclic': unknown key; known: name revision seed");
  EXPECT_EQ(refused("name = \"thoo\"\nhorizon = \"dubling\"\n"),
            "s.toml:3: optimizer.horizon = 'dubling': must be a whole number from 1 to "
            "9007199254740992 or \"doubling\"");
  EXPECT_EQ(refused("name = \"thoo\"\nhorizon = 0\n"),
            "s.toml:3: optimizer.horizon = 0: must be a whole number from 1 to 9007199254740992 or "
            "\"doubling\"");
  EXPECT_EQ(refused("name = \"power\"\nwindow = -3\n"),
            "s.toml:3: optimizer.window = -3: must be a whole number from 1 to 1000000");
  EXPECT_EQ(refused("name = \"power\"\nwindow = 2.5\n"),
            "s.toml:3: optimizer.window = 2.5: must be a whole number from 1 to 1000000");
  EXPECT_EQ(refused("rho = 0.5\nsettle = 3\nsettel = 4\n"),
            "s.toml:2: optimizer.rho = 0.5: is an option of hct; add name = \"hct\", since the "
            "default is adaptive; s.toml:4: optimizer.settel = 4: unknown key, did you mean "
            "\"settle\"?");
  EXPECT_EQ(refused("name = \"tho\"\n"),
            "s.toml:2: optimizer.name = 'tho': unknown optimizer, did you mean \"thoo\"?");
}

TEST(Specification, TakesOneWayOfWaitingForTheSystem) {
  const std::string system = "[system]\nmeasure = \"m {x}\"\nwarmup_pulls = 2\n";
  EXPECT_EQ(refusal(with_space("[optimizer]\nsettle = 3\n" + system)),
            "s.toml:5: system.warmup_pulls = 2: cannot be combined with optimizer.settle; leave "
            "one of them out");
  EXPECT_NO_THROW((void)parse_study(with_space("[optimizer]\nsettle = 0\n" + system), "s.toml"));
}

TEST(Specification, NamesLineKeyValueAndExpectation) {
  EXPECT_EQ(refusal(with_space("[optimizer]\nname = \"hct\"\nrho = 1.5\n")),
            "s.toml:3: optimizer.rho = 1.5: must be in (0, 1)");
  EXPECT_EQ(refusal(with_space("direction = \"up\"\n")),
            R"(s.toml:1: direction = 'up': must be "maximize" or "minimize")");
  EXPECT_EQ(refusal(with_space("[optimizer]\nname = \"hct\"\nnu1 = \"one\"\n")),
            "s.toml:3: optimizer.nu1 = 'one': must be a number from 1e-50 to 1e50");
  EXPECT_EQ(refusal(with_space("[optimizer]\nname = \"hcd\"\n")),
            R"(s.toml:2: optimizer.name = 'hcd': unknown optimizer, did you mean "hct"?)");
  EXPECT_EQ(refusal(with_space("reward_range = [1.0, 1.0]\n")),
            "s.toml:1: reward_range = [1, 1]: the first number must be below the second");
  EXPECT_EQ(refusal(with_space("reward_range = [1.0]\n")),
            R"(s.toml:1: reward_range = [ 1.0 ]: must be "auto" or a list of two numbers)");
}

TEST(Specification, CapsTheLossOnlyBesideABaselineThatIsMeasured) {
  const std::string baseline = "[baseline]\nsetting = { x = 0.5 }\n";
  const auto refused = [](const std::string& more, const std::string& top = "") {
    return refusal(top + with_space("") + more);
  };
  EXPECT_TRUE(refused(baseline + "[budget]\nmax_loss = 0.02\n").starts_with("accepted"));
  const auto says = [&](const std::string& text, const std::string& more,
                        const std::string& top = "") {
    EXPECT_NE(refused(more, top).find(text), std::string::npos) << refused(more, top);
  };
  says("requires a [baseline]", "[budget]\nmax_loss = 0.02\n");
  says("baseline.every must not be 0", baseline + "every = 0\n[budget]\nmax_loss = 0.02\n");
  says("requires worst_loss when minimizing", baseline + "[budget]\nmax_loss = 0.02\n",
       "direction = \"minimize\"\n");
  says("requires worst_loss_per_pull", baseline + "[budget]\nmax_loss_per_pull = 0.1\n");
  says("requires max_loss", baseline + "[budget]\nworst_loss = 0.5\n");
  says("leave one of them out", baseline +
                                    "[budget]\nmax_loss = 0.02\nmax_loss_per_pull = 1\n"
                                    "worst_loss_per_pull = 5\n");
  says("above 0 and at most 1", baseline + "[budget]\nmax_loss = 2\n");
}

TEST(Specification, ReadsLimits) {
  const std::string study = with_space("") + "[system]\nmeasure = \"m {x}\"\n";
  const auto limits = parse_study(study +
                                      "[[limit]]\nmetric = \"p99_ms\"\nmax = 50\n[[limit]]\nmetric "
                                      "= \"hits\"\nmin = 0.5\nfactor = 3\n",
                                  "s.toml")
                          .objective.limits;
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_EQ(limits[0], (Limit{.metric = "p99_ms", .max = 50.0}));
  EXPECT_EQ(limits[1], (Limit{.metric = "hits", .min = 0.5, .factor = 3.0}));
  const auto complaint = [&](const std::string& limit) {
    return refusal(study + "[[limit]]\n" + limit);
  };
  EXPECT_NE(complaint("max = 1\n").find("limit[0].metric: is required"), std::string::npos);
  EXPECT_NE(complaint("metric = \"a\"\n").find("limit[0].max: is required, unless min is given"),
            std::string::npos);
  EXPECT_NE(complaint("metric = \"a\"\nmin = 2\nmax = 1\n")
                .find("limit[0].min = 2: must not be above max"),
            std::string::npos);
  EXPECT_NE(
      complaint("metric = \"a\"\nmax = 1\nfactor = 0.5\n").find("must be a number of at least 1"),
      std::string::npos);
  EXPECT_NE(
      complaint("metric = \"reward\"\nmax = 1\n").find("use system.floor to limit the reward"),
      std::string::npos);
  EXPECT_NE(refusal(study + "[budget]\nconfirm_pulls = 10\n").find("requires a [baseline]"),
            std::string::npos);
}

TEST(Specification, SuggestsTheNearestKnownKey) {
  EXPECT_EQ(refusal(with_space("[optimizer]\nname = \"hct\"\nmixingtime = 1\n")),
            R"(s.toml:3: optimizer.mixingtime = 1: unknown key, did you mean "mixing_time"?)");
  EXPECT_NE(refusal(with_space("rewardrange = [0, 1]\n")).find("did you mean \"reward_range\"?"),
            std::string::npos);
}

TEST(Specification, RefusesWrongSpaces) {
  const std::string x = "[[space]]\nname = \"x\"\n";
  EXPECT_EQ(refusal(""), "s.toml: space: must be one or more [[space]] tables");
  EXPECT_EQ(refusal(x + "low = 1.0\nhigh = 1.0\n"),
            "s.toml:3: space.x.low = 1: must be below high = 1");
  EXPECT_EQ(refusal(x + "low = 2\nhigh = 1\n"),
            "s.toml:3: space.x.low = 2: must be below high = 1");
  EXPECT_EQ(refusal(x + "low = 0.0\nhigh = 1.0\nscale = \"log\"\n"),
            "s.toml:3: space.x.low = 0: must be above 0 on a log scale");
  EXPECT_EQ(refusal(x + "low = 0.0\n"), "s.toml:1: space.x.high: is missing");
  EXPECT_EQ(refusal(x + "type = \"integer\"\nlow = 0.5\nhigh = 3\n"),
            "s.toml:4: space.x.low = 0.5: must be a whole number");
  EXPECT_EQ(refusal(x + "type = \"integer\"\nlow = 0\nhigh = 9\nscale = \"log\"\n"),
            "s.toml:4: space.x.low = 0: must be at least 1 on a log scale");
  EXPECT_EQ(refusal(x + "type = \"integer\"\nlow = 1\nhigh = 9\nscale = \"log\"\nstep = 2\n"),
            "s.toml:7: space.x.step = 2: must be 1 on a log scale");
  EXPECT_EQ(refusal(x + "type = \"integer\"\nlow = 1\nhigh = 9\nstep = 0\n"),
            "s.toml:6: space.x.step = 0: must be at least 1");
  EXPECT_EQ(refusal(x + "type = \"integer\"\nlow = 1\nhigh = 9\nstep = 0.5\n"),
            "s.toml:6: space.x.step = 0.5: must be a whole number");
  EXPECT_EQ(refusal(x + "low = 0\nhigh = 1\nstep = 1\n"),
            "s.toml:5: space.x.step = 1: unknown key; known: name type low high scale");
  EXPECT_EQ(refusal(x + "type = \"int\"\n"),
            R"(s.toml:3: space.x.type = 'int': must be "real", "integer" or "choice")");
  EXPECT_EQ(refusal(x + "type = \"choice\"\nchoices = [1, 2]\n"),
            "s.toml:4: space.x.choices = [ 1, 2 ]: must be a list of strings (quote numbers) "
            "without zero bytes");
  EXPECT_EQ(refusal(x + "type = \"choice\"\nchoices = []\n"),
            "s.toml:4: space.x.choices = []: must have at least one value");
  EXPECT_EQ(refusal("[[space]]\nlow = 0\nhigh = 1\n"), "s.toml:1: space[0].name: is missing");
  EXPECT_EQ(refusal("space = 3\n"), "s.toml:1: space = 3: must be one or more [[space]] tables");
}

TEST(Specification, ListsSeveralMistakesOnOneLine) {
  const std::string message =
      refusal(with_space("[optimizer]\nname = \"hct\"\nrho = 2\ndelta = 0\n"));
  EXPECT_NE(message.find("optimizer.rho = 2"), std::string::npos);
  EXPECT_NE(message.find("optimizer.delta = 0"), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Specification, TellsLineAndColumnOfASyntaxError) {
  EXPECT_EQ(refusal("a = \n").substr(0, 29), "s.toml:1:5: not valid TOML: E");
}

TEST(Specification, ReadsFilesOfBothKindsAndRefusesThoseThatCannotBeRead) {
  const testing::TemporaryFolder folder;
  folder.write("s.toml", std::string(kSpace));
  folder.write("s.json", R"({"space": [{"name": "x", "low": 0, "high": 1}]})");
  EXPECT_EQ(load_study(folder.path("s.toml")), load_study(folder.path("s.json")));
  EXPECT_THROW((void)load_study("no/such/file.toml"), SpecificationError);
  EXPECT_THROW((void)load_study("/"), SpecificationError);
}

TEST(Specification, OfANewerFormatIsRefused) {
  EXPECT_EQ(refusal(with_space("format = 4\nfrom_the_future = true\n")),
            "s.toml: was written by a newer version of canopy (format 4, this one reads 3)");
  EXPECT_NE(refusal(with_space("format = 0\n")).find("must be at most 3"), std::string::npos);
  EXPECT_NE(refusal(with_space("format = \"1\"\n")).find("must be at most 3"), std::string::npos);
}

TEST(Specification, MakesTheOptimizerItDescribes) {
  const StudySpecification study = parse_study(kSpace, "s.toml");
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(study);
  EXPECT_EQ(optimizer->ask().arm[0], 0.0625) << "an eighth of the line is a cell of the start";
}

// --- round trips --------------------------------------------------------------------------------

/// A valid value of a field, or none to omit it.
OptionValue random_value(const OptionField& field) {
  if (*rc::gen::inRange(0, 3) == 0) return {};
  if (field.kind == OptionField::Kind::word) return *rc::gen::elementOf(field.words);
  for (;;) {
    const double number = *rc::gen::element(1e-6, 0.1, 1.0 / 3.0, 0.5, 0.999, 1.0, 7.0, 1e5);
    if (!field.range.contains(number)) continue;
    if (field.kind == OptionField::Kind::real) return number;
    if (number >= 1.0) return static_cast<std::uint64_t>(number);
  }
}

Parameter random_parameter(std::size_t index) {
  const std::string name =
      *rc::gen::element<std::string>("x", "a b", "\"q\"", "ä", "n.m", "'") + std::to_string(index);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return {name, Real{*rc::gen::element(0.1, 1e-300, 1.0 / 3.0), *rc::gen::element(1.0, 1e22),
                         *rc::gen::element(Scale::linear, Scale::log)}};
    case 1:
      if (*rc::gen::arbitrary<bool>()) {
        return {name, Integer{*rc::gen::inRange<std::int64_t>(1, 100),
                              *rc::gen::inRange<std::int64_t>(100, 1000), Scale::log}};
      }
      return {name, Integer{*rc::gen::inRange<std::int64_t>(-100, 0),
                            *rc::gen::inRange<std::int64_t>(100, 1000), Scale::linear,
                            *rc::gen::inRange<std::int64_t>(1, 100)}};
    case 2:
      return {name, Integer{*rc::gen::inRange<std::int64_t>(-9'007'199'254'740'992, 0),
                            *rc::gen::inRange<std::int64_t>(1, 9'007'199'254'740'992)}};
    default:
      return {name, Choice{{"fast", *rc::gen::element<std::string>("", "a\nb", "\\\"", "1")}}};
  }
}

SystemSpecification random_system() {
  SystemSpecification system;
  system.shell = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    system.process = "./serve.sh";
  } else {
    system.measure = *rc::gen::element<std::string>("./measure.sh", "m '{{}}' \"x\"");
    system.apply = "set it";
  }
  system.options.timeout_seconds = *rc::gen::element(0.001, 30.0, 1e6);
  system.options.on_failure = *rc::gen::element(OnFailure::retry, OnFailure::skip, OnFailure::stop);
  system.options.on_exit =
      *rc::gen::element(OnExit::best, OnExit::baseline, OnExit::leave, OnExit::confirmed);
  if (*rc::gen::arbitrary<bool>()) system.options.floor = *rc::gen::element(-1.5, 0.0, 1e-9);
  if (*rc::gen::arbitrary<bool>()) system.options.max_changes_per_hour = 7;
  if (*rc::gen::arbitrary<bool>()) system.options.failure_reward = *rc::gen::element(-1.5, 0.0);
  system.options.outage_seconds = *rc::gen::element(0.0, 600.0);
  system.options.max_failures = *rc::gen::inRange<std::uint64_t>(1, 51);
  system.keep_background = *rc::gen::arbitrary<bool>();
  system.reads_arm = *rc::gen::arbitrary<bool>();
  return system;
}

/// A random valid specification.
StudySpecification random_specification() {
  std::vector<Parameter> parameters;
  const auto dimension = *rc::gen::inRange<std::size_t>(1, 4);
  for (std::size_t i = 0; i < dimension; ++i) parameters.push_back(random_parameter(i));
  StudySpecification study{.space = Space(parameters)};
  study.name = *rc::gen::element<std::string>("", "mine", "with \"quotes\"");
  const OptimizerEntry& entry = optimizers().at(
      *rc::gen::element<std::string>("adaptive", "hct", "thoo", "hoo", "power", "grid", "random"));
  study.optimizer.name = entry.name;
  for (const OptionField& field : entry.fields) {
    OptionValue value = random_value(field);
    if (value != OptionValue{}) study.optimizer.options.set(field.name, std::move(value));
  }
  study.revision = *rc::gen::element<std::uint32_t>(0, 1, UINT32_MAX);
  if (entry.has_tree) {
    study.partition = *rc::gen::element(SplitRule::cyclic, SplitRule::longest_side);
  }
  study.objective.direction = *rc::gen::element(Direction::maximize, Direction::minimize);
  study.objective.reward_range = {*rc::gen::element(-1e9, 0.0, 1.0 / 3.0),
                                  *rc::gen::element(0.5, 3e8)};
  if (*rc::gen::arbitrary<bool>()) {
    study.system = random_system();
    std::vector<double> arm(study.space.dimension());
    study.space.from_unit_cube(std::vector<double>(study.space.dimension(), 0.3), arm);
    study.baseline = {.setting = arm, .every = *rc::gen::element<std::uint64_t>(0, 10, 1000)};
    if (settle_of(study.optimizer) == 0) {
      study.system->options.warmup_pulls = *rc::gen::inRange<std::uint64_t>(0, 5);
    }
  }
  if (*rc::gen::arbitrary<bool>()) {
    study.objective.limits = {
        {.metric = "p99_ms", .max = *rc::gen::element(0.0, 0.1, 50.0)},
        {.metric = "hits", .min = -1.0, .max = 2.5, .factor = 1.5},
    };
  }
  if (study.baseline && study.baseline->every != 0) {
    study.budget.max_loss = 0.02;
    study.budget.worst_loss = *rc::gen::element(0.5, 9.0);
  }
  if (*rc::gen::arbitrary<bool>()) study.budget.pulls = 9'007'199'254'740'992;
  if (*rc::gen::arbitrary<bool>()) study.budget.seconds = *rc::gen::element(0.1, 1e9);
  return study;
}

RC_GTEST_PROP(Specification, ReadsBackFromTomlAndJson, ()) {
  const StudySpecification study = random_specification();
  const std::string toml = toml_of(study);
  RC_LOG() << toml << "\n";
  RC_ASSERT(parse_study(toml, "s.toml") == study);
  RC_ASSERT(parse_study_json(json_of(study), "s.json") == study);
  RC_ASSERT(parse_stored_study(json_of(study), "s") == study);
}

RC_GTEST_PROP(Specification, ResolvedHasEveryOptionAndStaysAsItIs, ()) {
  const StudySpecification study = random_specification();
  const StudySpecification once = resolved(study);
  RC_ASSERT(resolved(once) == once);
  RC_ASSERT(once.revision != 0U);
  RC_ASSERT(parse_study_json(json_of(once), "s.json") == once);
  RC_ASSERT(parse_study(toml_of(once), "s.toml") == once);
  for (const OptionField& field : optimizers().at(study.optimizer.name).fields) {
    RC_ASSERT(once.optimizer.options.find(field.name) != nullptr);
  }
  RC_ASSERT(learning_differences(study, once).empty());
}

TEST(Specification, OfAnUnknownOptimizerCanBeReadFromAStore) {
  const std::string text =
      R"({"format":1,"optimizer":{"name":"mine","revision":3,"partition":"cyclic","speed":2.5,)"
      R"("steps":7,"mode":"fast"},"space":[{"name":"x","low":0,"high":1}]})";
  EXPECT_THROW((void)parse_study_json(text, "s.json"), SpecificationError);
  const StudySpecification study = parse_stored_study(text, "s");
  EXPECT_EQ(study.optimizer.name, "mine");
  EXPECT_EQ(option(study, "speed"), OptionValue(2.5));
  EXPECT_EQ(option(study, "steps"), OptionValue(std::uint64_t{7}));
  EXPECT_EQ(option(study, "mode"), OptionValue("fast"));
  EXPECT_EQ(study.revision, 3U);
  EXPECT_EQ(study.space.dimension(), 1U);
  EXPECT_THROW((void)make_optimizer(study), ConfigurationError);
}

TEST(Specification, TellsWhatDiffersThatLearningDependsOn) {
  const StudySpecification before =
      parse_study(with_space("[optimizer]\nname = \"hct\"\n"), "s.toml");
  EXPECT_EQ(learning_differences(before, before), "");
  StudySpecification after = before;
  after.name = "another";
  after.budget.pulls = 7;
  after.system.emplace().measure = "m";
  EXPECT_EQ(learning_differences(before, after), "") << "learning does not depend on these";
  after.objective.direction = Direction::minimize;
  EXPECT_EQ(learning_differences(before, after), "direction was 'maximize' and is 'minimize'");
  after = before;
  after.optimizer.options.set("rho", 0.7);
  after.optimizer.options.set("nu1", 4.0);  // the default
  EXPECT_EQ(learning_differences(before, after), "optimizer.rho was 0.5 and is 0.7");
  after = before;
  after.revision = 9;
  EXPECT_EQ(learning_differences(before, after), "optimizer.revision was 2 and is 9");
  after = before;
  after.objective = {.reward_range = {{2.0, 5.0}}, .confidence = 0.9};
  EXPECT_EQ(learning_differences(before, after), "") << "an event tells of another range";
  after = before;
  after.space = Space{{"x", Real{}}, {"y", Integer{0, 3}}};
  EXPECT_NE(learning_differences(before, after)
                .find("space.y was absent and is parameter 2, a whole number from 0 to 3"),
            std::string::npos);
  after.space = Space{{"x", Real{}}, {"y", Integer{1, 9, Scale::log}}};
  EXPECT_NE(learning_differences(before, after).find("a whole number from 1 to 9 on a log scale"),
            std::string::npos);
  const StudySpecification on_a_log_scale = after;
  after.space = Space{{"x", Real{}}, {"y", Integer{1, 9, Scale::linear, 4}}};
  EXPECT_EQ(
      learning_differences(on_a_log_scale, after),
      "space.y was parameter 2, a whole number from 1 to 9 on a log scale and is parameter 2, "
      "a whole number from 1 to 9 in steps of 4");
  after.optimizer = {"random", {}};
  EXPECT_NE(learning_differences(before, after).find("optimizer.rho was 0.5 and is absent"),
            std::string::npos);
}

TEST(StudySpecification, AHardRangeIsKeptAndNeedsARange) {
  const std::string space = "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n";
  const StudySpecification hard =
      parse_study("reward_range = [0.0, 1.0]\nhard_range = true\n" + space, "study.toml");
  EXPECT_TRUE(hard.objective.hard_range);
  EXPECT_TRUE(parse_study_json(json_of(hard), "json").objective.hard_range);
  const StudySpecification soft = parse_study("reward_range = [0.0, 1.0]\n" + space, "study.toml");
  EXPECT_FALSE(soft.objective.hard_range);
  EXPECT_EQ(json_of(soft).find("hard_range"), std::string::npos);
  EXPECT_EQ(learning_differences(soft, hard), "hard_range was false and is true");
  try {
    (void)parse_study("hard_range = true\n" + space, "study.toml");
    FAIL();
  } catch (const SpecificationError& error) {
    EXPECT_NE(std::string(error.what()).find("hard_range = true: requires reward_range"),
              std::string::npos)
        << error.what();
  }
  const auto optimizer = make_optimizer(hard);
  EXPECT_THROW(optimizer->set_reward_range(std::nullopt), ConfigurationError);
}

TEST(StudySpecification, BesideABaselineASystemSettlesStrictly) {
  const auto study = [](const std::string& rule) {
    return parse_study(
        "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[optimizer]\nname = "
        "\"adaptive\"\nsettle = 3\n" +
            rule + "[baseline]\nsetting = { x = 0.3 }\n",
        "study.toml");
  };
  EXPECT_EQ(make_optimizer(study(""))->ask(1).length, 7U) << "three are passed over, four count";
  EXPECT_EQ(make_optimizer(study("settle_rule = \"strict\"\n"))->ask(1).length, 7U);
  EXPECT_THROW((void)make_optimizer(study("settle_rule = \"by_distance\"\n")), ConfigurationError);
}

}  // namespace
}  // namespace canopy
