#include "canopy/journal.hpp"
#include "canopy/output_error.hpp"
#include "canopy/stores.hpp"

#include "cli/commands.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"
#include "cli/verify.hpp"
#include "core/text.hpp"
#include "files/arm_document.hpp"
#include "files/json.hpp"
#include "files/record.hpp"
#include "journal/export.hpp"
#include "studies/answers.hpp"
#include "studies/policy_document.hpp"
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

constexpr std::array<std::string_view, 6> kActions{"list",   "show",   "export",
                                                   "import", "verify", "delete"};

struct StudiesArguments {
  std::string action;
  NamedStudyFlags study;
  std::string format = "csv";
  std::optional<std::string> out;
  std::optional<std::string> name;  // of the imported study
  bool is_sure = false;
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
  const AnyStore store = open_any_store(arguments.study.where, Store::Mode::open, "studies");
  const std::vector<StudyRecord> records = store->list({});
  if (arguments.study.json) {
    Document::List all;
    for (const StudyRecord& record : records) all.push_back(record_document(record, *store));
    fmt::print("{}\n", json_text(Document::Table{{"studies", std::move(all)}}, 2));
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
    table.set("summary", record_of(space, optimizer->summary()));
    if (best) table.set("best", record_of(space, *best));
    if (const auto policy = optimizer->policy()) {
      table.set("policy", policy_document(Names(space, study.specification.contexts), *policy));
    }
    table.set("specification", parse_json(json_of(study.specification), study.record.name));
    fmt::print("{}\n", json_text(table, 2));
    return kSuccess;
  }
  const Summary summary = optimizer->summary();
  fmt::print("{}: {} pulls, {} events, {} nodes, depth {}, {} changes of setting, {} in flight\n",
             study.record.name, summary.t - 1, study.record.events, summary.nodes, summary.depth,
             summary.switches, summary.in_flight);
  fmt::print("started {}, last event {}\n", date_text(study.record.created),
             date_text(study.record.updated));
  if (!study.record.forked_from.empty()) fmt::print("forked from {}\n", study.record.forked_from);
  if (study.store->is_locked(study.record.id)) {
    fmt::print("open by {}\n", study.record.holder);
  }
  const std::string depends = depends_text(*optimizer, study.record.name);
  if (best) fmt::print("best {}\n", depends.empty() ? best_text(space, *best) : depends);
  fmt::print("\n{}", toml_of(study.specification));
  return kSuccess;
}

/// Writes lines to a file or to standard output.
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

  /// Flushes the output; throws OutputError if that fails.
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

/// Exports one study or all studies, for import.
int export_whole(const StudiesArguments& arguments) {
  const AnyStore store = open_any_store(arguments.study.where, Store::Mode::open, "studies");
  std::vector<StudyRecord> records;
  if (arguments.study.name.empty()) {
    // A server lists studies without their specifications.
    for (const StudyRecord& each : store->list({}))
      records.push_back(find_study(*store, each.name));
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
    throw WrongUse("FILE: is missing; `canopy studies export --format study` writes one");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw WrongUse(path + ": cannot be read");
  const AnyStore store = open_any_store(arguments.study.where, Store::Mode::create, "studies");
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
  const Names names(study.specification.space, study.specification.contexts);
  Lines lines(arguments.out);
  if (csv) lines.write(csv_header(names));
  read_journal(*study.store, study.record,
               [&](const JournalEntry& entry, std::optional<Arm> arm, Context context) {
                 lines.write(csv ? csv_line(names, entry, arm, context)
                                 : json_line(names, entry, arm, context));
               });
  lines.finish();
  return kSuccess;
}

int erase(const StudiesArguments& arguments) {
  if (arguments.study.name.empty()) throw WrongUse("NAME: is missing");
  const AnyStore store = open_any_store(arguments.study.where, Store::Mode::open, "studies");
  const StudyRecord record = find_study(*store, arguments.study.name);
  const std::string question = fmt::format("delete {} and its {} events? This cannot be undone.",
                                           record.name, record.events);
  if (!arguments.is_sure && !confirmed_at_terminal(question)) {
    fmt::print("nothing was deleted\n");
    return kFailure;
  }
  const std::unique_ptr<StudyLock> lock = store->try_lock(record.id, Store::kPatience);
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
  if (arguments.action == "verify") return verify_studies(arguments.study);
  if (arguments.action == "delete") return erase(arguments);
  if (arguments.action.empty()) {
    throw WrongUse("ACTION: is missing; must be list, show, export, import, verify or delete");
  }
  throw WrongUse(arguments.action + ": " + unknown_name("action", arguments.action, kActions));
}

}  // namespace

Command add_studies(ArgumentParser app) {
  const auto arguments = std::make_shared<StudiesArguments>();
  ArgumentParser command =
      app.command("studies", "List, show, export, import, verify or delete studies in a store.");
  command.option("ACTION", arguments->action, "list, show, export, import, verify or delete");
  arguments->study.add_to(command);
  command.option(
      "--format", arguments->format,
      "export: csv or jsonl write events; study writes a file for import, with all studies if "
      "NAME is left out");
  command.option("--out", arguments->out, "export: the file to write [standard output]");
  command.option("--name", arguments->name, "import: another name, if the file has one study");
  command.flag("--yes", arguments->is_sure, "delete: do not ask for confirmation");
  command.footer(
      "Examples:\n"
      "  canopy studies list\n"
      "  canopy studies show cache\n"
      "  canopy studies export cache --format jsonl --out cache.jsonl\n"
      "  canopy studies export --format study --out backup.jsonl   # all studies, for import\n"
      "  canopy studies import backup.jsonl --store other.db\n"
      "  canopy studies verify   # every event of every study: exit status 1 if any is damaged\n"
      "  canopy studies delete cache");
  return [arguments] { return manage(*arguments); };
}

}  // namespace canopy::cli
