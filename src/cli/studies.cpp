#include "canopy/stores.hpp"

#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "files/page.hpp"
#include "studies/answers.hpp"
#include "studies/study_file.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

constexpr std::array<std::string_view, 5> kActions{"list", "show", "export", "import", "delete"};

struct StudiesArguments {
  std::string action;
  NamedStudyFlags study;
  std::string format = "csv";
  std::optional<std::string> out;
  std::optional<std::string> name;  // of what is imported
};

Document record_document(const StudyRecord& record, Store& store) {
  Document table = Document::Table{{"name", record.name},
                                   {"events", record.events},
                                   {"pulls", record.pulls},
                                   {"created", record.created},
                                   {"updated", record.updated}};
  if (!record.forked_from.empty()) table.set("forked_from", record.forked_from);
  if (store.is_locked(record.id)) table.set("open_by", record.holder);
  return table;
}

int list(const StudiesArguments& arguments) {
  const std::unique_ptr<Store> store =
      open_any_store(arguments.study.where, Store::Mode::open, "studies");
  const std::vector<StudyRecord> records = store->list();
  if (arguments.study.json) {
    Document::List all;
    for (const StudyRecord& record : records) all.push_back(record_document(record, *store));
    fmt::print("{}\n", json_text(all, 2));
    return kSuccess;
  }
  fmt::print("{:<24}{:>12}{:>12}  {:<20} {}\n", "name", "pulls", "events", "last event", "open by");
  for (const StudyRecord& record : records) {
    const bool open = store->is_locked(record.id);
    fmt::print("{:<24}{:>12}{:>12}  {:<20} {}\n", record.name, record.pulls, record.events,
               date_text(record.updated), open ? record.holder : "");
  }
  return kSuccess;
}

int show(const StudiesArguments& arguments) {
  NamedStudy study(arguments.study, "studies");
  const auto optimizer = study.load_with_warning().optimizer;
  const auto best = optimizer->best();
  const Space& space = study.specification.space;
  if (arguments.study.json) {
    Document table = record_document(study.record, *study.store);
    table.set("summary", summary_document(optimizer->summary()));
    if (best) table.set("best", best_document(space, *best));
    table.set("specification", parse_json(json_of(study.specification), study.record.name));
    fmt::print("{}\n", json_text(table, 2));
    return kSuccess;
  }
  const Summary summary = optimizer->summary();
  fmt::print("{}: {} pulls, {} events, {} nodes, depth {}, {} changes of arm, {} in flight\n",
             study.record.name, summary.t - 1, study.record.events, summary.nodes, summary.depth,
             summary.switches, summary.in_flight);
  fmt::print("started {}, last event {}\n", date_text(study.record.created),
             date_text(study.record.updated));
  if (!study.record.forked_from.empty()) fmt::print("forked from {}\n", study.record.forked_from);
  if (study.store->is_locked(study.record.id)) {
    fmt::print("open by {}\n", study.record.holder);
  }
  if (best) fmt::print("best {}\n", best_text(space, *best));
  fmt::print("\n{}", toml_of(study.specification));
  return kSuccess;
}

/// Writes lines to a file, or to the standard output.
class Lines {
 public:
  explicit Lines(const std::optional<std::string>& path) : path_(path.value_or("standard output")) {
    if (path) file_.reset(std::fopen(path->c_str(), "wb"));
    if (path && !file_) fail();
  }

  void write(const std::string& line) {
    std::FILE* to = file_ ? file_.get() : stdout;
    if (std::fwrite(line.data(), 1, line.size(), to) != line.size() ||
        std::fputc('\n', to) == EOF) {
      fail();
    }
  }

  /// Everything is there when this returns.
  void finish() {
    if (std::fflush(file_ ? file_.get() : stdout) != 0) fail();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  [[noreturn]] void fail() const {
    throw OutputError(path_ + ": cannot be written: " + std::generic_category().message(errno));
  }

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// What an event says beside its kind and its arm, in the columns of an export.
struct Columns {
  Ticket ticket = 0;
  std::uint64_t count = 0;
  std::optional<double> value;  ///< a reward, a sum of rewards, or seconds
  std::optional<double> squared_deviations;
  std::string text;
};

struct ToColumns {
  Columns operator()(const Asked& event) const { return {event.ticket, event.pulls, {}, {}, {}}; }
  Columns operator()(const AskedAgain& event) const { return {event.ticket, 1, {}, {}, {}}; }
  Columns operator()(const Told& event) const { return {event.ticket, 1, event.reward, {}, {}}; }
  Columns operator()(const ToldList& event) const {
    std::string rewards;
    for (const double reward : event.rewards) {
      rewards += (rewards.empty() ? "" : " ") + to_text(reward);
    }
    return {event.ticket, event.rewards.size(), {}, {}, rewards};
  }
  Columns operator()(const ToldSums& event) const {
    return {
        event.ticket, event.rewards.count, event.rewards.sum, event.rewards.squared_deviations, {}};
  }
  Columns operator()(const PassedOver& event) const {
    return {
        event.ticket, event.rewards.count, event.rewards.sum, event.rewards.squared_deviations, {}};
  }
  Columns operator()(const Observed& event) const {
    return {0, event.rewards.count, event.rewards.sum, event.rewards.squared_deviations, {}};
  }
  Columns operator()(const Remembered& event) const {
    return {0, event.rewards.count, event.rewards.sum, event.rewards.squared_deviations, {}};
  }
  Columns operator()(const RangeSet& event) const {
    if (!event.range) return {0, 0, {}, {}, "auto"};
    return {0, 0, {}, {}, to_text(event.range->front()) + ' ' + to_text(event.range->back())};
  }
  Columns operator()(const Dropped& event) const { return {event.ticket, 0, {}, {}, {}}; }
  Columns operator()(const Finished& /*event*/) const { return {}; }
  Columns operator()(const TunerStarted& event) const {
    return {0, 0, event.earlier_seconds, {}, {}};
  }
  Columns operator()(const TunerStopped& event) const { return {0, 0, {}, {}, event.why}; }
  Columns operator()(const Applied& event) const { return {event.ticket, 0, {}, {}, {}}; }
  Columns operator()(const BaselineMeasured& event) const { return {0, 1, event.reward, {}, {}}; }
  Columns operator()(const Failed& event) const { return {event.ticket, 0, {}, {}, event.what}; }
  Columns operator()(const Barred& event) const { return {0, 0, event.reward, {}, {}}; }
  Columns operator()(const PutOff& event) const { return {event.ticket, 0, {}, {}, {}}; }
  Columns operator()(const MetricsMeasured& event) const {
    Document table;
    for (const auto& [name, value] : event.metrics) table.set(name, value);
    return {event.ticket, 0, {}, {}, json_text(table)};
  }
  Columns operator()(const ComparisonBegun& event) const { return {0, event.pulls, {}, {}, {}}; }
  Columns operator()(const Compared& event) const {
    return {0, 1, event.reward, {}, event.is_baseline ? "baseline" : "best"};
  }
  Columns operator()(const ComparisonEnded& event) const {
    return {0, 0, event.confirmed ? 1.0 : 0.0, {}, event.verdict};
  }
  Columns operator()(const ActTaken& event) const {
    return {0, event.pulls, {}, {}, std::string(name_of(event.act)) + " by " + event.by};
  }
  template <class Measured>  // Penalized, WarmedUp, Held
  Columns operator()(const Measured& event) const {
    return {event.ticket, 1, event.reward, {}, {}};
  }
};

std::string csv_value(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted_csv(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return to_text(std::get<double>(value));
}

std::string csv_line(const JournalEntry& entry, std::optional<Arm> arm, const Space& space) {
  const Columns columns = std::visit(ToColumns{}, entry.event);
  const auto number = [](const std::optional<double>& value) {
    return value ? to_text(*value) : std::string();
  };
  std::string line = fmt::format("{},{:.6f},{},{},{},{},{},{}", entry.number, entry.at,
                                 kind_name(entry.event), columns.ticket, columns.count,
                                 number(columns.value), number(columns.squared_deviations),
                                 columns.text.empty() ? "" : quoted_csv(columns.text));
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    line += ',';
    if (arm) line += csv_value(space.value(*arm, i));
  }
  return line;
}

std::string json_line(const JournalEntry& entry, std::optional<Arm> arm, const Space& space) {
  const Columns columns = std::visit(ToColumns{}, entry.event);
  Document table = Document::Table{
      {"number", entry.number}, {"at", entry.at}, {"event", kind_name(entry.event)}};
  if (columns.ticket != 0) table.set("ticket", columns.ticket);
  if (columns.count != 0) table.set("count", columns.count);
  if (columns.value) table.set("value", *columns.value);
  if (columns.squared_deviations) table.set("squared_deviations", *columns.squared_deviations);
  if (!columns.text.empty()) table.set("text", columns.text);
  if (arm) table.set("arm", arm_document(space, *arm));
  return json_text(table);
}

/// Whole studies: one, or all.
int export_whole(const StudiesArguments& arguments) {
  const std::unique_ptr<Store> store =
      open_any_store(arguments.study.where, Store::Mode::open, "studies");
  std::vector<StudyRecord> records;
  if (arguments.study.name.empty()) {
    // A server lists studies without their specifications.
    for (const StudyRecord& each : store->list()) records.push_back(find_study(*store, each.name));
  } else {
    records.push_back(find_study(*store, arguments.study.name));
  }
  Lines lines(arguments.out);
  for (const StudyRecord& record : records) {
    export_study(*store, record, [&](const std::string& line) { lines.write(line); });
  }
  lines.finish();
  return kSuccess;
}

int import_whole(const StudiesArguments& arguments) {
  const std::string& path = arguments.study.name;
  if (path.empty())
    throw WrongUse("FILE: is missing; `canopy studies export --format study` makes one");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw WrongUse(path + ": cannot be read");
  const std::unique_ptr<Store> store =
      open_any_store(arguments.study.where, Store::Mode::create, "studies");
  const auto next = [&]() -> std::optional<std::string> {
    std::string line;
    return std::getline(file, line) ? std::optional(std::move(line)) : std::nullopt;
  };
  import_studies(*store, path, arguments.name.value_or(""), next, [](const StudyRecord& record) {
    fmt::print("{}: {} pulls, {} events\n", record.name, record.pulls, record.events);
  });
  return kSuccess;
}

int export_events(const StudiesArguments& arguments) {
  if (arguments.format == "study") return export_whole(arguments);
  const bool csv = arguments.format == "csv" && !arguments.study.json;
  if (arguments.format != "csv" && arguments.format != "jsonl") {
    throw WrongUse("--format " + arguments.format + R"(: must be "csv", "jsonl" or "study")");
  }
  NamedStudy study(arguments.study, "studies");
  const Space& space = study.specification.space;
  Lines lines(arguments.out);
  if (csv) {
    std::string header = "number,at,event,ticket,count,value,squared_deviations,text";
    for (const Parameter& parameter : space.parameters())
      header += ',' + quoted_csv(parameter.name);
    lines.write(header);
  }
  read_journal(*study.store, study.record, [&](const JournalEntry& entry, std::optional<Arm> arm) {
    lines.write(csv ? csv_line(entry, arm, space) : json_line(entry, arm, space));
  });
  lines.finish();
  return kSuccess;
}

int erase(const StudiesArguments& arguments) {
  if (arguments.study.name.empty()) throw WrongUse("NAME: is missing");
  const std::unique_ptr<Store> store =
      open_any_store(arguments.study.where, Store::Mode::open, "studies");
  const StudyRecord record = find_study(*store, arguments.study.name);
  const std::unique_ptr<StudyLock> lock = store->try_lock(record.id);
  if (!lock) {
    throw StudyError(StudyError::Fault::open_elsewhere,
                     "the study " + record.name + " is open elsewhere: " + record.holder);
  }
  store->erase(record.id);
  fmt::print("deleted {} and its {} events\n", record.name, record.events);
  return kSuccess;
}

int manage(const StudiesArguments& arguments) {
  if (arguments.action == "list") return list(arguments);
  if (arguments.action == "show") return show(arguments);
  if (arguments.action == "export") return export_events(arguments);
  if (arguments.action == "import") return import_whole(arguments);
  if (arguments.action == "delete") return erase(arguments);
  if (arguments.action.empty()) {
    throw WrongUse("ACTION: is missing; must be list, show, export, import or delete");
  }
  throw WrongUse(arguments.action + ": " + unknown_name("action", arguments.action, kActions));
}

}  // namespace

Command add_studies(Words app) {
  const auto arguments = std::make_shared<StudiesArguments>();
  Words command =
      app.command("studies", "List, show, export, import or delete studies in a store.");
  command.option("ACTION", arguments->action, "list, show, export, import or delete");
  arguments->study.add_to(command);
  command.option(
      "--format", arguments->format,
      "export: csv or jsonl, for people and programs that read events; study, for import: one "
      "or, without NAME, all of them");
  command.option("--out", arguments->out, "export: the file to write [standard output]");
  command.option("--name", arguments->name, "import: another name for the only study of a file");
  command.footer(
      "Examples:\n"
      "  canopy studies list\n"
      "  canopy studies show cache\n"
      "  canopy studies export cache --format jsonl --out cache.jsonl\n"
      "  canopy studies export --format study --out backup.jsonl   # all of them, whole\n"
      "  canopy studies import backup.jsonl --store other.db\n"
      "  canopy studies delete cache");
  return [arguments] { return manage(*arguments); };
}

}  // namespace canopy::cli
