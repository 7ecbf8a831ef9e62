#include "stores/remote_store.hpp"

#include "canopy/random.hpp"
#include "canopy/study.hpp"

#include "journal/command_text.hpp"
#include "support/fake_service.hpp"
#include "support/random_event.hpp"
#include "support/store_suite.hpp"
#include "tuning/system.hpp"
#include "tuning/tuner.hpp"
#include "tuning/tuner_state.hpp"

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace canopy {
namespace {

using namespace std::chrono_literals;
using testing::FakeService;
using Fault = FakeService::Fault;

RemoteStore::Options store_options(const FakeService& service) {
  RemoteStore::Options options;
  options.http.server = ServerAddress::parse(service.url()).value();
  options.http.timeout = 2s;
  options.lease = 0ms;
  return options;
}

StudySpecification knob(const std::string& more = "") {
  return parse_study("[[space]]\nname = \"x\"\nlow = 0.0\nhigh = 1.0\n" + more, "study.toml");
}

double reward_of(double x) {
  return 1.0 - (x - 0.3) * (x - 0.3);
}

void pull(Study& study, int times) {
  for (int i = 0; i < times; ++i) {
    const Pull pull = study.ask(1);
    const Ticket ticket = pull.ticket;
    const double reward = reward_of(pull.arm[0]);
    study.commit();
    ASSERT_EQ(study.tell(ticket, reward), Status::ok);
    study.commit();
  }
}

std::vector<JournalEntry> journal_of(Store& store, const std::string& name) {
  std::vector<JournalEntry> entries;
  store.read(find_study(store, name).id, {},
             [&](const JournalEntry& entry) { entries.push_back(entry); });
  return entries;
}

std::vector<Event> events_of(Store& store, const std::string& name) {
  std::vector<Event> events;
  for (JournalEntry& entry : journal_of(store, name)) events.push_back(std::move(entry.event));
  return events;
}

TEST(RemoteStore, HoldsStudiesAsAnyStoreDoes) {
  FakeService service;
  RemoteStore store(store_options(service));
  EXPECT_EQ(store.name(), service.url());
  EXPECT_FALSE(store.find("cache ä?"));
  std::string saved;
  {
    Study study = Study::open(store, knob(), {"cache ä?", {}, "me"});
    EXPECT_EQ(service.holder("cache ä?"), "me");
    pull(study, 30);
    saved = study.save();
  }
  EXPECT_EQ(service.holder("cache ä?"), "") << "it is free again";
  Study again = Study::reopen(store, {"cache ä?", {}});
  EXPECT_EQ(again.save(), saved);
  const std::vector<JournalEntry> there =
      service.with_store([](Store& memory) { return journal_of(memory, "cache ä?"); });
  EXPECT_EQ(journal_of(store, "cache ä?"), there);
  EXPECT_EQ(there.size(), 60U);
  const StudyRecord record = find_study(store, "cache ä?");
  EXPECT_EQ(record.events, 60U);
  EXPECT_EQ(record.pulls, 30U);
  EXPECT_TRUE(store.is_locked(record.id));
}

TEST(RemoteStore, ContextsGoThereAndBack) {
  FakeService service;
  RemoteStore store(store_options(service));
  const StudySpecification loaded = knob(
      "[[context]]\nname = \"load\"\nlow = 0.0\nhigh = 1.0\n"
      "[[context]]\nname = \"tenant\"\ntype = \"choice\"\nchoices = [\"a\", \"b\"]\n");
  std::string saved;
  std::vector<double> context{0.25, 1.0};
  {
    Study study = Study::open(store, loaded, {"loaded", {}});
    for (int i = 0; i < 20; ++i) {
      context[0] = 0.1 * i;  // some values are outside the range
      const Pull pull = study.ask_in(context);
      ASSERT_EQ(study.tell(pull.ticket, reward_of(pull.arm[0])), Status::ok);
    }
    study.commit();
    saved = study.save();
  }
  Study again = Study::reopen(store, {"loaded", {}});
  EXPECT_EQ(again.save(), saved);
  EXPECT_EQ(std::get<Asked>(events_of(store, "loaded")[38]).context, context);
  EXPECT_EQ(Study::open(store, again.specification(), {"loaded", "fork"}).events(), 40U);
}

TEST(RemoteStore, ListsAndMakesAndForksAndErases) {
  FakeService service;
  RemoteStore store(store_options(service));
  for (const char* name : {"b", "a", "c"}) {
    Study study = Study::open(store, knob(), {name, {}});
    pull(study, 5);
  }
  std::vector<std::string> names;
  for (const StudyRecord& record : store.list({})) names.push_back(record.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(store.list({"a", 1}).at(0).name, "b");

  EXPECT_FALSE(store.create({.name = "a", .specification = json_of(resolved(knob()))}));
  {
    const Study whole = Study::reopen(store, {"a", "whole"});
    EXPECT_EQ(whole.record().forked_from, "a");
    EXPECT_EQ(whole.summary().t, 6U);
  }
  const Study rewards = Study::open(store, knob("[optimizer]\nname = \"hct\"\n"), {"a", "rewards"});
  EXPECT_EQ(rewards.summary().observed, 5U);
  store.erase(find_study(store, "b").id);
  EXPECT_FALSE(store.find("b"));
}

TEST(RemoteStore, EveryRewardIsStoredOnceDespiteLostMessages) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  MemoryStore memory;
  Study undisturbed = Study::open(memory, knob(), {"a", {}});
  pull(undisturbed, 60);

  FakeService service;
  int faults = 0;
  service.set_faults([&, random = RandomStream({.seed = seed})](const auto&...) mutable {
    if (random.uniform() < 0.8) return Fault::none;
    ++faults;
    return static_cast<Fault>(1 + static_cast<int>(4.0 * random.uniform()));
  });
  RemoteStore store(store_options(service));
  store.set_patience(1min);
  Study study = Study::open(store, knob(), {"a", {}});
  pull(study, 60);
  EXPECT_GT(faults, 5);
  EXPECT_EQ(study.save(), undisturbed.save());
  service.set_faults({});
  EXPECT_EQ(events_of(store, "a"), events_of(memory, "a"));
}

TEST(RemoteStore, AStudyHasOneWriterUntilThatIsGone) {
  FakeService service({.lease = 300ms});
  RemoteStore store(store_options(service));
  auto first = std::make_unique<Study>(Study::open(store, knob(), {"a", {}, "the first"}));
  RemoteStore other(store_options(service));
  try {
    (void)Study::open(other, knob(), {"a", {}, "the second"});
    FAIL();
  } catch (const StudyError& error) {
    EXPECT_EQ(error.fault(), StudyError::Fault::open_elsewhere);
    EXPECT_STREQ(error.what(), "the study a is open elsewhere: the first");
  }
  EXPECT_EQ(service.holder("a"), "the first") << "it has told so for longer than its lease";
  first.reset();
  const Study second = Study::open(other, knob(), {"a", {}, "the second"});
  EXPECT_EQ(service.holder("a"), "the second");
}

TEST(RemoteStore, AWriterThatWasKilledIsWaitedFor) {
  FakeService service({.lease = 700ms});
  RemoteStore::Options options = store_options(service);
  options.lease = 5s;
  RemoteStore store(options);
  (void)Study::open(store, knob(), {"a", {}});
  HttpClient killed(options.http);  // sends no further heartbeats
  killed.send({.method = "PUT",
               .target = "/v1/studies/a/tuner",
               .body = Document::Table{{"tuner", "1"}, {"holder", "killed"}}});
  const auto begun = std::chrono::steady_clock::now();
  const Study study = Study::open(store, knob(), {"a", {}});
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_GE(took, 500ms);
  EXPECT_LT(took, 3s);
}

/// Another client has written to the study, with unknown effects.
void write_behind_its_back(FakeService& service, const std::string& name, const Event& event) {
  service.with_store([&](Store& memory) {
    const StudyRecord record = find_study(memory, name);
    const JournalEntry entry{record.events + 1, record.updated, event};
    memory.append({record.id, {&entry, 1}, record.pulls});
    return 0;
  });
}

TEST(RemoteStore, WhoHasLostAStudyIsToldSoWhenItWrites) {
  for (const bool taken : {true, false}) {
    FakeService service;
    RemoteStore store(store_options(service));
    Study study = Study::open(store, knob(), {"a", {}});
    pull(study, 2);
    if (taken) service.give_to("a", "the other");
    write_behind_its_back(service, "a", TunerStarted{7.0});
    study.note(TunerStarted{});
    try {
      study.commit();
      FAIL();
    } catch (const StoreError& error) {
      EXPECT_EQ(error.fault(), taken ? StoreError::Fault::taken_over : StoreError::Fault::moved_on);
      EXPECT_EQ(std::string(error.what()),
                service.url() + (taken ? ": the study is run by a tuner: the other"
                                       : ": the journal has moved on"));
    }
  }
}

TEST(RemoteStore, ATunerGoesOnWhenTheServerHasWrittenMeanwhile) {
  FakeService service;
  RemoteStore store(store_options(service));
  const StudySpecification file =
      knob("[system]\napply = \"true {x}\"\nmeasure = \"echo {x}\"\n[budget]\npulls = 100000\n");
  Study study = Study::open(store, file, {.name = "a", .fork = {}, .fold = tuner_fold});
  const std::atomic<bool> stop{false};
  int step = 0;
  std::uint64_t pulls_then = 0;
  CommandSystem system = command_system_of(study.specification(), &stop);
  Tuner tuner(study, system, {stop}, [&](const TuneProgress& progress) {
    if (step == 0 && progress.pulls == 5) {
      EXPECT_EQ(store.post_command(study.record().id, 1.0, command_text({RunnerCommand::pause})),
                1U);
      write_behind_its_back(service, "a",
                            CommandAccepted{1, RunnerCommand::pause, 0, "the server"});
      ++step;
    } else if (step == 1 && progress.phase == TuneProgress::Phase::paused) {
      EXPECT_EQ(progress.ordered_by, "the server");
      // The tuner notices when it accepts the same command.
      EXPECT_EQ(store.post_command(study.record().id, 1.0, command_text({RunnerCommand::resume})),
                2U);
      write_behind_its_back(service, "a",
                            CommandAccepted{2, RunnerCommand::resume, 0, "the server"});
      pulls_then = progress.pulls;
      ++step;
    } else if (step == 2 && progress.pulls > pulls_then + 5) {
      write_behind_its_back(service, "a", CommandAccepted{3, RunnerCommand::end, 0, "the server"});
      ++step;
    }
  });
  EXPECT_EQ(tuner.run().text, "ended by the server");
  EXPECT_EQ(step, 3);
}

TEST(RemoteStore, AStudyThatWasDeletedTakesNothing) {
  FakeService service;
  RemoteStore store(store_options(service));
  Study study = Study::open(store, knob(), {"a", {}});
  service.with_store([](Store& memory) {
    memory.erase(find_study(memory, "a").id);
    return 0;
  });
  const JournalEntry entry{study.events() + 1, 1.0, Finished{}};
  const auto errors =
      store.write(std::vector<StudyWrite>{{.study = study.record().id, .entries = {&entry, 1}}});
  ASSERT_TRUE(errors.at(0));
  EXPECT_EQ(errors[0]->fault(), StoreError::Fault::other);
  EXPECT_FALSE(store.snapshot(study.record().id));
}

TEST(RemoteStore, AServerThatIsGoneIsUnreachable) {
  auto service = std::make_unique<FakeService>();
  RemoteStore::Options options = store_options(*service);
  options.http.patience = 0ms;
  RemoteStore store(options);
  service.reset();
  try {
    (void)store.find("a");
    FAIL();
  } catch (const StoreError& error) {
    EXPECT_EQ(error.fault(), StoreError::Fault::unreachable);
  }
}

TEST(RemoteStore, PassesOnWhatPeopleWant) {
  FakeService service;
  RemoteStore store(store_options(service));
  (void)Study::open(store, knob(), {"a", {}});
  const StudyId study = find_study(store, "a").id;
  EXPECT_EQ(store.post_command(study, 1.0, command_text({RunnerCommand::confirm, "me", 40})), 1U);
  EXPECT_EQ(store.post_command(study, 1.0, command_text({RunnerCommand::pause, "me"})), 2U);
  const std::vector<PostedCommand> commands = store.commands(study, 0);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(command_from(commands[0].text),
            (WantedCommand{RunnerCommand::confirm, "the token", 40}));
  EXPECT_EQ(store.commands(study, 1).size(), 1U);
}

TEST(RemoteStore, ATunerWaitsForAServerThatRestartsAndGoesOn) {
  const StudySpecification file =
      knob("[system]\nmeasure = \"sh -c 'sleep 0.01; echo {x}'\"\n[budget]\npulls = 60\n");
  FakeService::Options kept{.lease = 300ms};  // including the studies
  auto service = std::make_unique<FakeService>(kept);
  kept.port = service->port();
  RemoteStore::Options options = store_options(*service);
  int troubles = 0;
  options.http.on_trouble = [&](const std::string&) { ++troubles; };
  RemoteStore store(options);
  Study study = Study::open(store, file, {.name = "a", .fork = {}, .fold = tuner_fold});
  store.set_patience(1min);
  std::atomic<bool> stop{false};
  std::thread restarts([&] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(150ms);
      service.reset();
      std::this_thread::sleep_for(400ms);  // longer than the lease
      service = std::make_unique<FakeService>(kept);
    }
  });
  CommandSystem system = command_system_of(study.specification(), &stop);
  const TuneEnd end = Tuner(study, system, {stop}, {}).run();
  restarts.join();
  EXPECT_EQ(end.text, "the budget of 60 pulls is used");
  EXPECT_GE(troubles, 1);
  EXPECT_EQ(find_study(store, "a").pulls, 60U);
}

}  // namespace
}  // namespace canopy

namespace canopy::testing {
namespace {

Opener<Store> on_a_server() {
  return [service = std::make_shared<FakeService>()] {
    return std::make_unique<RemoteStore>(store_options(*service));
  };
}

INSTANTIATE_TEST_SUITE_P(Every, StoreTest,
                         ::testing::Values(Implementation<Store>{"Remote", on_a_server}),
                         name_of_implementation);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FullStoreTest);

}  // namespace
}  // namespace canopy::testing
