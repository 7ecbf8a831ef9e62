#pragma once

#include "canopy/store.hpp"

#include "stores/sqlite_connection.hpp"

#include <functional>
#include <memory>
#include <string>

namespace canopy {

/// Studies in one file of SQLite, in WAL mode: a commit is on the disk, readers never wait. The
/// right to write to a study is a kernel lock on a file beside it, so that one file serves
/// the processes of one machine.
class SqliteStore final : public Store {
 public:
  SqliteStore(std::string path, Mode mode) : connection_(std::move(path), mode) {}

  [[nodiscard]] const std::string& name() const override { return connection_.path(); }
  [[nodiscard]] std::vector<StudyRecord> list() override;
  [[nodiscard]] std::optional<StudyRecord> find(const std::string& name) override;
  [[nodiscard]] std::optional<StudyRecord> create(const NewStudy& study) override;
  void erase(StudyId study) override;
  void set_specification(StudyId study, const std::string& specification) override;
  void set_holder(StudyId study, const std::string& holder) override;
  void append(StudyId study, std::span<const JournalEntry> entries, std::uint64_t pulls) override;
  void read(StudyId study, std::uint64_t after,
            const std::function<void(const JournalEntry&)>& visit) override;
  [[nodiscard]] std::optional<Snapshot> snapshot(StudyId study) override;
  void set_snapshot(StudyId study, const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<StudyLock> try_lock(StudyId study,
                                                    std::chrono::milliseconds patience) override;
  [[nodiscard]] bool is_locked(StudyId study) override;

 private:
  /// One transaction that writes something for a study. Throws StoreError if that was deleted.
  void change(StudyId study, const std::function<void(soci::session&, const long long& id)>& write);

  SqliteConnection connection_;
};

}  // namespace canopy
