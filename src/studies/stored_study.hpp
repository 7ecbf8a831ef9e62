#pragma once

#include "studies/study.hpp"

#include <memory>
#include <string>

namespace canopy {

/// A study in its store, to be looked at while somebody else may be writing to it.
struct StoredStudy {
  /// Throws StoreError, and StudyError when there is none of that name.
  StoredStudy(const std::string& path, const std::string& name)
      : store(path, Store::Mode::open),
        record(find_study(store, name)),
        specification(parse_study(record.source, record.name)) {}

  /// The optimizer as it is after all that has happened.
  [[nodiscard]] std::unique_ptr<Optimizer> load() {
    return load_optimizer(store, record, specification);
  }

  Store store;
  StudyRecord record;
  StudySpecification specification;
};

}  // namespace canopy
