#pragma once

#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include <memory>
#include <string>
#include <utility>

namespace canopy {

/// A study in a store, for read-only use; other processes may write to it.
struct StoredStudy {
  /// Throws StoreError, or StudyError if there is no study of that name.
  StoredStudy(const std::string& store_name, const std::string& name)
      : StoredStudy(open_store(store_name, Store::Mode::open), name) {}
  StoredStudy(std::unique_ptr<Store> from, const std::string& name)
      : store(std::move(from)),
        record(find_study(*store, name)),
        specification(specification_of(record)) {}

  /// Loads the optimizer in its current state.
  [[nodiscard]] LoadedOptimizer load(const MakeFold& fold = {}) const {
    return load_optimizer(*store, record, specification, fold);
  }

  std::unique_ptr<Store> store;
  StudyRecord record;
  StudySpecification specification;
};

}  // namespace canopy
