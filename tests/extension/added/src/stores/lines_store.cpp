#include "stores/lines_store.hpp"

#include "canopy/options.hpp"
#include "canopy/study_error.hpp"

#include "files/page.hpp"
#include "files/row.hpp"
#include "stores/event_row.hpp"
#include "stores/list.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace canopy {
namespace {

constexpr std::string_view kPrefix = "lines:";

// The kinds of lines.

struct HeadLine {
  static constexpr std::string_view kName = "canopy";

  std::uint64_t last_id = 0;
};

template <class Visit>
void visit_fields(HeadLine& line, Visit&& visit) {
  visit(Field{"last_id", "that a study was given"}, line.last_id);
}

struct StudyLine {
  static constexpr std::string_view kName = "study";

  std::uint64_t id = 0;
  StudyRecord record;
};

template <class Visit>
void visit_fields(StudyLine& line, Visit&& visit) {
  visit(Field{"study", "its number"}, line.id);
  visit(Field{"name", "of the study"}, line.record.name);
  visit(Field{"specification", "as JSON"}, line.record.specification);
  visit(Field{"forked_from", "another study"}, line.record.forked_from);
  visit(Field{"created", "seconds since 1970"}, line.record.created);
  visit(Field{"updated", "seconds since 1970"}, line.record.updated);
  visit(Field{"events", "of its journal"}, line.record.events);
  visit(Field{"pulls", "rewards learnt"}, line.record.pulls);
  visit(Field{"holder", "who last opened it"}, line.record.holder);
}

/// This and the following belong to the study above them.
struct EventLine {
  static constexpr std::string_view kName = "event";

  std::uint64_t number = 0;
  double at = 0.0;
  std::uint64_t checksum = 0;
  std::string event;
};

template <class Visit>
void visit_fields(EventLine& line, Visit&& visit) {
  visit(Field{"number", "1, 2, 3, ..."}, line.number);
  visit(Field{"at", "seconds since 1970"}, line.at);
  visit(Field{"checksum", "of the row"}, line.checksum);
  visit(Field{"event", "as a row"}, line.event);
}

struct SnapshotLine {
  static constexpr std::string_view kName = "snapshot";

  Snapshot snapshot;
};

template <class Visit>
void visit_fields(SnapshotLine& line, Visit&& visit) {
  visit(Field{"events", "that it covers"}, line.snapshot.events);
  visit(Field{"optimizer", "its state"}, line.snapshot.optimizer);
  visit(Field{"tuner", "its state"}, line.snapshot.tuner);
}

struct AnswerLine {
  static constexpr std::string_view kName = "answer";

  KeptAnswer answer;
};

template <class Visit>
void visit_fields(AnswerLine& line, Visit&& visit) {
  visit(Field{"key", "of the request"}, line.answer.key);
  visit(Field{"request", "what was asked for"}, line.answer.request);
  visit(Field{"answer", "to be given again"}, line.answer.answer);
  visit(Field{"at", "seconds since 1970"}, line.answer.at);
}

struct CommandLine_ {
  static constexpr std::string_view kName = "command";

  PostedCommand command;
};

template <class Visit>
void visit_fields(CommandLine_& line, Visit&& visit) {
  visit(Field{"number", "1, 2, 3, ..."}, line.command.number);
  visit(Field{"at", "seconds since 1970"}, line.command.at);
  visit(Field{"text", "what is wanted"}, line.command.text);
}

template <class Line>
void add_line(std::string& text, const Line& line) {
  RowWriter row(text, Line::kName);
  visit_fields_of(line, row);
  row.finish();
  text += '\n';
}

void add_study(std::string& text, StudyId id, const MemoryStudies::Study& study) {
  add_line(text, StudyLine{static_cast<std::uint64_t>(id), study.record});
  for (const JournalEntry& entry : study.journal) {
    const EventRow row = row_of(entry);
    add_line(text, EventLine{row.number, row.at, row.checksum, row.event});
  }
  if (study.snapshot) add_line(text, SnapshotLine{*study.snapshot});
  for (const auto& [key, answer] : study.answers) add_line(text, AnswerLine{answer});
  for (const PostedCommand& command : study.commands) add_line(text, CommandLine_{command});
}

template <class Line>
Line line_in(RowReader& row) {
  Line line;
  visit_fields(line, row);
  row.finish();
  return line;
}

/// Takes in one line; those of a study follow its first. Throws RowError and StudyError.
void take_line(const std::string& text, MemoryStudies& all, MemoryStudies::Study*& study) {
  RowReader row(text);
  if (row.name() == HeadLine::kName) {
    all.last_id = static_cast<StudyId>(line_in<HeadLine>(row).last_id);
    return;
  }
  if (row.name() == StudyLine::kName) {
    auto line = line_in<StudyLine>(row);
    line.record.id = static_cast<StudyId>(line.id);
    study = &all.studies[line.record.id];
    study->record = std::move(line.record);
    return;
  }
  if (study == nullptr) throw RowError("it belongs to no study");
  if (row.name() == EventLine::kName) {
    auto line = line_in<EventLine>(row);
    const EventRow event{line.number, line.at, static_cast<std::uint32_t>(line.checksum),
                         std::move(line.event)};
    study->journal.push_back(event.entry());
  } else if (row.name() == SnapshotLine::kName) {
    study->snapshot = line_in<SnapshotLine>(row).snapshot;
  } else if (row.name() == AnswerLine::kName) {
    KeptAnswer answer = line_in<AnswerLine>(row).answer;
    study->answers[answer.key] = std::move(answer);
  } else if (row.name() == CommandLine_::kName) {
    study->commands.push_back(line_in<CommandLine_>(row).command);
  } else {
    throw RowError("there is no such line: " + row.name());
  }
}

std::unique_ptr<LockFile::Lock> lock_of(const std::string& name, const std::string& path) {
  auto lock = std::make_shared<LockFile>(path)->try_take(0);
  if (!lock) throw StoreError(StoreError::Fault::busy, name + ": another process has it open");
  return lock;
}

std::unique_ptr<FullStore> open_lines(const std::string& name, Store::Mode mode) {
  return std::make_unique<LinesStore>(name, mode);
}

}  // namespace

StoreEntry lines_store_entry() {
  return {.prefixes = {kPrefix}, .open = open_lines};
}

LinesStore::LinesStore(const std::string& name, Mode mode)
    : name_(name),
      path_(name.substr(kPrefix.size())),
      file_lock_(lock_of(name_, path_)),
      studies_(std::make_shared<MemoryStudies>()),
      memory_(studies_) {
  if (std::filesystem::exists(path_)) {
    load();
  } else if (mode == Mode::create) {
    save();
  } else {
    throw StoreError(StoreError::Fault::missing, name_ + ": there is no such file");
  }
}

void LinesStore::load() {
  std::ifstream file(path_);
  MemoryStudies::Study* study = nullptr;
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    try {
      take_line(line, *studies_, study);
    } catch (const std::runtime_error& error) {
      throw StoreError(StoreError::Fault::damaged,
                       name_ + ": line " + std::to_string(number) + ": " + error.what());
    }
  }
}

void LinesStore::save() const {
  std::string text;
  add_line(text, HeadLine{static_cast<std::uint64_t>(studies_->last_id)});
  for (const auto& [id, study] : studies_->studies) add_study(text, id, study);
  try {
    write_file(path_, text);
  } catch (const OutputError& error) {
    throw StoreError(StoreError::Fault::other, name_ + ": " + error.what());
  }
}

template <class Change>
auto LinesStore::change(Change&& change) {
  const auto before = studies_->studies;
  try {
    if constexpr (std::is_void_v<decltype(change())>) {
      change();
      save();
    } else {
      auto result = change();
      save();
      return result;
    }
  } catch (...) {
    studies_->studies = before;
    throw;
  }
}

// --- what changes something ----------------------------------------------------------------------

std::optional<StudyRecord> LinesStore::create(const NewStudy& study) {
  return change([&] { return memory_.create(study); });
}

void LinesStore::erase(StudyId study) {
  change([&] { memory_.erase(study); });
}

void LinesStore::set_specification(StudyId study, const std::string& specification) {
  change([&] { memory_.set_specification(study, specification); });
}

void LinesStore::set_holder(StudyId study, const std::string& holder) {
  change([&] { memory_.set_holder(study, holder); });
}

std::vector<std::optional<StoreError>> LinesStore::write(std::span<const StudyWrite> writes) {
  return change([&] { return memory_.write(writes); });
}

std::uint64_t LinesStore::forget_answers(double before) {
  return change([&] { return memory_.forget_answers(before); });
}

std::uint64_t LinesStore::post_command(StudyId study, double at, const std::string& text) {
  return change([&] { return memory_.post_command(study, at, text); });
}

void LinesStore::set_snapshot(StudyId study, const Snapshot& snapshot) {
  change([&] { memory_.set_snapshot(study, snapshot); });
}

// --- what only looks -----------------------------------------------------------------------------

std::vector<StudyRecord> LinesStore::list(const StudyRange& range) {
  return memory_.list(range);
}

std::optional<StudyRecord> LinesStore::find(const std::string& name) {
  return memory_.find(name);
}

void LinesStore::read(StudyId study, const EntryRange& range,
                      const std::function<void(const JournalEntry&)>& visit) {
  memory_.read(study, range, visit);
}

std::vector<std::optional<KeptAnswer>> LinesStore::find_answers(std::span<const AnswerKey> keys) {
  return memory_.find_answers(keys);
}

std::vector<PostedCommand> LinesStore::commands(StudyId study, std::uint64_t after) {
  return memory_.commands(study, after);
}

std::optional<Snapshot> LinesStore::snapshot(StudyId study) {
  return memory_.snapshot(study);
}

std::unique_ptr<StudyLock> LinesStore::try_lock(StudyId study, std::chrono::milliseconds patience) {
  return memory_.try_lock(study, patience);
}

bool LinesStore::is_locked(StudyId study) {
  return memory_.is_locked(study);
}

}  // namespace canopy
