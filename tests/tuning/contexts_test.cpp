#include "tuning/contexts.hpp"

#include "canopy/policy.hpp"

#include "files/json.hpp"
#include "journal/replay.hpp"
#include "studies/load.hpp"
#include "support/temporary_folder.hpp"
#include "tuning/claims.hpp"
#include "tuning/policy_file.hpp"
#include "tuning/tuner_fixture.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace canopy {
namespace {

using nlohmann::json;
using Seen = testing::ScriptedSystem::Observed;

const std::string kTheMiddle = "\n[baseline]\nsetting = { x = 0.5 }\nevery = 0";
constexpr const char* kLoad = "[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 1.0\n";

/// The best x is 0.2 for loads below 0.5, and 0.8 above.
double reward_in(double load, double x) {
  const double best = load < 0.5 ? 0.2 : 0.8;
  return 1.0 - (x - best) * (x - best);
}

class TunerInContexts : public TunerTest {
 protected:
  TunerInContexts() {
    system_.on_observe = [this] { return Seen(std::vector{load_at(count<Asked>(store_))}); };
    system_.on_measure = [this](double x) { return Reading{reward_in(system_.context.at(0), x)}; };
  }

  /// The load after a number of asks, equal in every run.
  static double load_at(std::uint64_t asks) {
    const double place = 0.618033988749895 * static_cast<double>(asks + 1);
    return place - std::floor(place);
  }

  template <class OfKind>
  [[nodiscard]] static std::uint64_t count(Store& store) {
    std::uint64_t count = 0;
    store.read(find_study(store, "a").id, {}, [&](const JournalEntry& entry) {
      if (std::holds_alternative<OfKind>(entry.event)) ++count;
    });
    return count;
  }

  [[nodiscard]] static StudySpecification in_contexts(const std::string& system = "",
                                                      const std::string& budget = "pulls = 20") {
    return file_of(system, budget, kLoad);
  }

  /// The state of an optimizer that replays the whole journal.
  [[nodiscard]] static std::string replayed(Store& store) {
    const StudyRecord record = find_study(store, "a");
    const StudySpecification specification = specification_of(record);
    const auto optimizer = make_optimizer(specification, seed_of(record, specification));
    store.read(record.id, {}, [&](const JournalEntry& entry) {
      replay_tuner_event(*optimizer, entry.event);
      (void)replay_event(*optimizer, entry.event);
    });
    return optimizer->save();
  }

  /// The state of the study's optimizer.
  [[nodiscard]] static std::string known(Store& store) {
    return load_all(store, find_study(store, "a"), specification_of(find_study(store, "a")),
                    tuner_fold)
        .optimizer->save();
  }

  [[nodiscard]] std::vector<std::string> failures() {
    std::vector<std::string> texts;
    for (const Event& event : events<Failed>()) texts.push_back(std::get<Failed>(event).what);
    return texts;
  }
};

TEST_F(TunerInContexts, EveryAskIsInTheContextThatWasObservedBefore) {
  (void)tune(in_contexts());
  const std::vector<Event> asked = events<Asked>();
  ASSERT_EQ(asked.size(), 20U);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(std::get<Asked>(asked[i]).context, std::vector{load_at(i)}) << i;
    EXPECT_EQ(system_.contexts.at(i), std::vector{load_at(i)}) << i;
  }
  EXPECT_EQ(system_.measurements, 20U);
}

TEST_F(TunerInContexts, FindsTheSettingForEachContext) {
  (void)tune(in_contexts("", "pulls = 200"));
  const Study study = Study::reopen(store_, tuned());
  EXPECT_GE(study.policy()->rows.size(), 2U);
  EXPECT_NEAR(study.best_in(std::vector{0.1})->arm[0], 0.2, 0.1);
  EXPECT_NEAR(study.best_in(std::vector{0.9})->arm[0], 0.8, 0.1);
}

TEST_F(TunerInContexts, AContextThatCannotBeObservedForAWhileIsWaitedFor) {
  const auto observe = system_.on_observe;
  bool was_without = false;
  system_.on_observe = [&]() -> Seen {
    if (now() > 20.0 && now() < 60.0) return SystemFailure{"context.load: ended with status 1"};
    return observe();
  };
  const TuneEnd end = tune(in_contexts(), [&](const TuneProgress& progress) {
    if (progress.phase == Phase::no_context) was_without = true;
  });
  EXPECT_EQ(end.text, "the budget of 20 pulls is used");
  EXPECT_EQ(pulls(), 20U);
  EXPECT_TRUE(was_without);
  EXPECT_GE(failures().size(), 3U);
  EXPECT_EQ(failures().front(), "context.load: ended with status 1");
  EXPECT_TRUE(events<Penalized>().empty()) << "no arm is to blame";
  EXPECT_EQ(events<Asked>().size(), 20U);
}

TEST_F(TunerInContexts, AContextThatCannotBeObservedAnyMoreEndsTheTuning) {
  const auto observe = system_.on_observe;
  system_.on_observe = [&]() -> Seen {
    if (now() > 20.0) return SystemFailure{"context.load: ended with status 1"};
    return observe();
  };
  const TuneEnd end = tune(in_contexts("outage_seconds = 100"));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_EQ(end.text, "the context cannot be observed: context.load: ended with status 1");
  EXPECT_GE(now(), 100.0);
  EXPECT_EQ(end.left_at, "the last setting that worked");
  const std::uint64_t before = pulls();
  system_.on_observe = observe;
  EXPECT_EQ(tune(in_contexts("outage_seconds = 100")).why, TuneEnd::Why::budget);
  EXPECT_GT(before, 2U);
  EXPECT_EQ(pulls(), 20U) << "nothing is lost";
}

TEST_F(TunerInContexts, AContextThatCannotBeObservedStopsAStudyThatSaysSo) {
  system_.on_observe = [] { return Seen(SystemFailure{"context.load: has gone"}); };
  const TuneEnd end = tune(in_contexts("on_failure = \"stop\""));
  EXPECT_EQ(end.text, "the context cannot be observed: context.load: has gone");
  EXPECT_EQ(failures().size(), 1U);
  EXPECT_TRUE(system_.applied.empty());
}

TEST_F(TunerInContexts, AKillChangesNothingAsLongAsTheContextStays) {
  const auto measure = system_.on_measure;
  const StudySpecification file = in_contexts("max_crashes = 0", "pulls = 60");
  MemoryStore calm(std::make_shared<MemoryStudies>());
  system_.on_observe = [&] { return Seen(std::vector{load_at(count<Told>(calm))}); };
  (void)tune(calm, file);
  const auto observe = [&] { return Seen(std::vector{load_at(count<Told>(store_))}); };
  const std::string undisturbed = Study::reopen(calm, tuned()).save();

  int until_kill = 3;
  const auto perhaps_die = [&] {
    if (--until_kill == 0) throw Killed();
  };
  system_.on_observe = [&] {
    perhaps_die();
    return observe();
  };
  system_.on_apply = [&](double) -> std::optional<SystemFailure> {
    perhaps_die();
    return std::nullopt;
  };
  system_.on_measure = [&](double x) {
    perhaps_die();
    return measure(x);
  };
  int kills = 0;
  for (bool is_done = false; !is_done; ++kills) {
    system_.context.clear();  // a new process
    try {
      is_done = tune(file).why == TuneEnd::Why::budget;
    } catch (const std::exception&) {
      until_kill = 2 + kills % 7;
    }
  }
  EXPECT_GE(kills, 20);
  EXPECT_EQ(Study::reopen(store_, tuned()).save(), undisturbed);
  const std::vector<Event> asked = events<Asked>();
  ASSERT_EQ(asked.size(), 60U);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(std::get<Asked>(asked[i]).context, std::vector{load_at(i)}) << i;
  }
}

TEST_F(TunerInContexts, APullThatWasLeftOpenIsGivenBackOnceItsContextHasPassed) {
  const auto measure = system_.on_measure;
  system_.on_measure = [&](double x) {
    if (count<Asked>(store_) == 10) throw Killed();
    return measure(x);
  };
  EXPECT_THROW((void)tune(in_contexts()), std::exception);
  system_.on_measure = measure;
  (void)tune(in_contexts());
  EXPECT_EQ(events<Dropped>().size(), 1U);
  EXPECT_EQ(events<Asked>().size(), 21U);
  EXPECT_EQ(events<Told>().size(), 20U);
}

TEST_F(TunerInContexts, TheSettingIsGivenAgainWhereTheContextIsAPartOfIt) {
  system_.sets_by_context = true;
  (void)tune(in_contexts("on_exit = \"leave\""));
  EXPECT_EQ(system_.applied.size(), 20U) << "every load is another one";
}

TEST_F(TunerInContexts, TheBestSettingForTheLastContextIsLeftAndItSaysSo) {
  const TuneEnd end = tune(in_contexts("", "pulls = 200"));
  const double last = load_at(199);
  EXPECT_NEAR(system_.applied.back(), last < 0.5 ? 0.2 : 0.8, 0.1);
  EXPECT_EQ(json::parse(end.setting)["x"], system_.applied.back());
  const Study study = Study::reopen(store_, tuned());
  EXPECT_EQ(end.left_at, "the best setting in the last context, " +
                             context_text(study.contexts(), std::vector{last}) +
                             "; other contexts may have another");
}

TEST_F(TunerInContexts, ThePolicyIsComparedWithTheBaselineWhereTheyDiffer) {
  StudySpecification file = in_contexts("", "pulls = 200\nconfirm_pulls = 100" + kTheMiddle);
  system_.on_observe = [this] { return Seen(std::vector{random_.uniform()}); };
  file.space = Space{{"x", Integer{0, 10}}};
  file.baseline = Baseline{.setting = {2.0}, .every = 0};
  system_.on_measure = [this](double x) {
    return Reading{reward_in(system_.context.at(0), 0.1 * x) + 0.05 * random_.normal()};
  };
  const TuneEnd end = tune(file);
  EXPECT_NE(end.verdict.find("better than the baseline after "), std::string::npos) << end.verdict;
  EXPECT_NE(end.verdict.find(" of both, in contexts where they differ: "), std::string::npos);
  const std::vector<Event> begun = events<ComparisonBegun>();
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_TRUE(std::get<ComparisonBegun>(begun[0]).arm.empty()) << "it is no arm";
  auto study = std::make_unique<Study>(Study::reopen(store_, tuned()));
  ASSERT_EQ(study->best_in(std::vector{0.1})->arm, std::vector{2.0});
  int of_baseline = 0;
  const std::vector<Event> compared = events<Compared>();
  ASSERT_GE(compared.size(), 16U);
  for (const Event& event : compared) {
    const auto& [is_baseline, reward, context, effect] = std::get<Compared>(event);
    ASSERT_EQ(context.size(), 1U);
    EXPECT_NE(study->best_in(context)->arm, file.baseline->setting) << context[0];
    if (is_baseline) ++of_baseline;
  }
  EXPECT_EQ(2 * of_baseline, static_cast<int>(compared.size()));
  const std::vector<double> last = std::get<Compared>(compared.back()).context;
  EXPECT_NE(end.left_at.find("by a policy that is confirmed"), std::string::npos) << end.left_at;
  EXPECT_EQ(json::parse(end.setting)["x"], study->best_in(last)->arm[0]);
  study.reset();
  (void)tune(file);
  EXPECT_EQ(events<ComparisonBegun>().size(), 1U) << "nothing was learnt since";
}

TEST_F(TunerInContexts, ThePolicyIsComparedWithTheBaselineWhileTheSearchGoesOn) {
  StudySpecification file = in_contexts("", "pulls = 600\n[baseline]\nsetting = { x = 0.5 }\n");
  system_.on_observe = [this] { return Seen(std::vector{random_.uniform()}); };
  system_.on_measure = [this](double x) {
    return Reading{reward_in(system_.context.at(0), x) + 0.05 * random_.normal()};
  };
  const TuneEnd end = tune(file);
  Study study = Study::reopen(store_, tuned());
  const auto uplift = strongest_uplift(study, study.specification(), tuner_state_of(study));
  ASSERT_TRUE(uplift);
  EXPECT_EQ(uplift->verdict, Uplift::Verdict::better);
  EXPECT_TRUE(uplift->arm.empty());
  EXPECT_NE(end.left_at.find("by a policy that is better than the baseline at 95 %, after "),
            std::string::npos)
      << end.left_at;
  const std::vector<double> last = tuner_state_of(study).last_context();
  EXPECT_EQ(json::parse(end.setting)["x"], study.proven_in(last).value()[0]);
  // The journal alone is sufficient to restore the state.
  EXPECT_EQ(replayed(store_), known(store_));
}

TEST_F(TunerInContexts, LimitsAreKeptInEveryContext) {
  StudySpecification file = in_contexts("", "pulls = 400\nconfirm_pulls = 60" + kTheMiddle +
                                                "\n[[limit]]\nmetric = \"p99\"\nmax = 80.0\n");
  system_.on_observe = [this] { return Seen(std::vector{random_.uniform()}); };
  system_.on_measure = [this](double x) {
    const double load = system_.context.at(0);
    return Reading{x + 0.02 * random_.normal(), {{"p99", 100.0 * x + 40.0 * load}}};
  };
  const TuneEnd end = tune(file);
  EXPECT_NE(end.verdict.find("better than the baseline"), std::string::npos) << end.verdict;
  const Study study = Study::reopen(store_, tuned());
  for (const double load : {0.1, 0.5, 0.9}) {
    const auto best = study.best_in(std::vector{load});
    ASSERT_TRUE(best);
    EXPECT_LE(100.0 * best->arm[0] + 40.0 * load, 84.0);
    EXPECT_GE(100.0 * best->arm[0] + 40.0 * load, 60.0);
  }
  const auto rows = study.policy()->rows;
  for (const PolicyRow& row : rows) {
    ASSERT_EQ(row.limits.size(), 1U);
    EXPECT_FALSE(row.breaks_limits);
  }
  EXPECT_EQ(replayed(store_), known(store_));
}

TEST_F(TunerInContexts, APolicyThatIsTheBaselineEverywhereNeedsNoComparison) {
  StudySpecification file = in_contexts("", "pulls = 100\nconfirm_pulls = 40" + kTheMiddle);
  file.space = Space{{"x", Integer{0, 4}}};
  file.baseline = Baseline{.setting = {2.0}, .every = 0};
  system_.on_measure = [](double x) { return Reading{-std::abs(x - 2.0)}; };
  EXPECT_EQ(tune(file).verdict,
            "there is nothing to confirm: the policy is the baseline in every context");
  EXPECT_TRUE(events<Compared>().empty());
}

TEST_F(TunerInContexts, AComparisonEndsWhereContextsInWhichThePolicyDiffersNoLongerCome) {
  StudySpecification file = in_contexts("", "pulls = 200\nconfirm_pulls = 40" + kTheMiddle);
  file.space = Space{{"x", Integer{0, 10}}};
  file.baseline = Baseline{.setting = {2.0}, .every = 0};
  system_.on_measure = [this](double x) {
    return Reading{reward_in(system_.context.at(0), 0.1 * x) + 0.05 * random_.normal()};
  };
  system_.on_observe = [this] {
    return Seen(std::vector{count<Told>(store_) == 200 ? 0.1 : random_.uniform()});
  };
  EXPECT_EQ(tune(file).verdict,
            "not compared: in the last 40 contexts the policy was the baseline");
}

TEST_F(TunerInContexts, APolicyThatIsNoBetterIsRarelyConfirmed) {
  int confirmed = 0;
  constexpr int kRuns = 60;
  for (int run = 0; run < kRuns; ++run) {
    MemoryStore store(std::make_shared<MemoryStudies>());
    StudySpecification file = in_contexts("", "pulls = 60\nconfirm_pulls = 60" + kTheMiddle);
    system_.on_observe = [&] { return Seen(std::vector{random_.uniform()}); };
    // The level depends on the context and on the time.
    system_.on_measure = [&](double /*x*/) {
      return Reading{3.0 * system_.context.at(0) + std::sin(0.1 * now()) + 0.3 * random_.normal()};
    };
    (void)tune(store, file);
    const Study study = Study::reopen(store, tuned());
    const auto& verdict = tuner_state_of(study).verdict();
    if (verdict && verdict->confirmed) ++confirmed;
  }
  EXPECT_LE(confirmed, 7) << "of " << kRuns
                          << ", where 5 % may be; 8 are less likely than 1 in 100";
}

TEST_F(TunerInContexts, NothingIsLeftWhereNothingWasObserved) {
  stop_ = true;
  EXPECT_EQ(tune(in_contexts()).why, TuneEnd::Why::interrupted);
  EXPECT_TRUE(system_.applied.empty());
}

TEST_F(TunerInContexts, AFailingSettingIsPenalizedInItsContext) {
  system_.on_measure = [this](double x) -> Measured {
    if (x > 0.7 && system_.context.at(0) > 0.5) return measure_fails();
    return Reading{reward_in(system_.context.at(0), x)};
  };
  const TuneEnd end = tune(in_contexts("on_failure = \"skip\"", "pulls = 100"));
  EXPECT_EQ(end.why, TuneEnd::Why::budget) << end.text;
  EXPECT_GE(events<Penalized>().size(), 1U);
  EXPECT_LE(now(), 1000.0) << "the system was never taken to be down";
}

TEST_F(TunerInContexts, ASystemAtWhichNothingWorksAnyMoreIsDown) {
  system_.on_measure = [this](double x) -> Measured {
    if (now() > 20.0) return measure_fails();
    return Reading{reward_in(system_.context.at(0), x)};
  };
  const TuneEnd end = tune(in_contexts("on_failure = \"skip\"\noutage_seconds = 50"));
  EXPECT_EQ(end.text,
            "the system has been down for 50 s: all settings that worked before fail: "
            "measure: ended with status 1");
}

// --- the policy file ----------------------------------------------------------------------------

class TunerWithPolicyFile : public TunerInContexts {
 protected:
  [[nodiscard]] std::string setting() const {
    return "policy_file = \"" + folder_.path("policy.json") + "\"";
  }
  [[nodiscard]] json content() const {
    return json::parse(folder_.content("policy.json"), nullptr, false);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(TunerWithPolicyFile, ItHasThePolicyAtTheEnd) {
  const TuneEnd end = tune(in_contexts(setting(), "pulls = 200"));
  EXPECT_EQ(end.policy_file, folder_.path("policy.json"));
  const json policy = content();
  EXPECT_EQ(policy["study"], "a");
  EXPECT_EQ(policy["pulls"], 200);
  EXPECT_GE(policy["rows"].size(), 2U);
  EXPECT_NEAR(policy["rows"][0]["arm"]["x"].get<double>(), 0.2, 0.1);
  const Study study = Study::reopen(store_, tuned());
  EXPECT_EQ(policy["rows"], json::parse(json_text(policy_snapshot(study)))["rows"]);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("policy.json.part")));
}

TEST_F(TunerWithPolicyFile, ItIsWrittenNowAndThenWhileTheTunerRuns) {
  std::vector<std::uint64_t> written;
  (void)tune(in_contexts(setting(), "pulls = 100"), [&](const TuneProgress& /*progress*/) {
    const json policy = content();
    if (!policy.is_object()) return;
    const std::uint64_t pulls = policy["pulls"];
    if (written.empty() || written.back() != pulls) written.push_back(pulls);
  });
  EXPECT_GE(written.size(), 10U) << "in about 200 seconds";
  EXPECT_LE(written.size(), 21U);
}

TEST_F(TunerWithPolicyFile, ItIsLeftAloneAsLongAsThereIsNothingToSay) {
  folder_.write("policy.json", "{\"old\": 1}");
  stop_ = true;
  EXPECT_EQ(tune(in_contexts(setting())).policy_file, "");
  EXPECT_EQ(content(), (json{{"old", 1}}));
}

TEST_F(TunerWithPolicyFile, OneThatCannotBeWrittenIsSaidSoAndNothingIsLost) {
  const std::string path = folder_.path("missing/policy.json");
  const TuneEnd end = tune(in_contexts("policy_file = \"" + path + "\""));
  EXPECT_EQ(end.why, TuneEnd::Why::failure);
  EXPECT_EQ(end.text, "the budget of 20 pulls is used; " + path +
                          ": cannot be written: No such file or directory");
  EXPECT_EQ(pulls(), 20U);
  EXPECT_FALSE(failures().empty());
}

// --- warnings about contexts --------------------------------------------------------------------

std::vector<std::string> texts_of(const std::vector<Warning>& warnings) {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) {
    texts.push_back((warning.is_error ? "error: " : "warning: ") + warning.text);
  }
  return texts;
}

std::vector<std::string> faults(const std::string& context, const std::string& system = "") {
  return texts_of(warnings_about_sources(
      parse_study(context +
                      "[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n[system]\nmeasure = "
                      "\"echo 1\"\n" +
                      system,
                  "study.toml")));
}

TEST(WarningsAboutSources, NameWhatCannotWork) {
  const std::string hour = "[[context]]\nname = \"hour\"\nsource = \"clock.hour\"\n";
  const std::string load = "[[context]]\nname = \"load\"\nlow = 0\nhigh = 1\n";
  EXPECT_TRUE(faults(hour + load + "source = \"echo 1\"\n").empty());
  EXPECT_EQ(
      faults(load),
      (std::vector<std::string>{
          "error: context.load: has no source, so canopy tune cannot get its value: give a source, "
          "or let a client ask with a context (canopy pipe, HTTP, Python)"}));
  EXPECT_EQ(
      faults(load + "source = \"./no-such-program\"\n"),
      (std::vector<std::string>{"error: context.load: there is no program ./no-such-program"}));
  EXPECT_TRUE(faults(load + "source = \"./no-such-program\"\n", "shell = true\n").empty())
      << "what a shell makes of it is not known";
  EXPECT_EQ(faults(hour + "time_zone = \"Mars/Base\"\n").size(), 1U);
  EXPECT_EQ(faults(hour, "policy_file = \"no-such-folder/policy.json\"\n"),
            (std::vector<std::string>{
                "error: system.policy_file: the folder no-such-folder does not exist"}));
  EXPECT_TRUE(faults(hour, "policy_file = \"policy.json\"\n").empty());
}

TEST(WarningsAboutAContext, NameNumbersBeyondTheirRanges) {
  const ContextSpace contexts(
      {{"load", Real{0.0, 1.0}}, {"hour", Real{0.0, 24.0}, 24.0}, {"size", Integer{1, 9}}});
  EXPECT_TRUE(warnings_about_context(contexts, std::vector{1.0, 30.0, 9.0}).empty());
  EXPECT_EQ(texts_of(warnings_about_context(contexts, std::vector{3.25, 3.0, 0.0})),
            (std::vector<std::string>{
                "warning: context.load: the current value 3.25 is outside the range and treated as "
                "1; set low and high to the range of possible values",
                "warning: context.size: the current value 0 is outside the range and treated as 1; "
                "set low and high to the range of possible values"}));
}

TEST(ContextText, ShowsWhatAContextCountsAs) {
  const ContextSpace contexts(
      {{"load", Real{0.0, 1.0}}, {"hour", Real{0.0, 24.0}, 24.0}, {"tenant", Choice{{"a", "b"}}}});
  EXPECT_EQ(context_text(contexts, std::vector{0.25, 25.0, 1.0}),
            "load = 0.25, hour = 1, tenant = b");
  EXPECT_EQ(context_text(contexts, std::vector{7.0, 0.0, 0.0}), "load = 1, hour = 0, tenant = a");
}

}  // namespace
}  // namespace canopy
