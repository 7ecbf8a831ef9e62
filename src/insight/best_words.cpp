#include "insight/best_words.hpp"

#include "core/text.hpp"
#include "insight/best_answer.hpp"
#include "insight/best_text.hpp"

#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr double kDigits = 0.05;  // share of an interval's width below which digits are omitted

std::string number_in(double value, double low, double high) {
  const double resolution = kDigits * (high - low);
  return resolution > 0.0 ? rounded_text(value, resolution) : significant_text(value, 4);
}

std::string with_sign(const std::string& number) {
  return number.starts_with('-') ? number : "+" + number;
}

/// Capitalizes a text and adds a full stop.
std::string as_sentence(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ".";
}

std::string pulls_text(std::uint64_t pulls) {
  return fmt::format("{} {}", pulls, pulls == 1 ? "pull" : "pulls");
}

std::string level_text(double level) {
  return fmt::format("{:.4g} %", 100.0 * level);
}

std::string_view assumption_text(Assumption assumes) {
  switch (assumes) {
    case Assumption::none:
      return "There is no interval yet: there are too few measurements to estimate how much "
             "rewards "
             "vary, or only one value has occurred often enough.";
    case Assumption::about_normal:
      return "The interval assumes that rewards are roughly normally distributed, or no more "
             "extreme than those seen so far, and that their level does not move.";
    case Assumption::noise_as_elsewhere:
      return "The interval assumes that rewards vary about as much here as at other settings, and "
             "that their level does not move.";
    case Assumption::two_values:
      return "The interval assumes that rewards have two values, and that their level does not "
             "move.";
    case Assumption::hard_range:
      return "The interval assumes that rewards stay within reward_range, and that their level "
             "does not move.";
  }
  return "";
}

/// Builds the sentences of an answer.
class BestSentences {
 public:
  BestSentences(const BestAnswer& answer, const StudySpecification& specification,
                const std::optional<Verdict>& verdict)
      : answer_(answer), best_(answer.best), specification_(specification), verdict_(verdict) {
    has_baseline_ = specification.baseline.has_value();
    is_baseline_ = specification.is_baseline(best_.arm);
    if (!answer.uplift) return;
    is_of_policy_ = answer.uplift->arm.empty();
    if (is_of_policy_) return;  // it says nothing about a single arm
    if (answer.uplift->is_best) tone_ = tone_of(*answer.uplift);
    is_proven_ = answer.uplift->verdict == Uplift::Verdict::better;
  }

  [[nodiscard]] BestWords all() const {
    BestWords words{.advice = advice(), .arm = subject(), .details = details()};
    if (answer_.uplift) words.uplift = tone_of(*answer_.uplift);
    std::tie(words.certainty, words.tone) = certainty();
    std::vector<std::string>& sentences = words.sentences;
    if (is_another_proven()) {
      add(sentences, proof());
      const std::string best = beside_proven_text(specification_.space, *answer_.uplift, best_);
      add(sentences,
          is_baseline_
              ? as_sentence(best)
              : best + ".");  // not capitalized, because it begins with the name of a parameter
    } else {
      add(sentences, mean());
      add(sentences, is_of_policy_ ? policy_beside_baseline() : beside_baseline());
    }
    add(sentences, beside_others());
    if (answer_.uplift && answer_.uplift->since) {
      add(sentences, as_sentence(outdated_text(*answer_.uplift)));
    }
    if (answer_.uplift && answer_.uplift->moves) {
      add(sentences, as_sentence(moves_text(*answer_.uplift->moves)));
    }
    const bool is_about_best = !is_another_proven();
    for (const LimitCheck& check : is_about_best ? best_.limits : answer_.limits_of_uplift) {
      if (check.state != LimitState::kept) add(sentences, limit_text(check) + ".");
    }
    if (!answer_.loss_text.empty()) add(sentences, as_sentence(answer_.loss_text));
    add(sentences, verdict());
    return words;
  }

 private:
  static void add(std::vector<std::string>& sentences, std::string sentence) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }

  [[nodiscard]] Direction direction() const { return specification_.objective.direction; }
  [[nodiscard]] bool is_bounded() const { return std::isfinite(best_.lower); }
  /// Whether the arm of the claim, which need not be the best one, was confirmed.
  [[nodiscard]] bool is_confirmed() const { return answer_.uplift && answer_.uplift->is_confirmed; }
  /// Whether an arm other than the best one is known to be better than the baseline.
  [[nodiscard]] bool is_another_proven() const { return is_proven_ && !answer_.uplift->is_best; }
  /// Whether no other setting was measured.
  [[nodiscard]] bool is_alone() const { return best_.arms == 1 && !best_.since; }
  /// Whether no other setting has an interval, so that none can be ruled out.
  [[nodiscard]] bool is_only_known() const { return best_.unknown + 1 >= best_.arms; }
  [[nodiscard]] bool is_worse() const { return tone_ == Tone::bad; }
  /// Whether the baseline should be kept, because limits take precedence over rewards.
  [[nodiscard]] bool is_baseline_better() const {
    return is_worse() && !answer_.baseline_breaks_limit;
  }
  /// Whether more than half of the settings with an interval may be better.
  [[nodiscard]] bool is_one_of_many() const {
    return is_bounded() && 2 * best_.rivals > best_.arms - best_.unknown;
  }

  /// The arm of the advice: the setting that `on_exit = "best"` would choose, if anything is known
  /// to be better than the baseline.
  [[nodiscard]] std::vector<double> subject() const {
    if (best_.all_alike) return {};
    if (is_proven_) return answer_.uplift->arm;
    return is_baseline_better() ? specification_.baseline->setting : best_.arm;
  }

  [[nodiscard]] Advice advice() const {
    if (best_.all_alike) return Advice::same;
    if (is_proven_) return Advice::set;
    if (is_of_policy_) {
      return policy_verdict() == Uplift::Verdict::better ? Advice::set : Advice::so_far;
    }
    if (is_baseline_ || is_baseline_better()) return Advice::keep;
    if (is_alone() || is_one_of_many()) return Advice::so_far;
    if (answer_.uplift) return Advice::so_far;
    const bool is_certain = best_.basis == Best::Basis::no_noise ||
                            (is_bounded() && best_.rivals == 0 && !is_only_known());
    return is_certain ? Advice::set : Advice::so_far;
  }

  [[nodiscard]] std::pair<std::string, Tone> certainty() const {
    if (best_.all_alike) return {"no difference", Tone::plain};
    if (is_of_policy_ && policy_verdict() == Uplift::Verdict::better) {
      return {is_confirmed() ? "the policy is confirmed" : "the policy is better than the baseline",
              Tone::good};
    }
    if (is_of_policy_ && policy_verdict() == Uplift::Verdict::worse) {
      return {"the policy is worse than the baseline", Tone::bad};
    }
    if (is_confirmed()) return {"confirmed", Tone::good};
    if (is_proven_) return {"better than the baseline", Tone::good};
    if (is_alone()) {
      return {is_baseline_ ? "only the baseline has rewards" : "nothing to compare with",
              Tone::plain};
    }
    if (is_baseline_) return {"the baseline is best", Tone::plain};
    if (tone_ == Tone::bad) {
      const bool is_worse = answer_.uplift->verdict == Uplift::Verdict::worse;
      return {is_worse ? "worse than the baseline" : "refuted by a comparison", Tone::bad};
    }
    if (tone_ == Tone::unsure) return {"not sure yet", Tone::unsure};
    if (best_.basis == Best::Basis::no_noise) return {"rewards do not vary", Tone::plain};
    if (!is_bounded()) return {"not sure yet", Tone::unsure};
    if (best_.rivals > 0) return {"other settings may be as good", Tone::unsure};
    if (is_only_known()) return {"not sure yet", Tone::unsure};
    if (best_.unknown > 0) return {"the best of the settings measured well", Tone::good};
    return {"the best of all settings tried", Tone::good};
  }

  /// Names the setting if the advice recommends another one.
  [[nodiscard]] std::string mean() const {
    const double low = is_bounded() ? best_.lower : 0.0;
    const double high = is_bounded() ? best_.upper : 0.0;
    if (best_.since && best_.pulls == 0) {
      return fmt::format("The model estimates {}; the setting was not measured{}.",
                         significant_text(best_.mean, 4), since_text(best_.since));
    }
    if (best_.level_moves && !is_worse()) {
      return fmt::format("According to the model it earns {} now; it was measured in {}{}.",
                         significant_text(best_.mean, 4), pulls_text(best_.pulls),
                         since_text(best_.since));
    }
    std::string text = is_worse() ? fmt::format("The best setting tried, {}, has a mean reward of",
                                                specification_.space.describe(best_.arm))
                                  : "The mean reward is";
    text += " " + number_in(best_.mean, low, high);
    if (is_bounded()) {
      text += fmt::format(" ({} interval {} to {})", level_text(best_.confidence),
                          number_in(low, low, high), number_in(high, low, high));
    }
    return fmt::format("{}, from {} of it{}.", text, pulls_text(best_.pulls),
                       since_text(best_.since));
  }

  /// The proof for an arm other than the best one.
  [[nodiscard]] std::string proof() const {
    const std::string claim = fmt::format("{} is {}better than the baseline",
                                          specification_.space.describe(answer_.uplift->arm),
                                          is_confirmed() ? "confirmed to be " : "");
    const char* aside = direction() == Direction::minimize ? ", and lower is better" : "";
    return fmt::format("{}: {}{}, from {} pairs.", claim, share_and_size(), aside,
                       answer_.uplift->pairs);
  }

  [[nodiscard]] Uplift::Verdict policy_verdict() const { return answer_.uplift->verdict; }

  /// The result for the policy as a whole, in contexts where it differs from the baseline.
  [[nodiscard]] std::string policy_beside_baseline() const {
    const Uplift& uplift = *answer_.uplift;
    const bool is_decided =
        uplift.verdict == Uplift::Verdict::better || uplift.verdict == Uplift::Verdict::worse;
    if (!is_decided) {
      return as_sentence(claim_text(specification_.space, uplift, best_, direction()));
    }
    return as_sentence(fmt::format(
        "{} is {}{} than the baseline, where they differ: {}{}, from {} pairs",
        subject_text(specification_.space, uplift), uplift.is_confirmed ? "confirmed to be " : "",
        uplift.verdict == Uplift::Verdict::better ? "better" : "worse", share_and_size(),
        direction() == Direction::minimize ? ", and lower is better" : "", uplift.pairs));
  }

  /// `+12 %, which is +0.094 (+0.063 to +0.125)`
  [[nodiscard]] std::string share_and_size() const {
    const std::string share = share_of_baseline(*answer_.uplift);
    return share.empty() ? size_of_uplift() : share + ", which is " + size_of_uplift();
  }

  [[nodiscard]] std::string beside_baseline() const {
    if (is_baseline_ && is_alone()) return "That is the baseline.";
    if (is_baseline_) return "That is the baseline: no setting tried is significantly better.";
    if (!has_baseline_) return "";
    if (!specification_.contexts.empty()) return "";  // the policy is compared as a whole
    if (!answer_.uplift) return "The baseline has not been measured yet, so the gain is unknown.";
    const Uplift& uplift = *answer_.uplift;
    const bool is_said_below = uplift.is_refuted && uplift.verdict != Uplift::Verdict::worse;
    if (uplift.is_best && is_said_below) return "";
    if (!uplift.is_best || uplift.verdict == Uplift::Verdict::too_few) {
      return fmt::format("Compared with the baseline: {}.",
                         claim_text(specification_.space, uplift, best_, direction()));
    }
    const bool minimizes = direction() == Direction::minimize;
    const std::string share = share_of_baseline(*answer_.uplift);
    const std::string size = size_of_uplift();
    const std::string both = share_and_size();
    const char* aside = minimizes ? ", and lower is better" : "";
    if (tone_ == Tone::unsure) {
      return fmt::format("The difference from the baseline is not significant yet: {}{}.", both,
                         aside);
    }
    if (tone_ == Tone::bad) {
      return fmt::format("It is significantly worse than the baseline: {}{}.", both, aside);
    }
    if (share.empty()) {
      return fmt::format("That is {} {} the baseline{}.", size, minimizes ? "against" : "over",
                         aside);
    }
    if (minimizes) {
      return fmt::format("That is {} less than the baseline, which is better: {}.", share.substr(1),
                         size);
    }
    return fmt::format("That is {} over the baseline: {}.", share, size);
  }

  /// `+0.094 (+0.063 to +0.125)`
  [[nodiscard]] std::string size_of_uplift() const {
    const Uplift& uplift = *answer_.uplift;
    const auto& [low, high] = uplift.interval;
    if (!uplift.interval.bounded()) return with_sign(significant_text(uplift.difference, 4));
    return fmt::format("{} ({} to {})", with_sign(number_in(uplift.difference, low, high)),
                       with_sign(number_in(low, low, high)), with_sign(number_in(high, low, high)));
  }

  [[nodiscard]] std::string beside_others() const {
    if (is_alone()) {
      return is_baseline_ ? "No setting but the baseline has a reward."
                          : "No other setting has a reward.";
    }
    if (best_.all_alike || !is_bounded()) return "";
    const std::string unknown =
        best_.unknown == 0   ? ""
        : best_.unknown == 1 ? "; one has too few measurements to say"
                             : fmt::format("; {} have too few measurements to say", best_.unknown);
    if (is_only_known()) return "No other setting has enough measurements to compare with.";
    if (best_.rivals == 0) {
      return fmt::format("All other settings {} are ruled out{}.",
                         unknown.empty() ? "tried" : "measured well", unknown);
    }
    if (best_.rivals == 1) return "One other setting cannot be ruled out yet" + unknown + ".";
    return fmt::format("{} other settings cannot be ruled out yet{}.", best_.rivals, unknown);
  }

  [[nodiscard]] std::string verdict() const {
    if (is_confirmed() && answer_.uplift->is_best) {
      return fmt::format("A separate comparison with the baseline, of {} pairs, has confirmed it.",
                         answer_.uplift->pairs);
    }
    if (verdict_ && verdict_->is_of_policy() && is_confirmed()) return "";  // said above
    if (verdict_ && verdict_->is_of_policy()) {
      return fmt::format("The last comparison with the baseline {} the policy{}: {}.",
                         verdict_->confirmed ? "confirmed" : "did not confirm",
                         verdict_->has_learnt_since ? " at that time" : "", verdict_->text);
    }
    if (verdict_ && verdict_->before) {
      return fmt::format(
          "A comparison of {} with the baseline before pull {} is no longer valid: {}.",
          specification_.space.describe(verdict_->arm), *verdict_->before, verdict_->text);
    }
    if (!verdict_ || is_confirmed() || specification_.is_baseline(verdict_->arm)) return "";
    const std::string arm = specification_.space.describe(verdict_->arm);
    if (verdict_->confirmed) {
      return fmt::format("A comparison had confirmed {}, but it has broken a limit since.", arm);
    }
    return fmt::format("The last comparison with the baseline did not confirm {}: {}.", arm,
                       verdict_->text);
  }

  [[nodiscard]] std::vector<std::string> details() const {
    std::vector<std::string> sentences;
    if (best_.basis == Best::Basis::no_noise) {
      sentences.emplace_back("There is no interval: rewards of one setting never differ.");
    } else if (best_.level_moves) {
      sentences.emplace_back(
          "There is no interval for the mean, because the level of all rewards moves; settings are "
          "judged by their differences.");
    } else if (best_.is_compared) {
      sentences.emplace_back(
          "There is no interval for the mean, because the level of rewards may move; the "
          "difference "
          "from the baseline is valid nevertheless.");
    } else {
      sentences.emplace_back(assumption_text(best_.assumes));
    }
    if (best_.rare_extremes) {
      const bool rests_on_them = best_.assumes == Assumption::about_normal ||
                                 best_.assumes == Assumption::noise_as_elsewhere;
      sentences.emplace_back("Rewards have rare extreme values.");
      if (rests_on_them) {
        sentences.back() +=
            " The interval assumes that rewards here are no more extreme than those seen at "
            "other settings.";
      }
    }
    if (const auto& model = best_.by_model) {
      sentences.push_back(fmt::format(
          "The model, which also uses nearby settings, estimates {} to {} "
          "({} at this look, not at all looks).",
          number_in(model->lower, model->lower, model->upper),
          number_in(model->upper, model->lower, model->upper), level_text(kModelLevel)));
    }
    return sentences;
  }

  const BestAnswer& answer_;
  const Best& best_;
  const StudySpecification& specification_;
  const std::optional<Verdict>& verdict_;
  bool has_baseline_ = false;
  bool is_baseline_ = false;
  bool is_of_policy_ = false;  // the policy was compared, not an arm
  bool is_proven_ = false;     // some arm is better than the baseline
  std::optional<Tone> tone_;   // of the uplift of the best arm, if known
};

}  // namespace

Tone tone_of(const Uplift& uplift) {
  if (uplift.verdict == Uplift::Verdict::better) return Tone::good;
  const bool is_bad = uplift.verdict == Uplift::Verdict::worse || uplift.is_refuted;
  return is_bad ? Tone::bad : Tone::unsure;
}

BestWords best_words(const BestAnswer& answer, const StudySpecification& specification,
                     const std::optional<Verdict>& verdict) {
  return BestSentences(answer, specification, verdict).all();
}

}  // namespace canopy
