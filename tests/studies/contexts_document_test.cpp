#include "studies/contexts_document.hpp"

#include "canopy/errors.hpp"
#include "canopy/study_specification.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

const std::string kOfTtl = "[[space]]\nname = \"ttl\"\nlow = 1.0\nhigh = 60.0\n";

StudySpecification study_in(const std::string& contexts) {
  return parse_study(kOfTtl + contexts, "s.toml");
}

std::string refused_in(const std::string& contexts) {
  try {
    return "accepted with " + std::to_string(study_in(contexts).contexts.size());
  } catch (const SpecificationError& error) {
    return error.what();
  }
}

const std::string kLoadTable = "[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 1.0\n";

TEST(ContextsDocument, AVariableIsWrittenAsAParameterIs) {
  const StudySpecification study = study_in(
      "[[context]]\nname = \"size\"\nlow = 1.0\nhigh = 1e6\nscale = \"log\"\n"
      "[[context]]\nname = \"workers\"\ntype = \"integer\"\nlow = 1\nhigh = 64\n"
      "source = \"cat /proc/workers\"\n"
      "[[context]]\nname = \"tenant\"\ntype = \"choice\"\nchoices = [\"a\", \"b\"]\n");
  EXPECT_EQ(study.contexts, ContextSpace({{"size", Real{1.0, 1e6, Scale::log}},
                                          {"workers", Integer{1, 64}},
                                          {"tenant", Choice{{"a", "b"}}}}));
  EXPECT_EQ(study.context_sources, (std::vector<ContextSource>{{}, {"cat /proc/workers", ""}, {}}));
}

TEST(ContextsDocument, APeriodIsARealFromZeroWithoutBeingSaidSo) {
  const ContextSpace angle({{"angle", Real{0.0, 360.0}, 360.0}});
  EXPECT_EQ(study_in("[[context]]\nname = \"angle\"\nperiod = 360\n").contexts, angle);
  EXPECT_EQ(study_in("[[context]]\nname = \"angle\"\ntype = \"real\"\nlow = 0.0\nhigh = 360.0\n"
                     "period = 360.0\n")
                .contexts,
            angle);
}

TEST(ContextsDocument, ClocksAreKnown) {
  const StudySpecification study = study_in(
      "[[context]]\nname = \"hour\"\nsource = \"clock.hour\"\ntime_zone = \"Europe/Berlin\"\n"
      "[[context]]\nname = \"day\"\nsource = \"clock.weekday\"\n");
  EXPECT_EQ(study.contexts,
            ContextSpace({{"hour", Real{0.0, 24.0}, 24.0}, {"day", Integer{0, 6}}}));
  EXPECT_EQ(study.context_sources,
            (std::vector<ContextSource>{{"clock.hour", "Europe/Berlin"}, {"clock.weekday", ""}}));
  EXPECT_EQ(study_in("[[context]]\nname = \"hour\"\nsource = \"clock.hour\"\nperiod = 24\n"
                     "type = \"real\"\nlow = 0\n")
                .contexts.size(),
            1U);
}

TEST(ContextsDocument, ReadsBackFromTomlAndJson) {
  for (const std::string& contexts :
       {kLoadTable, kLoadTable + "source = \"uptime --load\"\n",
        std::string("[[context]]\nname = \"hour\"\nsource = \"clock.hour\"\n"
                    "[[context]]\nname = \"day\"\nsource = \"clock.weekday\"\n"
                    "[[context]]\nname = \"angle\"\nperiod = 360\n"),
        std::string("[[context]]\nname = \"n\"\ntype = \"integer\"\nlow = 1\nhigh = 99\n"
                    "scale = \"log\"\n")}) {
    const StudySpecification study = study_in(contexts);
    EXPECT_EQ(parse_study(toml_of(study), "t"), study) << toml_of(study);
    EXPECT_EQ(parse_study_json(json_of(study), "j"), study) << json_of(study);
    EXPECT_EQ(parse_study_json(json_of(resolved(study)), "j"), resolved(study));
  }
}

TEST(ContextsDocument, IsNotWrittenWhereThereIsNone) {
  EXPECT_EQ(json_of(study_in("")).find("context"), std::string::npos);
}

TEST(ContextsDocument, SaysWhatIsWrongWithAVariable) {
  EXPECT_EQ(refused_in("[context]\nname = \"load\"\n"),
            "s.toml:5: context = {...}: must be one or more [[context]] tables");
  EXPECT_EQ(refused_in("[[context]]\nname = \"load\"\nlow = 0.0\n"),
            "s.toml:5: context.load.high: is missing");
  EXPECT_EQ(refused_in("[[context]]\nname = \"load\"\nlow = 2.0\nhigh = 1.0\n"),
            "s.toml:7: context.load.low = 2: must be below high = 1");
  EXPECT_EQ(refused_in("[[context]]\nname = \"ttl\"\nlow = 0.0\nhigh = 1.0\n"),
            "s.toml:6: context.ttl.name = 'ttl': is the name of a parameter in [[space]]");
  EXPECT_EQ(refused_in(kLoadTable + "perod = 3\n"),
            "s.toml:9: context.load.perod = 3: unknown key, did you mean \"period\"?");
  EXPECT_EQ(refused_in("[[context]]\nname = \"hour\"\nperiod = 0\n"),
            "s.toml:7: context.hour.period = 0: must be above 0");
  EXPECT_EQ(refused_in("[[context]]\nname = \"hour\"\nperiod = 24\nlow = 1.0\n"),
            "s.toml:7: context.hour.period = a number from 1 to 24: a periodic variable is a real "
            "from 0 to its period");
  const std::string four = kLoadTable + "[[context]]\nname = \"b\"\nperiod = 1\n" +
                           "[[context]]\nname = \"c\"\nperiod = 1\n" +
                           "[[context]]\nname = \"d\"\nperiod = 1\n";
  EXPECT_NE(refused_in(four).find("at most three"), std::string::npos) << refused_in(four);
}

TEST(ContextsDocument, SaysWhatIsWrongWithASource) {
  EXPECT_EQ(refused_in(kLoadTable + "source = \"\"\n"),
            "s.toml:9: context.load.source = '': must not be empty; leave it out if clients give "
            "the context");
  EXPECT_EQ(refused_in(kLoadTable + "source = \"clock.minute\"\n"),
            "s.toml:9: context.load.source = 'clock.minute': unknown clock: expected "
            "\"clock.hour\" or \"clock.weekday\"");
  EXPECT_EQ(refused_in(kLoadTable + "source = \"load {ttl}\"\n"),
            "s.toml:9: context.load.source = 'load {ttl}': cannot have {placeholders}: it is run "
            "before a setting is chosen");
  EXPECT_EQ(refused_in(kLoadTable + "time_zone = \"UTC\"\n"),
            "s.toml:9: context.load.time_zone = 'UTC': can only be given with source = "
            "\"clock.hour\" or \"clock.weekday\"");
  EXPECT_EQ(refused_in(kLoadTable + "source = \"clock.hour\"\n"),
            "s.toml:8: context.load.high = 1.0: must be left out or agree with the source: "
            "clock.hour is a real with period = "
            "24");
}

TEST(ContextsDocument, RefusesWhatContextsCannotBeCombinedWithYet) {
  const std::string tail = ": cannot be combined with [[context]] yet; leave it out";
  EXPECT_EQ(refused_in(kLoadTable + "[optimizer]\nsettle = 3\n"),
            "s.toml:10: optimizer.settle = 3" + tail);
  EXPECT_EQ(refused_in(kLoadTable + "[optimizer]\ndrift = \"auto\"\n"),
            "s.toml:10: optimizer.drift = auto" + tail);
  EXPECT_EQ(refused_in(kLoadTable + "[optimizer]\ndrift = \"none\"\nsettle = 0\n"),
            "accepted with 1");
  EXPECT_EQ(refused_in(kLoadTable + "[optimizer]\nname = \"hct\"\n"),
            "s.toml:10: optimizer.name = hct: does not support [[context]]; the default, adaptive, "
            "does");
  const std::string system = kLoadTable + "[system]\nmeasure = \"m {ttl}\"\n";
  for (const std::string option :
       {"warmup_pulls = 2", "min_pulls_per_change = 2", "max_changes_per_hour = 60"}) {
    EXPECT_EQ(refused_in(system + option + "\n"), "s.toml:11: system." + option + tail);
  }
  EXPECT_EQ(refused_in(system + "min_pulls_per_change = 1\n"), "accepted with 1");
  EXPECT_EQ(refused_in(system + "[baseline]\nsetting = { ttl = 30.0 }\nevery = 0\n"),
            "accepted with 1");
  for (const std::string allowed :
       {"[baseline]\nsetting = { ttl = 30.0 }\n", "[[limit]]\nmetric = \"p99\"\nmax = 60\n"}) {
    EXPECT_EQ(refused_in(system + allowed), "accepted with 1");
    EXPECT_EQ(refused_in(kLoadTable + allowed), "accepted with 1");
  }
  EXPECT_NE(refused_in(kLoadTable + "[budget]\nmax_loss = 0.02\n").find("budget.max_loss" + tail),
            std::string::npos);
}

TEST(ContextsDocument, AStudyThatIsNotReadFromAFileIsRefusedTheSame) {
  StudySpecification study = study_in(kLoadTable);
  EXPECT_EQ(make_optimizer(study)->contexts(), study.contexts);
  study.budget.max_loss = 0.02;
  EXPECT_THROW((void)make_optimizer(study), ConfigurationError);
  study.budget.max_loss.reset();
  study.optimizer.name = "random";
  EXPECT_THROW((void)make_optimizer(study), ConfigurationError);
}

TEST(ContextsDocument, LearningDependsOnThem) {
  const StudySpecification without = study_in("");
  const StudySpecification load = study_in(kLoadTable);
  EXPECT_EQ(learning_differences(load, load), "");
  EXPECT_EQ(learning_differences(without, load),
            "optimizer.drift was 'auto' and is 'none'; context.load was absent and is variable 1, "
            "a number from 0 to 1");
  EXPECT_EQ(learning_differences(study_in("[[context]]\nname = \"h\"\nperiod = 24\n"),
                                 study_in("[[context]]\nname = \"h\"\nlow = 0\nhigh = 24\n")),
            "context.h was variable 1, a number from 0 to 24 with period 24 and is variable 1, a "
            "number from 0 to 24");
}

TEST(ContextsDocument, AnotherSourceIsAnotherCommand) {
  const std::string system = "[system]\nmeasure = \"m {ttl}\"\n";
  const StudySpecification given = study_in(kLoadTable + system);
  const StudySpecification printed = study_in(kLoadTable + "source = \"load\"\n" + system);
  EXPECT_EQ(learning_differences(given, printed), "");
  EXPECT_EQ(command_differences(given, printed), "context.load.source was absent and is \"load\"");
}

}  // namespace
}  // namespace canopy
