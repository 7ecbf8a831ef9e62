#include "insight/best_text.hpp"

#include "core/text.hpp"
#include "insight/best_answer.hpp"
#include "studies/answers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

/// The precision worth showing: two significant digits of the half-width of an interval.
double resolution_of(double low, double high) {
  return 0.05 * (high - low);
}

/// Formats a number with four digits, or with as many as the resolution justifies.
std::string number_text(double value, double resolution) {
  return resolution > 0.0 ? rounded_text(value, resolution) : significant_text(value, 4);
}

/// Whether the interval has no width, up to rounding: all its data are equal.
bool is_a_point(const Interval& interval) {
  const double size = std::max(std::abs(interval.lower), std::abs(interval.upper));
  return interval.bounded() && interval.upper - interval.lower <= 1e-6 * size;
}

std::string signed_text(double value, double resolution) {
  return (value < 0.0 ? "" : "+") + number_text(value, resolution);
}

}  // namespace

std::string since_text(const std::optional<std::uint64_t>& since) {
  return since ? fmt::format(" since pull {}, when the system changed", *since) : "";
}

std::string share_of_baseline(const Uplift& uplift) {
  if (!(uplift.baseline_mean > 0.0) || std::abs(uplift.difference) > 10.0 * uplift.baseline_mean) {
    return "";
  }
  const double percent = 100.0 * uplift.difference / uplift.baseline_mean;
  const bool is_large = std::abs(percent) >= 10.0;
  const std::string number =
      is_large ? fmt::format("{:.0f}", percent) : significant_text(percent, 2);
  return (number.starts_with('-') ? "" : "+") + number + " %";
}

std::string best_text(const Space& space, const Best& best) {
  const bool bounded = std::isfinite(best.lower);
  const double resolution = bounded ? resolution_of(best.lower, best.upper) : 0.0;
  const std::string arm = space.describe(best.arm);
  if (best.since && best.pulls == 0) {
    return fmt::format("{}: {} by the model; it was not measured{}", arm,
                       number_text(best.mean, 0.0), since_text(best.since));
  }
  if (best.level_moves) {
    return fmt::format("{}: {} now, by the model, since the level of all rewards moves; {} {}{}",
                       arm, number_text(best.mean, 0.0), best.pulls,
                       best.pulls == 1 ? "pull" : "pulls", since_text(best.since));
  }
  if (best.is_compared) {
    return fmt::format("{}: earned {} on average over {} {}{}", arm, number_text(best.mean, 0.0),
                       best.pulls, best.pulls == 1 ? "pull" : "pulls", since_text(best.since));
  }
  std::string text = fmt::format("{}: {}", arm, number_text(best.mean, resolution));
  if (bounded) {
    text += fmt::format(" ({} to {} at {:.4g} %)", number_text(best.lower, resolution),
                        number_text(best.upper, resolution), 100.0 * best.confidence);
  }
  text += fmt::format(", {} {}{}", best.pulls, best.pulls == 1 ? "pull" : "pulls",
                      since_text(best.since));
  if (const auto& model = best.by_model) {
    const double fine = resolution_of(model->lower, model->upper);
    text += fmt::format("; {} to {} by the model ({:.4g} % at this look)",
                        number_text(model->lower, fine), number_text(model->upper, fine),
                        100.0 * kModelLevel);
  }
  if (best.basis == Best::Basis::no_noise) {
    text += "; rewards of a setting never differ";
  } else if (!bounded) {
    text += "; too few pulls for an interval";
  } else if (best.rivals != 0) {
    text += fmt::format("; {} other {} cannot be ruled out yet", best.rivals,
                        best.rivals == 1 ? "setting" : "settings");
  }
  if (bounded && best.unknown != 0) {
    text += fmt::format("; {} {} too few pulls to say", best.unknown,
                        best.unknown == 1 ? "has" : "have");
  }
  if (best.rare_extremes) text += "; rewards have rare extreme values";
  return text;
}

namespace {

/// The difference in the favourable direction, with its interval: `+0.12 (+8 %) over the baseline
/// (+0.10 to +0.14 at 95 %, 41 pairs)`; for costs, `0.12 (8 %) below the baseline (...)`.
std::string gain_text(const Uplift& uplift, Direction direction) {
  const bool more = direction == Direction::maximize;
  const double mean = more ? uplift.difference : -uplift.difference;
  const auto end = more ? signed_text : number_text;
  std::string share = share_of_baseline(uplift);
  if (!more && !share.empty()) share.erase(0, 1);
  if (!share.empty()) share = " (" + share + ")";
  std::string reach;
  double resolution = 0.0;
  if (is_a_point(uplift.interval))
    return fmt::format("{}{} {} the baseline, in all {} pairs", end(mean, 0.0), share,
                       more ? "over" : "below", uplift.pairs);
  if (uplift.interval.bounded()) {
    const double low = more ? uplift.interval.lower : -uplift.interval.upper;
    const double high = more ? uplift.interval.upper : -uplift.interval.lower;
    resolution = resolution_of(low, high);
    reach = fmt::format("{} to {} at {:.4g} %, ", end(low, resolution), end(high, resolution),
                        100.0 * uplift.confidence);
  }
  return fmt::format("{}{} {} the baseline ({}{} pairs)", end(mean, resolution), share,
                     more ? "over" : "below", reach, uplift.pairs);
}

}  // namespace

std::string uplift_text(const Space& space, const Uplift& uplift, const Best& best,
                        Direction direction) {
  std::string text = claim_text(space, uplift, best, direction);
  const std::string outdated = outdated_text(uplift);
  if (!outdated.empty()) text += "; " + outdated;
  if (uplift.moves) text += "; " + moves_text(*uplift.moves);
  return text;
}

std::string outdated_text(const Uplift& uplift) {
  if (!uplift.since) return "";
  return fmt::format("comparisons before pull {}, when the system changed, are no longer valid{}",
                     *uplift.since,
                     uplift.was_proven ? ": earlier results have to be proven again" : "");
}

namespace {

/// Describes a difference that is not proven.
std::string open_word(const Uplift& uplift) {
  return uplift.is_refuted ? "refuted by a later comparison" : "not significant yet";
}

}  // namespace

std::string subject_text(const Space& space, const Uplift& uplift) {
  if (!uplift.arm.empty()) return space.describe(uplift.arm);
  if (uplift.is_best) return "the policy";
  return uplift.policy_of ? fmt::format("the policy of pull {}", *uplift.policy_of)
                          : "the policy at that time";
}

std::string claim_text(const Space& space, const Uplift& uplift, const Best& best,
                       Direction direction) {
  const bool is_of_policy = uplift.arm.empty();
  const bool is_about_best = uplift.is_best && !is_of_policy;
  const std::string arm = is_about_best ? "" : subject_text(space, uplift) + ": ";
  if (uplift.verdict == Uplift::Verdict::too_few && uplift.is_refuted) {
    return arm + open_word(uplift);
  }
  if (uplift.verdict == Uplift::Verdict::too_few) {
    return fmt::format("{}not known yet: {} of at least {} pairs", is_of_policy ? arm : "",
                       uplift.pairs, uplift.fewest);
  }
  const std::string level = fmt::format(" ({:.4g} %)", 100.0 * uplift.confidence);
  const std::string better = uplift.is_confirmed ? "confirmed to be better" : "better";
  if (is_about_best || is_of_policy || uplift.verdict != Uplift::Verdict::better) {
    const std::string verdict = uplift.verdict == Uplift::Verdict::open     ? open_word(uplift)
                                : uplift.verdict == Uplift::Verdict::better ? better + level
                                                                            : "worse" + level;
    return arm + gain_text(uplift, direction) + ": " + verdict;
  }
  return fmt::format("{} is {} than the baseline{}: {}; {}", space.describe(uplift.arm), better,
                     level, gain_text(uplift, direction), beside_proven_text(space, uplift, best));
}

namespace {

/// Explains why `best` is not the arm of the claim.
std::string merit_of_best(const Uplift& uplift, const Best& best) {
  if (!uplift.has_better_mean) return "has a better mean";
  if (uplift.is_less_sure_of_limits) return "is more certain to keep its limits";
  return best.basis == Best::Basis::model ? "is the best according to the model"
                                          : "has a more precisely known mean";
}

}  // namespace

std::string beside_proven_text(const Space& space, const Uplift& uplift, const Best& best) {
  const std::string merit = merit_of_best(uplift, best);
  if (uplift.best_is_baseline) {
    if (uplift.has_better_mean)
      return "the baseline " + merit + ", but earned less in direct comparisons";
    return "the baseline has the best mean, but means are affected by changes of the level of "
           "rewards, and "
           "differences within pairs are not";
  }
  const std::string arm = space.describe(best.arm);
  const std::string pairs =
      fmt::format("{} {}", uplift.best_pairs, uplift.best_pairs == 1 ? "pair" : "pairs");
  if (uplift.best_verdict == Uplift::Verdict::better) {
    return fmt::format("{} {}, and is better than the baseline by {} as well", arm, merit, pairs);
  }
  if (uplift.best_verdict == Uplift::Verdict::worse) {
    return fmt::format("{} {}, but was worse than the baseline in {}", arm, merit, pairs);
  }
  if (uplift.best_is_refuted) {
    return fmt::format("{} {}, but a later comparison has refuted it", arm, merit);
  }
  const std::string look = uplift.has_better_mean ? merit : "looks even better";
  return fmt::format("{} {}, but has only been compared in {}", arm, look, pairs);
}

std::string uplift_line(const std::optional<Uplift>& uplift, const Best& best,
                        const StudySpecification& specification) {
  if (specification.is_baseline(best.arm) && !(uplift && uplift->pairs != 0)) {
    return "none: the best setting is the baseline";
  }
  if (!uplift) return "";
  return uplift_text(specification.space, *uplift, best, specification.objective.direction);
}

std::string level_text(const Uplift& uplift) {
  const double low = uplift.baseline.lower;
  const double high = uplift.baseline.upper;
  const bool bounded = uplift.baseline.bounded() && !is_a_point(uplift.baseline);
  const double resolution = bounded ? resolution_of(low, high) : 0.0;
  std::string reach;
  if (bounded) {
    reach = fmt::format("{} to {} at {:.4g} %, ", number_text(low, resolution),
                        number_text(high, resolution), 100.0 * uplift.confidence);
  }
  const std::string time =
      uplift.since ? fmt::format("since pull {}", *uplift.since) : "over the study";
  std::string text = fmt::format("the baseline's mean {} is {} ({}{} {})", time,
                                 number_text(uplift.baseline_mean, resolution), reach,
                                 uplift.rounds, uplift.rounds == 1 ? "visit" : "visits");
  return text;
}

std::string moves_text(const LevelMove& moves) {
  const bool fell = moves.high.from < moves.low.from;
  const LevelMove::Place& before = fell ? moves.high : moves.low;
  const LevelMove::Place& after = fell ? moves.low : moves.high;
  const double resolution = 0.1 * (moves.high.mean - moves.low.mean);
  return fmt::format(
      "the level moves: the baseline went from {} (pulls {} to {}) to {} (pulls {} to {}), so "
      "means of settings cannot be compared, only differences from the baseline",
      number_text(before.mean, resolution), before.from, before.to,
      number_text(after.mean, resolution), after.from, after.to);
}

std::vector<std::string> metric_lines(const Best& best, const StudySpecification& specification,
                                      const TunerState& tuner) {
  std::vector<std::string> lines;
  for (const LimitCheck& check : best.limits) lines.push_back(limit_text(check));
  for (const auto& [name, metric] : metrics_at(best, tuner)) {
    if (metric.limit) continue;
    const Interval& interval = metric.interval;
    const double resolution =
        interval.bounded() ? resolution_of(interval.lower, interval.upper) : 0.0;
    lines.push_back(fmt::format("{}: {}", name, number_text(metric.mean, resolution)));
    if (!interval.bounded()) continue;
    lines.back() += fmt::format(" ({} to {} at {:.4g} %)", number_text(interval.lower, resolution),
                                number_text(interval.upper, resolution),
                                100.0 * specification.objective.confidence);
  }
  return lines;
}

std::string loss_text(const StudySpecification& specification, const Loss& loss) {
  if (!loss.baseline_is_known && loss.pulls == 0) return "the baseline has not been measured yet";
  if (!loss.baseline_is_known) {
    return "the mean reward of the baseline is not known precisely enough to compute a share of "
           "it, so "
           "only the baseline is used. If this persists, rewards are close to 0: use "
           "max_loss_per_pull and worst_loss_per_pull instead of max_loss";
  }
  const Budget& budget = specification.budget;
  const auto pulls = static_cast<double>(std::max<std::uint64_t>(loss.pulls, 1));
  const bool is_share = budget.max_loss.has_value();
  const double unit = is_share ? 0.01 * std::abs(loss.baseline_mean) * pulls : pulls;
  const auto text_of = [&](double value) {
    return significant_text(value, 2) + (is_share ? " %" : "");
  };
  const double cap = is_share ? 100.0 * *budget.max_loss : budget.max_loss_per_pull.value_or(0.0);
  std::string text = fmt::format("tuning has {} {} (+- {}) {}; {} are allowed",
                                 loss.lost < 0.0 ? "gained" : "cost",
                                 text_of(std::abs(loss.lost) / unit), text_of(loss.margin / unit),
                                 is_share ? "of what the baseline earns" : "a pull", text_of(cap));
  if (!loss.waits_for.empty()) {
    text += fmt::format("; {} is not tried for about {} more pulls, since it may lose {}",
                        specification.space.describe(loss.waits_for), loss.waits_still,
                        significant_text(loss.may_lose, 3));
  }
  return text;
}

std::vector<LimitNote> limit_notes(const Optimizer& optimizer,
                                   const StudySpecification& specification,
                                   const TunerState& tuner) {
  constexpr std::uint64_t kPullsToFindOne = 30;
  std::vector<LimitNote> notes;
  const std::vector<Limit>& limits = specification.objective.limits;
  const std::uint64_t pulls = optimizer.summary().t - 1;
  if (limits.empty() || pulls == 0) return notes;
  for (const Limit& limit : limits) {
    if (tuner.metrics().contains(limit.metric)) continue;
    notes.push_back({limit.metric, fmt::format("{} has a limit, but measure does not print it, "
                                               "so no setting is known to keep the limit",
                                               limit.metric)});
  }
  if (specification.baseline) {
    const auto checks = optimizer.limit_checks(specification.baseline->setting);
    const LimitCheck* worst = worst_of(checks);
    if (worst != nullptr && worst->pulls != 0 && worst->state == LimitState::broken) {
      notes.push_back({"the baseline",
                       "the baseline itself breaks a limit, " + limit_text(*worst) +
                           ". A setting that keeps the limit is preferred, even if it earns less"});
    }
  }
  if (pulls >= kPullsToFindOne && optimizer.nearest()) {
    notes.push_back({"no best", no_best_text(specification.space, optimizer)});
  }
  return notes;
}

std::string verdict_line(const Space& space, const TunerState& tuner,
                         const std::optional<Uplift>& uplift) {
  const std::optional<Verdict>& verdict = tuner.verdict();
  if (verdict && verdict->is_of_policy()) {
    if (uplift && uplift->is_confirmed) return "";
    return (verdict->has_learnt_since ? "the policy at that time: " : "the policy: ") +
           verdict->text;
  }
  if (const auto& outdated = tuner.outdated_verdict(); outdated && !verdict) {
    return fmt::format("{}: {}, before pull {}, when the system changed",
                       space.describe(outdated->arm), outdated->text, outdated->before.value());
  }
  if (!verdict || (uplift && uplift->is_confirmed)) return "";
  const std::string since = verdict->confirmed ? ", but it has broken a limit since" : "";
  return space.describe(verdict->arm) + ": " + verdict->text + since;
}

}  // namespace canopy
