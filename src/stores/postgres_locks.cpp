// Ownership of studies in PostgreSQL: see PostgresLease.

#include "stores/postgres_store.hpp"
#include "stores/process_identity.hpp"

#include <thread>

namespace canopy {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

class PostgresLock final : public StudyLock {
 public:
  PostgresLock(std::shared_ptr<PostgresLease> lease, StudyId study, std::int64_t fence)
      : lease_(std::move(lease)), study_(study), fence_(fence) {}
  ~PostgresLock() override { lease_->release(study_, fence_); }
  [[nodiscard]] bool is_held() override { return lease_->owns(study_, fence_); }
  PostgresLock(const PostgresLock&) = delete;
  PostgresLock& operator=(const PostgresLock&) = delete;

 private:
  std::shared_ptr<PostgresLease> lease_;
  StudyId study_;
  std::int64_t fence_;
};

}  // namespace

PostgresStore::Ownership PostgresStore::ownership_of(StudyId study) {
  const PostgresRows rows = connection_.run(
      "SELECT COALESCE(s.owner, 0), s.fence, CASE WHEN o.alive_until > clock_timestamp() THEN 1 "
      "ELSE 0 END, COALESCE(EXTRACT(EPOCH FROM o.alive_until), 0)::double precision, "
      "COALESCE(o.name, '') FROM "
      "studies s "
      "LEFT JOIN owners o ON o.id = s.owner WHERE s.id = $1",
      study);
  if (rows.empty()) throw gone();
  const bool is_alive = rows.integer(0, 2) != 0 && !is_gone(rows.text(0, 4));
  return {rows.integer(0, 0), rows.integer(0, 1), is_alive, rows.real(0, 3)};
}

/// Returns null if another process acquired the study first.
std::unique_ptr<StudyLock> PostgresStore::take(StudyId study, const Ownership& seen) {
  const PostgresRows taken = connection_.run(
      "UPDATE studies SET owner = $2, fence = fence + 1 WHERE id = $1 AND COALESCE(owner, 0) = $3 "
      "AND fence = $4 RETURNING fence",
      study, lease_->owner(), seen.owner, seen.fence);
  if (taken.empty()) return nullptr;
  const std::int64_t fence = taken.integer(0, 0);
  lease_->hold(study, fence);
  return std::make_unique<PostgresLock>(lease_, study, fence);
}

std::unique_ptr<StudyLock> PostgresStore::try_lock(StudyId study,
                                                   std::chrono::milliseconds patience) {
  const auto begin = std::chrono::steady_clock::now();
  const Ownership first = ownership_of(study);
  for (Ownership seen = first;; seen = ownership_of(study)) {
    const bool ours = lease_->fence(study) == seen.fence && seen.owner != 0;
    if (!ours && !seen.alive) {
      if (auto lock = take(study, seen)) return lock;
      continue;
    }
    if (patience == std::chrono::milliseconds::zero()) return nullptr;
    // A live owner renews its lease while we wait. For an owner that does not, wait until its lease
    // has expired, even if the patience is shorter.
    const auto waited = std::chrono::steady_clock::now() - begin;
    const bool lives = ours || seen != first || waited > PostgresLease::kLength;
    if (lives && waited >= patience) return nullptr;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

bool PostgresStore::is_locked(StudyId study) {
  try {
    const Ownership seen = ownership_of(study);
    return seen.owner != 0 && seen.alive;
  } catch (const StoreError&) {
    return false;
  }
}

}  // namespace canopy
