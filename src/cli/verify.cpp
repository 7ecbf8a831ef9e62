#include "cli/verify.hpp"

#include "canopy/stores.hpp"

#include "files/json.hpp"
#include "studies/verify.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy::cli {

using namespace terminal;

namespace {

struct Verified {
  StudyRecord record;
  Verification found;
};

std::vector<Verified> verify_all(Store& store, const std::string& name) {
  std::vector<StudyRecord> records;
  if (name.empty()) {
    records = store.list({});
  } else {
    records.push_back(find_study(store, name));
  }
  std::vector<Verified> all;
  for (const StudyRecord& each : records) {
    const auto record =
        store.find(each.name);  // a server lists studies without their specifications
    if (!record) continue;
    if (auto found = verify_study(store, *record)) all.push_back({*record, std::move(*found)});
  }
  return all;
}

Document texts(const std::vector<std::string>& lines) {
  Document::List list;
  for (const std::string& line : lines) list.emplace_back(line);
  return list;
}

void print_json(const std::vector<std::string>& of_store, const std::vector<Verified>& studies) {
  Document::List list;
  for (const auto& [record, found] : studies) {
    Document each = Document::Table{{"name", record.name},
                                    {"events", record.events},
                                    {"sound", found.faults.empty()},
                                    {"faults", texts(found.faults)}};
    if (!found.not_replayed.empty()) each.set("not_replayed", found.not_replayed);
    list.push_back(std::move(each));
  }
  fmt::print(
      "{}\n",
      json_text(Document::Table{{"faults", texts(of_store)}, {"studies", std::move(list)}}, 2));
}

void print_lines(const std::string& store, const std::vector<std::string>& of_store,
                 const std::vector<Verified>& studies) {
  for (const std::string& fault : of_store) fmt::print("{}: {}\n", store, fault);
  for (const auto& [record, found] : studies) {
    if (found.faults.empty()) {
      fmt::print("{}: {} events, sound{}\n", record.name, record.events,
                 found.not_replayed.empty() ? "" : "; not replayed: " + found.not_replayed);
    }
    for (const std::string& fault : found.faults) fmt::print("{}: {}\n", record.name, fault);
  }
}

}  // namespace

int verify_studies(const NamedStudyFlags& flags) {
  const AnyStore store = open_any_store(flags.where, Store::Mode::open, "studies");
  const std::vector<std::string> of_store =
      flags.where.server ? std::vector<std::string>{} : find_faults(flags.where.store_name());
  const std::vector<Verified> studies = verify_all(*store, flags.name);
  bool is_sound = of_store.empty();
  for (const Verified& each : studies) is_sound = is_sound && each.found.faults.empty();
  if (flags.json) {
    print_json(of_store, studies);
  } else {
    print_lines(store->name(), of_store, studies);
  }
  return is_sound ? kSuccess : kFailure;
}

}  // namespace canopy::cli
