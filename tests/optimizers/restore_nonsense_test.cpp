// A saved state with a valid checksum may still have invalid contents. It must either be refused,
// or give an optimizer that works.

#include "canopy/contextual.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/random.hpp"
#include "canopy/state.hpp"

#include "support/conversation.hpp"
#include "support/every_optimizer.hpp"
#include "support/sealed.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

using testing::Conversation;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string text_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The saved state with some numbers replaced by others.
std::string with_nonsense(const std::string& saved, RandomStream& random) {
  static const std::array<std::string, 24> nonsense{"0",
                                                    "1",
                                                    "2",
                                                    "3",
                                                    "7",
                                                    "63",
                                                    "64",
                                                    "255",
                                                    "-1",
                                                    "0.5",
                                                    "-0.5",
                                                    "1e5",
                                                    "1e100",
                                                    "1e308",
                                                    "-1e308",
                                                    "1e-308",
                                                    "4294967295",
                                                    "nan",
                                                    "inf",
                                                    "-inf",
                                                    "100000",
                                                    "65",
                                                    "18446744073709551615",
                                                    "9223372036854775807"};
  std::vector<std::string> words = words_of(testing::unsealed(saved));
  for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
    const std::size_t place = 2 + random() % (words.size() - 2);
    const bool is_other = random.coin();
    words[place] =
        is_other ? words[2 + random() % (words.size() - 2)] : nonsense[random() % nonsense.size()];
  }
  return testing::sealed(text_of(words));
}

/// Calls every function of an optimizer. All arms that it names must be arms of the space.
void use(Optimizer& optimizer, Conversation conversation, const Space& space) {
  const auto look = [&] {
    for (const Pull& pull : optimizer.in_flight()) {
      RC_ASSERT(space.contains(pull.arm));
      (void)optimizer.tree();
    }
    if (const auto best = optimizer.best()) {
      RC_ASSERT(space.contains(best->arm));
      RC_ASSERT(best->own.empty() || space.contains(best->own));
      (void)optimizer.estimate(best->arm);
    }
    (void)optimizer.summary();
    (void)optimizer.learnt();
    const TreeView* tree = optimizer.tree();
    if (tree == nullptr) return;
    for (const NodeView& node : tree->nodes()) RC_ASSERT(space.contains(node.arm));
    for (const Pull& pull : optimizer.in_flight()) {
      if (const auto place = tree->place(pull.ticket)) (void)tree->path(place->node);
    }
  };
  look();
  for (const Pull& pull : optimizer.in_flight()) (void)optimizer.tell(pull.ticket, 0.25);
  for (int i = 0; i < 40; ++i) (void)conversation.step({&optimizer});
  look();
  optimizer.set_reward_range(RewardRange{0.0, 2.0});
  (void)optimizer.ask_again();
  optimizer.finish();
  for (int i = 0; i < 40; ++i) (void)conversation.step({optimizer.clone().get()});
  for (int i = 0; i < 300; ++i) (void)optimizer.tell(optimizer.ask(1).ticket, 0.01 * (i % 7));
  look();
  RC_ASSERT(!optimizer.save().empty());
}

RC_GTEST_PROP(RestoreNonsense, IsRefusedOrGivesAnOptimizerThatWorks, ()) {
  const auto which = *rc::gen::elementOf(testing::every_optimizer());
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto before = *rc::gen::inRange(0, 120);
  Objective objective;
  if (*rc::gen::arbitrary<bool>()) objective.reward_range = RewardRange{0.0, 1.0};
  const Space space = testing::mixed_space();
  const auto fresh = [&] {
    return make_optimizer(which.selection, space, SplitRule::cyclic, objective);
  };
  Conversation conversation(seed);
  if (*rc::gen::arbitrary<bool>()) conversation.observe(space);
  const auto optimizer = fresh();
  for (int i = 0; i < before; ++i) RC_ASSERT(conversation.step({optimizer.get()}));
  const std::string saved = optimizer->save();
  RandomStream random({.seed = seed, .purpose = "nonsense"});
  for (int i = 0; i < 30; ++i) {
    const std::string text = with_nonsense(saved, random);
    const auto restored = fresh();
    try {
      restored->restore(text);
    } catch (const StateError&) {
      continue;
    }
    RC_LOG() << which.label << ": " << text << "\ninstead of\n" << saved << "\n";
    use(*restored, conversation, space);
  }
}

/// Plays with contexts: some pulls are dropped, fail, stay open, or are observed.
void play_in_contexts(Contextual& optimizer, RandomStream& random, int pulls) {
  const auto status = [](Status) {};
  for (int i = 0; i < pulls; ++i) {
    const std::vector<double> context{random.uniform(), static_cast<double>(random() % 3)};
    const Pull pull = optimizer.ask_in(context);
    const double x = pull.arm[0];
    const double reward = (context[0] < 0.5 ? x : -x) + 0.1 * random.uniform();
    switch (random() % 16) {
      case 0:
        status(optimizer.drop(pull.ticket));
        break;
      case 1:
        status(optimizer.penalize(pull.ticket, -1.0));
        break;
      case 2:
        break;  // it stays open
      case 3:
        status(optimizer.observe_in(context, pull.arm, Rewards::one(reward)));
        [[fallthrough]];
      default:
        status(optimizer.tell(pull.ticket, reward));
    }
  }
}

RC_GTEST_PROP(RestoreNonsense, IsRefusedInContextsOrGivesAnOptimizerThatWorks, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto before = *rc::gen::inRange(0, 200);
  const Space space = testing::mixed_space();
  const ContextSpace contexts(
      {{"load", Real{0.0, 1.0}}, {"tenant", Choice{{"small", "large", "huge"}}}});
  RandomStream random({.seed = seed, .purpose = "nonsense in contexts"});
  Contextual optimizer(space, contexts);
  play_in_contexts(optimizer, random, before);
  const std::string saved = optimizer.save();
  for (int i = 0; i < 20; ++i) {
    const std::string text = with_nonsense(saved, random);
    Contextual restored(space, contexts);
    try {
      restored.restore(text);
    } catch (const StateError&) {
      continue;
    }
    RC_LOG() << text << "\ninstead of\n" << saved << "\n";
    for (const Pull& pull : restored.in_flight()) {
      RC_ASSERT(space.contains(pull.arm));
      (void)restored.tell(pull.ticket, 0.25);
    }
    play_in_contexts(restored, random, 60);
    Contextual copy(restored);
    play_in_contexts(copy, random, 20);
    (void)copy.tell(copy.ask_again().ticket, 0.5);
    copy.finish();
    const auto policy = copy.policy();
    RC_ASSERT(policy.has_value());
    for (const PolicyRow& row : policy->rows) RC_ASSERT(row.arm.empty() || space.contains(row.arm));
    (void)copy.best_in(std::vector{0.5, 1.0});
    (void)copy.level_effect(std::vector{0.5, 1.0});
    RC_ASSERT(!copy.save().empty());
  }
}

}  // namespace
}  // namespace canopy
