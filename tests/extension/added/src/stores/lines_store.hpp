#pragma once

#include "canopy/store.hpp"

#include "stores/file_lock.hpp"
#include "stores/memory_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace canopy {

/// Studies in a file of JSON Lines, which one store has open at a time: `lines:FILE`. They are in
/// memory; with every change the file is written anew and takes the place of the old one. For
/// studies that are small: it shows what a store is made of.
class LinesStore final : public FullStore {
 public:
  /// Throws StoreError.
  LinesStore(const std::string& name, Mode mode);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::vector<StudyRecord> list(const StudyRange& range) override;
  [[nodiscard]] std::optional<StudyRecord> find(const std::string& name) override;
  [[nodiscard]] std::optional<StudyRecord> create(const NewStudy& study) override;
  void erase(StudyId study) override;
  void set_specification(StudyId study, const std::string& specification) override;
  void set_holder(StudyId study, const std::string& holder) override;
  [[nodiscard]] std::vector<std::optional<StoreError>> write(
      std::span<const StudyWrite> writes) override;
  void read(StudyId study, const EntryRange& range,
            const std::function<void(const JournalEntry&)>& visit) override;
  [[nodiscard]] std::vector<std::optional<KeptAnswer>> find_answers(
      std::span<const AnswerKey> keys) override;
  std::uint64_t forget_answers(double before) override;
  std::uint64_t post_command(StudyId study, double at, const std::string& text) override;
  [[nodiscard]] std::vector<PostedCommand> commands(StudyId study, std::uint64_t after) override;
  [[nodiscard]] std::optional<Snapshot> snapshot(StudyId study) override;
  void set_snapshot(StudyId study, const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<StudyLock> try_lock(StudyId study,
                                                    std::chrono::milliseconds patience) override;
  [[nodiscard]] bool is_locked(StudyId study) override;

 private:
  /// Changes something, in memory and in the file, or, if that fails, in neither.
  template <class Change>
  auto change(Change&& change);
  void load();
  void save() const;

  std::string name_;
  std::string path_;
  std::unique_ptr<LockFile::Lock> file_lock_;
  std::shared_ptr<MemoryStudies> studies_;
  MemoryStore memory_;
};

}  // namespace canopy
