#include "studies/study_file.hpp"

#include "canopy/journal.hpp"

#include "files/document_reader.hpp"
#include "files/json.hpp"
#include "journal/event_document.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::int64_t kStudyFileFormat = 1;

/// The first line of a study.
struct Header {
  NewStudy study;
  std::uint64_t events = 0;
  StudySpecification specification = {.space = Space{{"none", Real{}}}};
};

Header header_in(const std::string& line, const std::string& source) {
  const Document document = parse_json(line, source);
  if (!document.contains("canopy_study")) {
    throw SpecificationError(source + ": is not the first line of a study that canopy exported");
  }
  DocumentReader reader(source);
  static constexpr std::array<std::string_view, 7> keys{
      "canopy_study", "name", "created", "forked_from", "pulls", "events", "specification"};
  reader.check_keys(document, "", keys);
  for (const std::string_view key : keys) reader.require(document, "", key);
  Header header;
  std::int64_t format = 0;
  reader.read(document, "", "canopy_study", format);
  if (format > kStudyFileFormat) {
    reader.complain("canopy_study", document.find("canopy_study"),
                    "this format requires a newer version of canopy");
  }
  reader.read(document, "", "name", header.study.name);
  reader.read(document, "", "created", header.study.created);
  reader.read(document, "", "forked_from", header.study.forked_from);
  reader.read(document, "", "pulls", header.study.pulls);
  reader.read(document, "", "events", header.events);
  reader.throw_if_any();
  header.study.specification = json_text(*document.find("specification"));
  StudyRecord record;
  record.name = source;
  record.specification = header.study.specification;
  header.specification = specification_of(record);
  return header;
}

}  // namespace

void export_study(Store& store, const StudyRecord& record,
                  const std::function<void(const std::string&)>& line) {
  const StudySpecification specification = specification_of(record);
  const Names names(specification.space, specification.contexts);
  line(
      json_text(Document::Table{{"canopy_study", kStudyFileFormat},
                                {"name", record.name},
                                {"created", record.created},
                                {"forked_from", record.forked_from},
                                {"pulls", record.pulls},
                                {"events", record.events},
                                {"specification", parse_json(record.specification, record.name)}}));
  std::uint64_t left = record.events;  // ignore events that are being appended now
  store.read(record.id, {0, left}, [&](const JournalEntry& entry) {
    line(json_text(entry_document(names, entry)));
    --left;
  });
  if (left > 0) {
    throw StudyError(StudyError::Fault::damaged,
                     fmt::format("{}: {} events of its journal are missing", record.name, left));
  }
}

void import_studies(Store& store, const std::string& source, const std::string& name,
                    const std::function<std::optional<std::string>()>& next,
                    const std::function<void(const StudyRecord&)>& made) {
  std::size_t number = 0;
  const auto place = [&] { return fmt::format("{}, line {}", source, number); };
  std::size_t studies = 0;
  for (auto line = (++number, next()); line; line = (++number, next())) {
    if (line->empty()) continue;
    Header header = header_in(*line, place());
    if (!name.empty() && ++studies > 1) {
      throw SpecificationError(
          place() + ": a second study begins here; --name requires a file with a single study");
    }
    if (!name.empty()) header.study.name = name;
    check_study_name(header.study.name);
    if (store.find(header.study.name)) {
      throw StudyError(StudyError::Fault::taken, "there already is a study " + header.study.name);
    }
    std::vector<JournalEntry> journal;
    while (journal.size() < header.events) {
      ++number;
      const auto event = next();
      if (!event) {
        throw SpecificationError(
            fmt::format("{}: ends after {} of {} events", source, journal.size(), header.events));
      }
      const Names names(header.specification.space, header.specification.contexts);
      journal.push_back(entry_from(parse_json(*event, place()), names, place()));
      if (journal.back().number != journal.size()) {
        throw SpecificationError(fmt::format("{}: number: must be {}", place(), journal.size()));
      }
    }
    header.study.journal = journal;
    const auto record = store.create(header.study);
    if (!record) {
      throw StudyError(StudyError::Fault::taken, "there already is a study " + header.study.name);
    }
    made(*record);
  }
  if (number == 1) throw SpecificationError(source + ": is empty");
}

}  // namespace canopy
