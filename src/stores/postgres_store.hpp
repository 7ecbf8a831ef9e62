#pragma once

#include "canopy/store.hpp"

#include "stores/postgres_connection.hpp"
#include "stores/postgres_lease.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Studies in a PostgreSQL database, for processes on any number of machines. The right to write to
/// a study is a lease with a fencing token (PostgresLease).
///
/// If the connection is lost during a write, StoreError::Fault::unreachable is thrown, although the
/// write may have happened (completely or not at all). A Study reloads its journal after any
/// failure, so it is correct in both cases.
class PostgresStore final : public FullStore {
 public:
  /// Time limit of the server for a statement.
  static constexpr std::chrono::seconds kLongestStatement{20};

  PostgresStore(const std::string& address, Mode mode,
                std::chrono::milliseconds longest_statement = kLongestStatement);

  [[nodiscard]] const std::string& name() const override { return connection_.name(); }
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
  /// The owner of a study according to the database.
  struct Ownership {
    std::int64_t owner = 0;  // 0: none
    std::int64_t fence = 0;
    bool alive = false;
    double until = 0.0;

    friend bool operator==(const Ownership&, const Ownership&) = default;
  };

  [[nodiscard]] bool exists(StudyId study);
  [[nodiscard]] StoreError gone() const;
  [[nodiscard]] StoreError taken_over() const;
  [[nodiscard]] StoreError locked() const;
  [[nodiscard]] std::int64_t fence_of(StudyId study);
  void insert_journal(StudyId study, std::span<const JournalEntry> entries);
  /// Updates a study by a statement whose first parameters are its id and fencing token, and which
  /// returns a row if the study was updated.
  template <class... Values>
  void update(std::string_view sql, StudyId study, const Values&... values);

  [[nodiscard]] Ownership ownership_of(StudyId study);
  [[nodiscard]] std::unique_ptr<StudyLock> take(StudyId study, const Ownership& seen);

  PostgresConnection connection_;
  std::shared_ptr<PostgresLease> lease_;
};

}  // namespace canopy
