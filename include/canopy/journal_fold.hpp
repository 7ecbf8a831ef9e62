#pragma once

#include "canopy/event.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace canopy {

struct StudySpecification;

/// A state that follows from a journal alone, beside that of the optimizer. A study keeps it up to
/// date and saves it with its snapshots, so that opening a study need not read the whole journal.
class JournalFold {
 public:
  virtual ~JournalFold() = default;

  /// Takes in the next entry of the journal.
  virtual void apply(const JournalEntry& entry) = 0;

  [[nodiscard]] virtual std::string save() = 0;
  /// Throws StateError if the text is damaged, or was saved under other settings: the journal is
  /// then folded from its beginning.
  virtual void restore(std::string_view saved) = 0;
};

/// Makes the fold of a study before its first event.
using MakeFold = std::function<std::unique_ptr<JournalFold>(const StudySpecification&)>;

}  // namespace canopy
