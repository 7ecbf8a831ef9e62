#pragma once

#include "canopy/event.hpp"
#include "canopy/study_specification.hpp"

#include "studies/first_format.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace canopy::first_format {

/// A line of a journal of the first format, as it stood in the store.
struct Line {
  int kind = 0;
  std::uint64_t ticket = 0;
  std::uint64_t count = 0;
  double value = 0.0;
  double squares = 0.0;
  std::string text;
};

/// What a study file meant to the first format: what it does not say has the defaults of that time.
/// Throws SpecificationError.
[[nodiscard]] StudySpecification specification_from(const std::string& toml,
                                                    const std::string& name);

/// Turns the journal of a study into events, line by line and from the first: asks get the arms
/// that were played. A line that does not fit what came before is an event all the same; from there
/// on asks have no arms, and continuing the study fails at the first of them.
class Translator {
 public:
  explicit Translator(const StudySpecification& study);

  /// Throws StudyError for a line that means nothing.
  [[nodiscard]] Event translate(const Line& line);

 private:
  [[nodiscard]] Event ask(const Line& line);
  void check(bool fits) { lost_ = lost_ || !fits; }

  Space space_;
  std::unique_ptr<Player> player_;
  bool lost_ = false;
};

}  // namespace canopy::first_format
