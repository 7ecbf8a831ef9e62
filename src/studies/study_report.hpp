#pragma once

#include "canopy/study.hpp"

#include <string>
#include <vector>

namespace canopy {

/// What a page says beside its figures.
struct StudyPage {
  std::string command;
  std::vector<std::string> lines = {};
};

/// Writes a page that needs nothing else, with the figures of the study in it. Returns why there
/// are none, or nothing. Throws OutputError.
std::string write_study_report(Store& store, const StudyRecord& record,
                               const StudySpecification& specification, Optimizer& optimizer,
                               const StudyPage& page, const std::string& file);

}  // namespace canopy
