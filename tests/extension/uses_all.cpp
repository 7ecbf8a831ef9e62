// An optimizer, an event, a kind of parameter and a store that were added to a copy of the tree, in
// use together. Prints a line for everything that works; fails if anything does not.
// usage: uses_all FOLDER

#include "canopy/domain.hpp"
#include "canopy/event.hpp"
#include "canopy/family.hpp"
#include "canopy/journal.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/stores.hpp"
#include "canopy/study.hpp"
#include "canopy/study_specification.hpp"

#include "files/json.hpp"
#include "insight/reward_history.hpp"
#include "journal/event_document.hpp"
#include "journal/event_schemas.hpp"
#include "journal/export.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {
namespace {

bool all_hold = true;

void expect(bool holds, const char* what) {
  std::printf("%s: %s\n", holds ? "ok" : "FAILED", what);
  all_hold = all_hold && holds;
}

constexpr std::string_view kStudy = R"(
direction = "maximize"

[optimizer]
name = "alternate"

[[space]]
name = "threads"
type = "power_of_two"
low = 1
high = 64

[[space]]
name = "share"
type = "real"
low = 0.0
high = 1.0
)";

const Remarked kRemark{"a colleague said: \"32, or so\""};

using Arms = std::vector<std::vector<double>>;

/// The coordinate of a power of two is its exponent.
const std::vector<double> kFirst{1.0, 0.25};
const std::vector<double> kSecond{5.0, 0.75};

Arms play(Study& study, int pulls) {
  Arms arms;
  for (int i = 0; i < pulls; ++i) {
    const Pull pull = study.ask(1);
    arms.emplace_back(pull.arm.begin(), pull.arm.end());
    if (study.tell(pull.ticket, pull.arm[1]) != Status::ok) expect(false, "a reward is taken");
  }
  study.commit();
  return arms;
}

StudySpecification check_parameter() {
  const std::vector<std::string_view> names = Domain::names();
  expect(std::count(names.begin(), names.end(), "power_of_two") == 1,
         "the parameter is among the kinds");
  const StudySpecification study = parse_study(kStudy, "the study");
  const auto* power = study.space.parameters().front().domain.as<PowerOfTwo>();
  expect(power != nullptr && *power == PowerOfTwo{1, 64}, "a study file has the parameter");
  expect(parse_study(toml_of(study), "TOML") == study, "it is written as TOML and read back");
  expect(parse_study_json(json_of(study), "JSON") == study, "it is written as JSON and read back");
  expect(study.space.value(kSecond, 0) == Value(std::int64_t{32}), "its values are powers of two");
  std::string wrong(kStudy);
  wrong.replace(wrong.find("64"), 2, "48");
  std::string complaint;
  try {
    (void)parse_study(wrong, "a wrong study");
  } catch (const SpecificationError& error) {
    complaint = error.what();
  }
  expect(complaint.find("must be a power of two") != std::string::npos, "wrong ones are refused");
  return study;
}

void check_optimizer(const Space& space) {
  expect(optimizers().find("alternate") != nullptr, "the optimizer is in the catalogue");
  const auto optimizer = make_optimizer({"alternate", {{"first", 0.5}}}, space);
  const Pull pull = optimizer->ask(1);
  expect(space.describe(pull.arm) == "threads = 8, share = 0.5",
         "it is made by name, with options");
}

std::optional<JournalEntry> remark_in(Store& store, const StudyRecord& record) {
  std::optional<JournalEntry> found;
  read_entries(store, record, 0, [&](const JournalEntry& entry) {
    if (std::holds_alternative<Remarked>(entry.event)) found = entry;
  });
  return found;
}

void check_event(const JournalEntry& entry, const Space& space) {
  expect(entry.event == Event(kRemark), "the event is read back from the store");
  const std::string row = encode(entry.event);
  expect(row == R"(["remark","a colleague said: \"32, or so\""])", "it is a row");
  expect(decode(row) == entry.event, "which is read back");
  const Document document = event_document(space, entry.event);
  expect(json_text(document) == R"({"kind":"remark","text":"a colleague said: \"32, or so\""})",
         "it is a document");
  expect(event_from(document, space, "a document") == entry.event, "which is read back");
  const std::string csv = csv_line(space, entry, std::nullopt);
  expect(csv.find(",remark,,,,,\"{\"\"text\"\":") != std::string::npos, "it is exported as CSV");
  const std::string json = json_line(space, entry, std::nullopt);
  expect(json.find(R"("kind":"remark","text":"a colleague)") != std::string::npos,
         "it is exported as JSON");
  const Document schemas = event_schemas();
  const Document* schema = schemas.find("EventRemark");
  expect(schema != nullptr && json_text(*schema).find("\"text\"") != std::string::npos,
         "the service has its schema");
  expect(!mark_of(entry, 0), "pictures of the study leave it out");
}

void run(const std::string& folder) {
  add_family();
  const StudySpecification specification = check_parameter();
  const Space& space = specification.space;
  check_optimizer(space);

  const std::string name = "lines:" + folder + "/studies.jsonl";
  const OpenOptions options{.name = "mine", .fork = std::nullopt};
  Arms played;
  std::uint64_t events = 0;
  {
    const auto store = open_store(name, Store::Mode::create);
    expect(store->name() == name, "the store is opened by name");
    Study study = Study::open(*store, specification, options);
    played = play(study, 3);
    expect(played == Arms{kFirst, kSecond, kFirst}, "the study plays the two arms in turn");
    study.note(kRemark);
    study.commit();
    events = study.events();
  }
  for (const bool from_snapshot : {false, true}) {
    const auto store = open_store(name, Store::Mode::open);
    const StudyRecord record = find_study(*store, "mine");
    expect(record.events == events, "the store has every event when it is opened again");
    expect(store->snapshot(record.id).has_value() == from_snapshot,
           from_snapshot ? "and the last snapshot" : "and no snapshot yet");
    Arms kept;
    TunerState tuner(specification);
    read_journal(*store, record, [&](const JournalEntry& entry, std::optional<Arm> arm) {
      if (std::holds_alternative<Asked>(entry.event)) kept.emplace_back(arm->begin(), arm->end());
      tuner.apply(entry);
    });
    expect(kept == played, "the arms are those that were played");
    const std::optional<JournalEntry> remark = remark_in(*store, record);
    expect(remark.has_value(), "and the event is among them");
    if (remark && !from_snapshot) check_event(*remark, space);

    Study study = Study::reopen(*store, options);
    expect(study.specification().space == space, "the study is reopened, with the same space");
    const Arms more = play(study, 2);
    const Arms expected = played.back() == kFirst ? Arms{kSecond, kFirst} : Arms{kFirst, kSecond};
    expect(more == expected, "it goes on with the arm whose turn it is");
    played.insert(played.end(), more.begin(), more.end());
    study.snapshot();
    events = study.events();
  }
  expect(find_faults(name).empty(), "the store has no faults");
}

}  // namespace
}  // namespace canopy

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  if (words.size() != 2) {
    std::fputs("usage: uses_all FOLDER\n", stderr);
    return 2;
  }
  try {
    canopy::run(words[1]);
  } catch (const std::exception& error) {
    canopy::expect(false, error.what());
  }
  return canopy::all_hold ? 0 : 1;
}
