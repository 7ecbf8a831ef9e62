#pragma once

#include "canopy/store.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace canopy::service {

/// A store for many threads: one connection for writing, several for reading. Thread-safe.
class SharedStore final : public FullStore {
 public:
  using Open = std::function<std::unique_ptr<FullStore>()>;

  /// Throws what `open` throws.
  explicit SharedStore(Open open);

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
  class SharedLock;

  /// Runs `work` on a connection for reading that no other thread uses meanwhile.
  template <class Work>
  auto reading(Work&& work);
  /// Runs `work` on the connection for writing.
  template <class Work>
  auto writing(Work&& work);

  Open open_;

  std::mutex writer_mutex_;
  std::unique_ptr<FullStore> writer_;
  std::string name_;

  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<FullStore>> readers_;  // idle connections
};

}  // namespace canopy::service
