#include "tuning/policy_file.hpp"

#include "files/json.hpp"
#include "files/names.hpp"
#include "files/replace_file.hpp"
#include "studies/policy_document.hpp"
#include "systems/find_program.hpp"

namespace canopy {
namespace {

constexpr double kBetween = 10.0;  // seconds between writes

std::uint64_t pulls_of(const Study& study) {
  return study.summary().t - 1;
}

}  // namespace

Document policy_snapshot(const Study& study) {
  const StudySpecification& specification = study.specification();
  Document document = Document::Table{
      {"study", study.record().name}, {"pulls", pulls_of(study)}, {"at", study.now()}};
  const Document policy = policy_document(Names(specification.space, specification.contexts),
                                          study.policy().value_or(Policy{}));
  for (const auto& [key, value] : *policy.as_table()) document.set(key, value);
  return document;
}

PolicyFile::PolicyFile(const Study& study) : study_(study) {
  const auto& system = study.specification().system;
  if (system && system->policy_file) {
    path_ = seen_from(system->folder.value_or(""), *system->policy_file);
  }
  next_ = study.clock().steady_time() + kBetween;
}

std::string PolicyFile::update() {
  if (path_.empty() || study_.clock().steady_time() < next_) return "";
  next_ = study_.clock().steady_time() + kBetween;
  return pulls_of(study_) == pulls_ ? "" : write();
}

std::string PolicyFile::write() {
  if (path_.empty() || pulls_of(study_) == 0) return "";  // there is no policy yet
  try {
    replace_file(path_, json_text(policy_snapshot(study_), 2) + "\n");
  } catch (const OutputError& error) {
    return error.what();
  }
  pulls_ = pulls_of(study_);
  is_written_ = true;
  return "";
}

}  // namespace canopy
