#pragma once

#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include <memory>
#include <string>
#include <utility>

namespace canopy {

/// A study in its store, to be looked at while somebody else may be writing to it.
struct StoredStudy {
  /// Throws StoreError, and StudyError when there is none of that name.
  StoredStudy(const std::string& store_name, const std::string& name)
      : StoredStudy(open_store(store_name, Store::Mode::open), name) {}
  StoredStudy(std::unique_ptr<Store> from, const std::string& name)
      : store(std::move(from)),
        record(find_study(*store, name)),
        specification(specification_of(record)) {}

  /// The optimizer as it is after all that has happened.
  [[nodiscard]] LoadedOptimizer load(const MakeFold& fold = {}) const {
    return load_optimizer(*store, record, specification, fold);
  }

  std::unique_ptr<Store> store;
  StudyRecord record;
  StudySpecification specification;
};

}  // namespace canopy
