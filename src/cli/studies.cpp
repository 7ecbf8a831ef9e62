#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/named_study.hpp"
#include "cli/study_text.hpp"
#include "core/text.hpp"
#include "files/page.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace canopy::cli {
namespace {

constexpr std::array<std::string_view, 4> kActions{"list", "show", "export", "delete"};

struct Arguments {
  std::string action;
  NamedStudyFlags study;
  std::string format = "csv";
  std::optional<std::string> out;
};

Json record_json(const StudyRecord& record, const std::string& store) {
  Json json{{"name", record.name},
            {"events", record.events},
            {"pulls", record.pulls},
            {"created", record.created},
            {"updated", record.updated}};
  if (!record.forked_from.empty()) json["forked_from"] = record.forked_from;
  if (StudyLock::is_taken(store, record.id)) json["open_by"] = record.holder;
  return json;
}

int list(const Arguments& arguments) {
  Store store(arguments.study.store, Store::Mode::open);
  const std::vector<StudyRecord> records = store.list();
  if (arguments.study.json) {
    Json all = Json::array();
    for (const StudyRecord& record : records) all.push_back(record_json(record, store.path()));
    fmt::print("{}\n", all.dump(2));
    return kSuccess;
  }
  fmt::print("{:<24}{:>12}{:>12}  {:<20} {}\n", "name", "pulls", "events", "last event", "open by");
  for (const StudyRecord& record : records) {
    const bool open = StudyLock::is_taken(store.path(), record.id);
    fmt::print("{:<24}{:>12}{:>12}  {:<20} {}\n", record.name, record.pulls, record.events,
               date_text(record.updated), open ? record.holder : "");
  }
  return kSuccess;
}

int show(const Arguments& arguments) {
  NamedStudy study(arguments.study);
  const auto optimizer = study.load();
  const auto best = optimizer->best();
  const Space& space = study.specification.space;
  if (arguments.study.json) {
    Json json = record_json(study.record, study.store.path());
    json["summary"] = summary_json(optimizer->summary());
    if (best) json["best"] = best_json(space, *best);
    for (const auto& [field, value] : learning_fields(study.specification)) {
      json["specification"][field] = value;
    }
    fmt::print("{}\n", json.dump(2));
    return kSuccess;
  }
  const Summary summary = optimizer->summary();
  fmt::print("{}: {} pulls, {} events, {} nodes, depth {}, {} changes of arm, {} in flight\n",
             study.record.name, summary.t - 1, study.record.events, summary.nodes, summary.depth,
             summary.switches, summary.in_flight);
  fmt::print("begun {}, last event {}\n", date_text(study.record.created),
             date_text(study.record.updated));
  if (!study.record.forked_from.empty()) fmt::print("forked from {}\n", study.record.forked_from);
  if (StudyLock::is_taken(study.store.path(), study.record.id)) {
    fmt::print("open by {}\n", study.record.holder);
  }
  if (best) fmt::print("best {}\n", best_text(space, *best));
  fmt::print("\n{}", study.record.source);
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

std::string csv_line(const Event& event, std::optional<Arm> arm, const Space& space) {
  std::string line =
      fmt::format("{},{:.6f},{},{},{},{},{},{}", event.number, event.at, name_of(event.kind),
                  event.ticket, event.count, to_text(event.value), to_text(event.squares),
                  event.text.empty() ? "" : quoted_csv(event.text));
  for (std::size_t i = 0; i < space.dimension(); ++i) {
    line += ',';
    if (!arm) continue;
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_same_v<T, std::string>) {
            line += quoted_csv(value);
          } else if constexpr (std::is_same_v<T, double>) {
            line += to_text(value);
          } else {
            line += std::to_string(value);
          }
        },
        space.value(*arm, i));
  }
  return line;
}

std::string json_line(const Event& event, std::optional<Arm> arm, const Space& space) {
  Json json{{"number", event.number}, {"at", event.at}, {"event", name_of(event.kind)}};
  if (event.ticket != 0) json["ticket"] = event.ticket;
  if (event.count != 0) json["count"] = event.count;
  if (event.kind != EventKind::ask && event.kind != EventKind::drop) json["value"] = event.value;
  if (event.kind == EventKind::tell_sums) json["sum_squares"] = event.squares;
  if (!event.text.empty()) json["text"] = event.text;
  if (arm) json["arm"] = arm_json(space, *arm);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int export_events(const Arguments& arguments) {
  const bool csv = arguments.format == "csv" && !arguments.study.json;
  if (arguments.format != "csv" && arguments.format != "jsonl") {
    throw WrongUse("--format " + arguments.format + ": must be \"csv\" or \"jsonl\"");
  }
  NamedStudy study(arguments.study);
  const Space& space = study.specification.space;
  Lines lines(arguments.out);
  if (csv) {
    std::string header = "number,at,event,ticket,count,value,sum_squares,text";
    for (const Parameter& parameter : space.parameters())
      header += ',' + quoted_csv(parameter.name);
    lines.write(header);
  }
  replay(study.store, study.record, study.specification,
         [&](const Event& event, std::optional<Arm> arm) {
           lines.write(csv ? csv_line(event, arm, space) : json_line(event, arm, space));
         });
  lines.finish();
  return kSuccess;
}

int erase(const Arguments& arguments) {
  if (arguments.study.name.empty()) throw WrongUse("NAME: is missing");
  Store store(arguments.study.store, Store::Mode::open);
  const StudyRecord record = find_study(store, arguments.study.name);
  const auto lock = StudyLock::try_take(store.path(), record.id);
  if (!lock) throw StudyError("the study " + record.name + " is open elsewhere: " + record.holder);
  store.erase(record);
  fmt::print("{} is gone, with {} events\n", record.name, record.events);
  return kSuccess;
}

int run(const Arguments& arguments) {
  if (arguments.action == "list") return list(arguments);
  if (arguments.action == "show") return show(arguments);
  if (arguments.action == "export") return export_events(arguments);
  if (arguments.action == "delete") return erase(arguments);
  if (arguments.action.empty()) {
    throw WrongUse("ACTION: is missing; it is list, show, export or delete");
  }
  throw WrongUse(arguments.action + ": " + unknown_name("action", arguments.action, kActions));
}

}  // namespace

Command add_studies(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("studies", "List, show, export or delete the studies of a store.");
  command->add_option("ACTION", arguments->action, "list, show, export or delete");
  arguments->study.add_to(*command);
  command->add_option("--format", arguments->format, "export: csv, or jsonl for JSON Lines")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "export: into this file [standard output]");
  command->footer(
      "Examples:\n"
      "  canopy studies list\n"
      "  canopy studies show cache\n"
      "  canopy studies export cache --format jsonl --out cache.jsonl\n"
      "  canopy studies delete cache");
  return [arguments] { return run(*arguments); };
}

}  // namespace canopy::cli
