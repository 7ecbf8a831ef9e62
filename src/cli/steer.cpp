#include "canopy/study.hpp"

#include "cli/any_store.hpp"
#include "cli/commands.hpp"
#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "files/document_reader.hpp"
#include "journal/command_text.hpp"

#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

struct SteerArguments {
  std::string name;
  std::string command;
  StoreFlags where;
  std::optional<std::string> pulls;
  std::optional<std::string> by;
};

std::string user_name() {
  const char* user = std::getenv("USER");  // NOLINT(concurrency-mt-unsafe): no thread changes it
  if (user != nullptr && *user != '\0') return user;
  return fmt::format("user {}", getuid());
}

WantedCommand wanted_command(const SteerArguments& arguments) {
  if (arguments.name.empty()) {
    throw WrongUse("NAME: is missing; `canopy studies list` shows the names");
  }
  const std::string one_of = must_be_one_of(EnumNames<RunnerCommand>::names);
  if (arguments.command.empty()) throw WrongUse("COMMAND: is missing; it " + one_of);
  const std::optional<RunnerCommand> command = value_named<RunnerCommand>(arguments.command);
  if (!command) throw WrongUse(excerpt(arguments.command) + ": " + one_of);
  WantedCommand wanted{*command, arguments.by ? *arguments.by : user_name()};
  if (wanted.by.empty()) throw WrongUse("--by: must not be empty");
  if (arguments.by && arguments.where.server) {
    throw WrongUse("--by: cannot be combined with --server, which takes the name from the token");
  }
  if (!arguments.pulls) return wanted;
  if (command != RunnerCommand::confirm) throw WrongUse("--pulls: is only for confirm");
  const auto pulls = number_in<std::uint64_t>(*arguments.pulls);
  if (!pulls || *pulls < 2 || *pulls > INT64_MAX) {
    throw WrongUse("--pulls = " + excerpt(*arguments.pulls) +
                   ": must be a whole number, 2 or more");
  }
  wanted.pulls = *pulls;
  return wanted;
}

/// Throws WrongUse if the tuner of the study could not obey the command.
void check_that_it_can_be_done(const StudyRecord& record, RunnerCommand command) {
  const StudySpecification specification = specification_of(record);
  if (!specification.system) {
    throw WrongUse(record.name + ": has no [system] section");
  }
  const bool needs_baseline =
      command == RunnerCommand::baseline || command == RunnerCommand::confirm;
  if (needs_baseline && !specification.baseline) {
    throw WrongUse(fmt::format("{}: {} has no baseline", name_of(command), record.name));
  }
}

int steer(const SteerArguments& arguments) {
  const WantedCommand wanted = wanted_command(arguments);
  const AnyStore store = open_any_store(arguments.where, Store::Mode::open, "steer");
  const StudyRecord record = find_study(*store, arguments.name);
  check_that_it_can_be_done(record, wanted.command);
  const std::uint64_t number =
      store->post_command(record.id, static_cast<double>(std::time(nullptr)), command_text(wanted));
  const bool runs = store->is_locked(record.id);
  fmt::print("{}: {} was posted as command {}{}\n", record.name, name_of(wanted.command), number,
             runs ? "" : "; no tuner runs the study at present");
  return kSuccess;
}

}  // namespace

Command add_steer(ArgumentParser app) {
  const auto arguments = std::make_shared<SteerArguments>();
  ArgumentParser command = app.command(
      "steer", "Send a command to the tuner of a study: pause, resume, end and others.");
  command.option("NAME", arguments->name, "the name of the study");
  command.option("COMMAND", arguments->command, "pause, resume, hold, baseline, confirm or end");
  command.option("--pulls", arguments->pulls,
                 "for confirm: maximum number of measurements, both settings together "
                 "[budget.confirm_pulls, or 100]");
  command.option("--by", arguments->by,
                 "who sends the command, shown to other users [$USER]; with --server, the name "
                 "of the token");
  arguments->where.add_to(command);
  command.footer(
      "  pause      wait at the best setting so far\n"
      "  hold       wait at the current setting\n"
      "  baseline   wait at the baseline\n"
      "  resume     continue after any of these\n"
      "  confirm    compare the best setting with the baseline, then continue\n"
      "  end        end the tuning as if its budget were used up\n"
      "The tuner obeys within about a second after the current measurement. The command stays in "
      "force when the tuner is restarted.\n"
      "Example:\n"
      "  canopy steer cache pause");
  return [arguments] { return steer(*arguments); };
}

}  // namespace canopy::cli
