#pragma once

#include "canopy/event.hpp"
#include "canopy/store.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// A command to the process that runs a study.
struct WantedCommand {
  RunnerCommand command = RunnerCommand::pause;
  std::string by = "anonymous";
  std::uint64_t pulls = 0;  ///< for `confirm`; 0: the default number
  std::string key = {};     ///< the idempotency key of the request, if it had one

  friend bool operator==(const WantedCommand&, const WantedCommand&) = default;
};

/// Encodes a command as the text that Store::post_command takes:
/// {"command":"confirm","by":"alice","pulls":40}.
[[nodiscard]] std::string command_text(const WantedCommand& wanted);

/// Decodes a command. Throws SpecificationError if the text is invalid.
[[nodiscard]] WantedCommand command_from(std::string_view text);

/// Whether the command has an idempotency key, so that repeated requests post it only once.
[[nodiscard]] bool has_key(std::string_view text);

/// Returns the accepted commands of a journal in the form in which they were posted. Throws
/// StudyError if their numbers are not increasing.
[[nodiscard]] std::vector<PostedCommand> commands_in(std::span<const JournalEntry> journal);

}  // namespace canopy
