#include "canopy/optimizers.hpp"

#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "files/record.hpp"
#include "insight/change_text.hpp"
#include "studies/answers.hpp"
#include "studies/policy_document.hpp"
#include "tuning/contexts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

void print_part(std::string_view name, const std::string& text) {
  fmt::print("{:<13}{}\n", name, text);
}

/// Rounds a number to a thousandth of the spread of the mean reward.
std::string in_digits(double value, const Learnt& learnt) {
  const double spread = learnt.highest - learnt.lowest;
  return spread > 0.0 ? rounded_text(value, 1e-3 * spread) : significant_text(value, 4);
}

std::string noise_text(const Learnt& learnt) {
  std::string text = fmt::format("rewards of the same setting have a standard deviation of {}",
                                 significant_text(learnt.noise, 3));
  if (learnt.correlation > 0.0) {
    text += fmt::format("; successive ones have a correlation of {:.2f}", learnt.correlation);
  }
  return text;
}

std::string smoothness_text(const Learnt& learnt) {
  return fmt::format("{:.2f}: at half the distance, mean rewards differ by {:.0f} % as much",
                     learnt.smoothness, 100.0 * std::exp2(-learnt.smoothness));
}

/// The most important parameters first.
std::string shares_text(const Space& space, const Learnt& learnt) {
  std::vector<std::size_t> order(learnt.shares.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return learnt.shares[a] > learnt.shares[b];
  });
  std::string text;
  for (const std::size_t i : order) {
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", space.parameters()[i].name,
                        100.0 * learnt.shares[i]);
  }
  return text + " of the variation of the mean reward";
}

std::string exploring_text(const Learnt& learnt, std::uint64_t pulls) {
  const auto all = static_cast<double>(pulls);
  return fmt::format(
      "{} of {} pulls ({:.0f} %) explored outside the model's favourites; per pull, the search "
      "lost at least {} compared with the best setting so far",
      learnt.explorer_pulls, pulls, 100.0 * static_cast<double>(learnt.explorer_pulls) / all,
      in_digits(learnt.lost / all, learnt));
}

std::string turn_text(const Space& space, const Learnt& learnt) {
  const Learnt::Turn& turn = *learnt.turn;
  const auto pulls = [](std::uint64_t count) {
    return fmt::format("{} {}", count, count == 1 ? "pull" : "pulls");
  };
  std::string text = fmt::format("{} for {}: ", space.describe(turn.arm), pulls(turn.length));
  const std::string level =
      fmt::format("mean reward {} +- {} after {}", in_digits(turn.estimate, learnt),
                  significant_text(turn.deviation, 2), pulls(turn.pulls));
  switch (turn.why) {
    case Learnt::Why::start:
      text += "every initial cell is measured once";
      break;
    case Learnt::Why::search:
      text += fmt::format("{}, possibly up to {}, the highest bound of all settings", level,
                          in_digits(turn.bound, learnt));
      break;
    case Learnt::Why::least_broken:
      text += "every setting seems to violate a limit, and this one the least";
      break;
    case Learnt::Why::cover:
      text += "this part of the search space has the fewest measurements";
      break;
    case Learnt::Why::probe:
      text +=
          "the system may have changed; this measurement shows whether the change is the "
          "same for all settings";
      break;
    case Learnt::Why::sweep:
      text += level + ", the best of all cells of its size";
      break;
  }
  return text;
}

std::string metric_text(const Learnt::OfMetric& metric) {
  if (metric.measured == 0) return "has a limit, but was never measured";
  const double open = std::max(0.0, 1.0 - metric.kept - metric.broken);
  return fmt::format(
      "noise +- {}, varies as distance to the power {}; the limit is kept in {:.0f} % of the "
      "search space, violated in {:.0f} %, undecided in {:.0f} %; {} of {} measurements violated "
      "it",
      significant_text(metric.noise, 2), significant_text(metric.smoothness, 2),
      100.0 * metric.kept, 100.0 * metric.broken, 100.0 * open, metric.beyond, metric.measured);
}

void print_words(const Space& space, const Optimizer& optimizer, const Learnt& learnt) {
  const std::uint64_t pulls = optimizer.summary().t - 1;
  print_part("mean reward",
             fmt::format("about {} to {} over the search space", in_digits(learnt.lowest, learnt),
                         in_digits(learnt.highest, learnt)));
  print_part("noise", noise_text(learnt));
  print_part("smoothness", smoothness_text(learnt));
  if (!learnt.shares.empty()) print_part("knobs", shares_text(space, learnt));
  for (const Learnt::OfMetric& metric : learnt.metrics) {
    print_part(metric.metric, metric_text(metric));
  }
  const std::string changes = changes_text(optimizer.summary());
  if (!changes.empty()) print_part("changes", changes);
  if (pulls != 0) print_part("exploring", exploring_text(learnt, pulls));
  if (learnt.turn) print_part("next", turn_text(space, learnt));
  if (const auto best = optimizer.best()) print_part("best", best_text(space, *best));
}

/// Prints what was learnt about contexts. The lines after it are about the region of the last
/// context.
void print_contexts(const NamedStudy& study, const Policy& policy, Context last) {
  const ContextSpace& contexts = study.specification.contexts;
  for (const KnownLine& line : context_lines(contexts, policy)) print_part(line.about, line.text);
  print_part("regions", fmt::format("{}; `canopy policy {}` shows {}", policy.rows.size(),
                                    study.record.name, policy.rows.size() > 1 ? "them" : "it"));
  if (policy.rows.size() > 1 && !last.empty()) {
    print_part("region", "the following lines are about the region of the last context, " +
                             context_text(contexts, last));
  }
}

/// Chooses the next arm in the last observed context. The optimizer is a copy: the study does not
/// change.
void choose_next(Optimizer& optimizer, Context last) {
  if (!optimizer.in_flight().empty()) return;
  if (optimizer.contexts().empty()) {
    (void)optimizer.ask();
  } else if (!last.empty()) {
    (void)optimizer.ask_in(last);
  }
}

int explain(const NamedStudyFlags& flags) {
  NamedStudy study(flags, "explain");
  const LoadedOptimizer loaded = study.load_with_warning();
  const auto& optimizer = loaded.optimizer;
  const std::vector<double>& last = tuner_state_of(loaded).last_context();
  choose_next(*optimizer, last);
  const auto learnt = optimizer->learnt();
  const auto policy = optimizer->policy();
  const Space& space = study.specification.space;
  if (!learnt) {
    const std::string& name = study.specification.optimizer.name;
    throw StudyError(StudyError::Fault::other,
                     name == kDefaultOptimizer
                         ? "the study " + flags.name + " does not have enough rewards yet"
                         : name +
                               " learns no model of the reward; `canopy best` and `canopy tree` "
                               "show what it has learnt");
  }
  if (flags.json) {
    Document document = record_of(space, *learnt);
    if (policy) {
      document.set("policy", policy_document(Names(space, study.specification.contexts), *policy));
    }
    fmt::print("{}\n", json_text(document, 2));
  } else {
    if (policy) print_contexts(study, *policy, last);
    print_words(space, *optimizer, *learnt);
  }
  return kSuccess;
}

}  // namespace

Command add_explain(ArgumentParser app) {
  const auto flags = std::make_shared<NamedStudyFlags>();
  ArgumentParser command = app.command(
      "explain",
      "Show what a study has learnt: noise, smoothness, which knobs and contexts matter, what it "
      "tries next.");
  flags->add_to(command);
  command.footer("Example:\n  canopy explain cache");
  return [flags] { return explain(*flags); };
}

}  // namespace canopy::cli
