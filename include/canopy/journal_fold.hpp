#pragma once

#include "canopy/event.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace canopy {

struct StudySpecification;

/// State other than the optimizer's that follows from the journal alone. A study keeps it up to
/// date and saves it in its snapshots, so that opening the study need not replay the whole journal.
class JournalFold {
 public:
  virtual ~JournalFold() = default;

  /// Processes the next entry of the journal.
  virtual void apply(const JournalEntry& entry) = 0;

  [[nodiscard]] virtual std::string save() = 0;
  /// Throws StateError if the text is damaged or was saved under other settings. The journal is
  /// then replayed from the beginning.
  virtual void restore(std::string_view saved) = 0;
};

/// Creates the fold of a study in its state before the first event.
using MakeFold = std::function<std::unique_ptr<JournalFold>(const StudySpecification&)>;

}  // namespace canopy
