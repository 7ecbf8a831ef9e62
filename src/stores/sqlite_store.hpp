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
  [[nodiscard]] std::vector<StudyRecord> list_some(const std::string& after,
                                                   std::size_t limit) override;
  [[nodiscard]] std::optional<StudyRecord> find(const std::string& name) override;
  [[nodiscard]] std::optional<StudyRecord> create(const NewStudy& study) override;
  void erase(StudyId study) override;
  void set_specification(StudyId study, const std::string& specification) override;
  void set_holder(StudyId study, const std::string& holder) override;
  [[nodiscard]] std::vector<std::optional<StoreError>> write(
      std::span<const StudyWrite> writes) override;
  void read_some(StudyId study, std::uint64_t after, std::uint64_t limit,
                 const std::function<void(const JournalEntry&)>& visit) override;
  [[nodiscard]] std::vector<std::optional<KeptAnswer>> find_answers(
      std::span<const AnswerKey> keys) override;
  std::uint64_t forget_answers(double before) override;
  std::uint64_t post_act(StudyId study, double at, const std::string& text) override;
  [[nodiscard]] std::vector<PostedAct> acts(StudyId study, std::uint64_t after) override;
  [[nodiscard]] std::optional<Snapshot> snapshot(StudyId study) override;
  void set_snapshot(StudyId study, const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<StudyLock> try_lock(StudyId study,
                                                    std::chrono::milliseconds patience) override;
  [[nodiscard]] bool is_locked(StudyId study) override;

 private:
  [[nodiscard]] bool exists(StudyId study);
  [[nodiscard]] StoreError gone() const;
  void insert_answers(StudyId study, std::span<const KeptAnswer> answers);
  /// One transaction that writes something for a study. Throws StoreError if that was deleted.
  void change(StudyId study, const std::function<void(soci::session&, const long long& id)>& write);

  SqliteConnection connection_;
};

}  // namespace canopy
