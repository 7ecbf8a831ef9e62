#pragma once

#include "canopy/event.hpp"
#include "canopy/store.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// What somebody wants from whoever runs a study.
struct WantedCommand {
  RunnerCommand command = RunnerCommand::pause;
  std::string by = "somebody";
  std::uint64_t pulls = 0;  ///< for a comparison; 0: as many as are usual
  std::string key = {};     ///< of the request that wanted it: the same one wants it once

  friend bool operator==(const WantedCommand&, const WantedCommand&) = default;
};

/// The same as Store::post_command takes it: {"command":"confirm","by":"alice","pulls":40}.
[[nodiscard]] std::string command_text(const WantedCommand& wanted);

/// Reads it back. Throws SpecificationError, which says what is wrong with it.
[[nodiscard]] WantedCommand command_from(std::string_view text);

/// Whether it has the key of a request, which is posted once however often it comes.
[[nodiscard]] bool has_key(std::string_view text);

/// The commands that were accepted according to a journal, as they were posted. Throws StudyError
/// if their numbers do not grow.
[[nodiscard]] std::vector<PostedCommand> commands_in(std::span<const JournalEntry> journal);

}  // namespace canopy
