#pragma once

#include "canopy/store.hpp"

#include "stores/file_lock.hpp"
#include "stores/sqlite_connection.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// Studies in an SQLite file in WAL mode: commits are durable, and readers never wait. The right to
/// write to a study is a kernel lock on a separate file, so all processes must be on one machine.
class SqliteStore final : public FullStore {
 public:
  SqliteStore(std::string path, Mode mode)
      : connection_(std::move(path), mode),
        locks_(std::make_shared<LockFile>(connection_.path())) {}

  [[nodiscard]] const std::string& name() const override { return connection_.path(); }
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

  /// Checks all pages and indices, even while other processes write. Returns the faults found.
  [[nodiscard]] std::vector<std::string> faults();

 private:
  [[nodiscard]] bool exists(StudyId study);
  [[nodiscard]] StoreError gone() const;
  void insert_events(StudyId study, std::span<const JournalEntry> entries);
  [[nodiscard]] bool write_one(const StudyWrite& one);
  /// Updates a study by a statement whose first parameter is its id.
  template <class... Values>
  void update(std::string_view sql, StudyId study, const Values&... values);

  SqliteConnection connection_;
  std::shared_ptr<LockFile> locks_;
};

}  // namespace canopy
