#pragma once

#include "canopy/store.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace canopy::service {

/// Caches answers that depend only on a study's journal and specification: they are valid until the
/// study has a new event. The cache has a limited size in bytes and drops the least recently used
/// answers first. Thread-safe.
class LookCache {
 public:
  explicit LookCache(std::size_t most_bytes = std::size_t{64} << 20) : most_bytes_(most_bytes) {}

  /// Returns the cached answer to `what` for the current state of the study, if there is one.
  [[nodiscard]] std::optional<std::string> find(const StudyRecord& study, const std::string& what);
  void keep(const StudyRecord& study, const std::string& what, const std::string& answer);
  /// Drops the answers of a deleted study.
  void forget(StudyId study);

  [[nodiscard]] std::size_t bytes() const;

 private:
  using Key = std::pair<StudyId, std::string>;
  struct Kept {
    double created = 0.0;
    double updated = 0.0;
    std::uint64_t events = 0;
    std::size_t specification = 0;  // its hash
    std::string answer = {};
    std::list<Key>::iterator use = {};

    [[nodiscard]] bool is_of(const StudyRecord& study) const;
  };
  using Looks = std::map<Key, Kept>;

  [[nodiscard]] static std::size_t size_of(const Key& key, const Kept& kept);
  Looks::iterator drop(Looks::iterator look);

  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  Looks looks_;
  std::list<Key> uses_;  // the most recent one last
  std::size_t bytes_ = 0;
};

}  // namespace canopy::service
