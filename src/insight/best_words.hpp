#pragma once
// Advice on the best arm for users: what to do, how certain that is and why, in sentences.

#include "canopy/enum_names.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/options.hpp"
#include "canopy/study_specification.hpp"

#include "tuning/tuner_state.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

struct BestAnswer;

/// The recommended action.
enum class Advice : std::uint8_t {
  set,     ///< Set the system to this setting.
  so_far,  ///< The best so far; it may still change.
  keep,    ///< The baseline is at least as good.
  same,    ///< All settings have the same effect.
};

template <>
struct EnumNames<Advice> {
  static constexpr std::array<std::string_view, 4> names{"set", "so_far", "keep", "same"};
};

/// Whether a result is favourable.
enum class Tone : std::uint8_t { plain, good, bad, unsure };

template <>
struct EnumNames<Tone> {
  static constexpr std::array<std::string_view, 4> names{"plain", "good", "bad", "unsure"};
};

struct BestWords {
  Advice advice = Advice::so_far;
  std::vector<double> arm = {};  ///< the recommended setting; empty: all have the same effect
  std::string certainty = {};    ///< in a few words
  Tone tone = Tone::plain;
  std::optional<Tone> uplift = std::nullopt;  ///< none: unknown
  std::vector<std::string> sentences = {};
  std::vector<std::string> details = {};
};

template <class Visit>
void visit_fields(BestWords& words, Visit&& visit) {
  visit(Field{"advice",
              "`set` it; it is the best `so_far`; `keep` the baseline; all settings have the "
              "`same` effect"},
        words.advice);
  visit(SettingField{Field{
            "arm",
            "the recommended setting: one confirmed or proven to be better than the baseline takes "
            "precedence over the best arm; left out: all settings have the same effect"}
                         .or_none()},
        words.arm);
  visit(Field{"certainty", "how certain the advice is, in a few words"}, words.certainty);
  visit(Field{"tone", "whether `certainty` is favourable"}, words.tone);
  visit(Field{"uplift",
              "how the arm of `uplift` compares with the baseline: `good` or `bad` if significant, "
              "else "
              "`unsure`; left out: not known"}
            .or_none(),
        words.uplift);
  visit(
      Field{"sentences", "its rewards, and how they compare with the baseline and other settings"},
      words.sentences);
  visit(Field{"details", "why there is no interval, and what the model estimates"}, words.details);
}

/// Good or bad only if the uplift is significant.
[[nodiscard]] Tone tone_of(const Uplift& uplift);

/// The advice for an answer (whose own `words` are ignored), given the result of the last
/// comparison.
[[nodiscard]] BestWords best_words(const BestAnswer& answer,
                                   const StudySpecification& specification,
                                   const std::optional<Verdict>& verdict = std::nullopt);

}  // namespace canopy
