#pragma once

#include "canopy/store.hpp"

#include "stores/postgres_connection.hpp"
#include "stores/postgres_lease.hpp"

#include <functional>
#include <memory>
#include <string>

namespace canopy {

/// Studies in a database of PostgreSQL, for processes on any number of machines. The right to write
/// to a study is a lease with a fencing number (PostgresLease).
///
/// When the connection is lost while something is written, StoreError::Fault::unreachable is thrown
/// although it may have happened: entirely or not at all, and nobody can know which. A Study reads
/// its journal again after any failure, and is right either way.
class PostgresStore final : public Store {
 public:
  PostgresStore(const std::string& address, Mode mode);

  [[nodiscard]] const std::string& name() const override { return connection_.name(); }
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
  /// Who has a study, as the database sees it.
  struct Ownership {
    long long owner = 0;  // 0: nobody
    long long fence = 0;
    bool alive = false;
    double until = 0.0;

    friend bool operator==(const Ownership&, const Ownership&) = default;
  };

  [[nodiscard]] bool exists(StudyId study);
  [[nodiscard]] StoreError gone() const;
  [[nodiscard]] StoreError taken_over() const;
  [[nodiscard]] long long fence_of(StudyId study);
  void set_text(const char* column, StudyId study, const std::string& text);
  /// Throws the reason for which nothing was written for a study.
  [[noreturn]] void refuse(StudyId study);

  [[nodiscard]] Ownership ownership_of(StudyId study);
  [[nodiscard]] std::unique_ptr<StudyLock> take(StudyId study, const Ownership& seen);

  PostgresConnection connection_;
  std::shared_ptr<PostgresLease> lease_;
};

}  // namespace canopy
