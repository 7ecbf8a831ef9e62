#pragma once
// What to do about the best arm, how certain that is and why, in sentences for people.

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

/// What to do.
enum class Advice : std::uint8_t {
  set,     ///< Set the system to it.
  so_far,  ///< It is the best so far, and may still change.
  keep,    ///< The baseline is at least as good.
  same,    ///< All settings do the same.
};

template <>
struct EnumNames<Advice> {
  static constexpr std::array<std::string_view, 4> names{"set", "so_far", "keep", "same"};
};

/// How good a piece of news is.
enum class Tone : std::uint8_t { plain, good, bad, unsure };

template <>
struct EnumNames<Tone> {
  static constexpr std::array<std::string_view, 4> names{"plain", "good", "bad", "unsure"};
};

struct BestWords {
  Advice advice = Advice::so_far;
  std::vector<double> arm = {};  ///< the setting that the advice is about; empty: all do the same
  std::string certainty = {};    ///< in a few words
  Tone tone = Tone::plain;
  std::optional<Tone> uplift = std::nullopt;  ///< none: it is not known
  std::vector<std::string> sentences = {};
  std::vector<std::string> details = {};
};

template <class Visit>
void visit_fields(BestWords& words, Visit&& visit) {
  visit(Field{"advice",
              "`set` it; it is the best `so_far`; `keep` the baseline; all settings do the `same`"},
        words.advice);
  visit(SettingField{Field{"arm",
                           "that the advice is about: one that is confirmed or proven to be better "
                           "than the baseline comes before the best arm; left out: all do the same"}
                         .or_none()},
        words.arm);
  visit(Field{"certainty", "in a few words"}, words.certainty);
  visit(Field{"tone", "of these"}, words.tone);
  visit(Field{"uplift",
              "how the arm of `uplift` does beside the baseline: `good` or `bad` at the level of "
              "the interval, or `unsure`; left out: that is not known"}
            .or_none(),
        words.uplift);
  visit(Field{"sentences", "what it earns, and beside the baseline and the others"},
        words.sentences);
  visit(Field{"details", "why there is no interval, and what the model says"}, words.details);
}

/// Good or bad only where that is decided.
[[nodiscard]] Tone tone_of(const Uplift& uplift);

/// The words for an answer, whose own words are not looked at, and what the last comparison said.
[[nodiscard]] BestWords best_words(const BestAnswer& answer,
                                   const StudySpecification& specification,
                                   const std::optional<Verdict>& verdict = std::nullopt);

}  // namespace canopy
