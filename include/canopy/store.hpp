#pragma once

#include "canopy/event.hpp"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace canopy {

/// Thrown when a store cannot be read or written. The message names the store and the fault; it can
/// be shown to users of any interface.
class StoreError : public std::runtime_error {
 public:
  enum class Fault {
    full,        ///< No space left. Everything acknowledged before is kept.
    read_only,   ///< It can be read but not written.
    damaged,     ///< Its contents are invalid.
    newer,       ///< It was written by a newer version of canopy.
    older,       ///< It was written by an older version of canopy.
    busy,        ///< Another process kept it locked for too long.
    locked,      ///< The study is locked at the moment.
    in_doubt,    ///< The connection was lost during a write, which may or may not have been stored.
    taken_over,  ///< Another owner now has the right to write to this study.
    moved_on,    ///< Another process has written to this study, although we own the right to write
                 ///< to it.
    unreachable,  ///< It cannot be opened or reached.
    missing,      ///< It does not exist.
    foreign,      ///< It is not a canopy store.
    other,
  };

  StoreError(Fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}

  [[nodiscard]] Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

using StudyId = std::int64_t;

/// A study as a store lists it.
struct StudyRecord {
  StudyId id = 0;
  std::string name;
  std::string specification;  ///< as JSON, with all options resolved
  std::string forked_from;    ///< name of the original study, or empty
  double created = 0.0;       ///< seconds since 1970
  double updated = 0.0;       ///< time of the last event
  std::uint64_t events = 0;
  std::uint64_t pulls = 0;  ///< rewards learnt
  std::string holder;       ///< the process that last opened it for writing
};

/// Selects studies to list: at most `limit` of those whose names sort after `after`.
struct StudyRange {
  std::string after = {};
  std::size_t limit = SIZE_MAX;
};

/// Selects entries of a journal: at most `limit` of those with a number greater than `after`.
struct EntryRange {
  std::uint64_t after = 0;
  std::uint64_t limit = UINT64_MAX;
};

/// A study to create.
struct NewStudy {
  std::string name;
  std::string specification;
  double created = 0.0;
  std::string forked_from = {};
  std::optional<StudyId> copied = std::nullopt;  ///< copy the whole journal of this study, or
  std::span<const JournalEntry> journal = {};    ///< begin with these entries,
  std::uint64_t pulls = 0;  ///< which have this number of rewards to learn from
};

/// The saved state of a study after the first `events` events.
struct Snapshot {
  std::uint64_t events = 0;
  std::string optimizer;
  std::string tuner;
};

/// The stored response to a request with an idempotency key; repeated requests get the same one.
struct KeptAnswer {
  std::string key;
  std::string request;  ///< the original request; one with the same key must be identical
  std::string answer;
  double at = 0.0;  ///< seconds since 1970

  friend bool operator==(const KeptAnswer&, const KeptAnswer&) = default;
};

/// Identifies a stored response: the study and the idempotency key.
struct AnswerKey {
  StudyId study = 0;
  std::string key;

  friend auto operator<=>(const AnswerKey&, const AnswerKey&) = default;
};

/// A write to one study, done atomically.
struct StudyWrite {
  StudyId study = 0;
  std::span<const JournalEntry> entries = {};  ///< already numbered
  std::uint64_t pulls = 0;  ///< total number of rewards learnt, including those of the entries
  std::span<const KeptAnswer> answers = {};  ///< must be empty unless the store is a FullStore
};

/// A command to the process that runs a study.
struct PostedCommand {
  std::uint64_t number = 0;  ///< 1, 2, 3, ... per study
  double at = 0.0;
  std::string text;

  friend bool operator==(const PostedCommand&, const PostedCommand&) = default;
};

/// The right to write to a study, held during the lifetime of this object.
class StudyLock {
 public:
  virtual ~StudyLock() = default;

  /// Returns whether this process still owns the study. Cheap unless the lease may have expired.
  /// Throws StoreError if that cannot be determined.
  [[nodiscard]] virtual bool is_held() { return true; }
};

// Interfaces to a store. The following holds for all of them. When a function returns, its writes
// are durable; a function that throws has written nothing. Readers never wait for a writer. Names
// and texts must be UTF-8 without zero bytes; all others are rejected. All functions throw
// StoreError. Not thread-safe: share a study between threads with a StudySession.

/// Studies: their specifications, journals and last snapshots, and the right to write to them.
class Journals {
 public:
  /// Default time to wait for a lock: long enough for the lock of a killed owner to expire.
  static constexpr std::chrono::milliseconds kPatience{2000};

  virtual ~Journals() = default;

  /// The file name or address of the store, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;

  [[nodiscard]] virtual std::vector<StudyRecord> list(const StudyRange& range) = 0;
  [[nodiscard]] virtual std::optional<StudyRecord> find(const std::string& name) = 0;

  /// Creates a study; returns none if the name is in use. Throws StudyError if the name is invalid.
  [[nodiscard]] virtual std::optional<StudyRecord> create(const NewStudy& study) = 0;

  /// Creates a fork inside the store if it can read journals itself (a server), or returns the
  /// existing fork of that name. Returns none, without having done anything, if the store does not
  /// support this. Throws StoreError if the name is in use by a study that is not a fork of the
  /// original.
  [[nodiscard]] virtual std::optional<StudyRecord> fork(const StudyRecord& /*original*/,
                                                        const NewStudy& /*fork*/) {
    return std::nullopt;
  }

  /// Deletes a study with everything that belongs to it. Its id is never reused.
  virtual void erase(StudyId study) = 0;

  virtual void set_specification(StudyId study, const std::string& specification) = 0;
  virtual void set_holder(StudyId study, const std::string& holder) = 0;

  /// Appends to the journals of several studies in one transaction; each study may occur once.
  /// Nothing is written for a study that was deleted or taken over by another process; its element
  /// of the result is the error. Throws if nothing at all could be written.
  [[nodiscard]] virtual std::vector<std::optional<StoreError>> write(
      std::span<const StudyWrite> writes) = 0;

  /// Writes to one study. Throws its error.
  void append(const StudyWrite& one);

  /// Calls visit with entries of a journal in order. Throws StudyError if an entry is damaged.
  virtual void read(StudyId study, const EntryRange& range,
                    const std::function<void(const JournalEntry&)>& visit) = 0;

  [[nodiscard]] virtual std::optional<Snapshot> snapshot(StudyId study) = 0;
  virtual void set_snapshot(StudyId study, const Snapshot& snapshot) = 0;

  /// Acquires the right to write to a study. One owner has it at a time, across all processes;
  /// writes by an owner that has lost it are rejected. Returns null if another owner has it. If the
  /// owner was killed, its right expires within the patience, unless the patience is zero. The
  /// right never outlives the owning process.
  [[nodiscard]] virtual std::unique_ptr<StudyLock> try_lock(StudyId study,
                                                            std::chrono::milliseconds patience) = 0;

  /// Whether any process owns the study; false if that cannot be determined.
  [[nodiscard]] virtual bool is_locked(StudyId study) = 0;
};

/// Commands to the processes that run studies.
class Mailbox {
 public:
  virtual ~Mailbox() = default;

  /// Posts a command to the study's runner and returns its number. A command with an idempotency
  /// key is posted once.
  virtual std::uint64_t post_command(StudyId study, double at, const std::string& text) = 0;
  /// Returns the commands with a number greater than `after`, in order.
  [[nodiscard]] virtual std::vector<PostedCommand> commands(StudyId study, std::uint64_t after) = 0;
};

/// Responses to requests with idempotency keys, written in the same transaction as the effects of
/// the request (StudyWrite).
class KeptAnswers {
 public:
  virtual ~KeptAnswers() = default;

  /// Returns the stored responses for these keys, in their order; none for unknown keys.
  [[nodiscard]] virtual std::vector<std::optional<KeptAnswer>> find_answers(
      std::span<const AnswerKey> keys) = 0;
  /// Deletes responses stored before a time, at most a bounded number per call. Returns the number
  /// deleted.
  virtual std::uint64_t forget_answers(double before) = 0;
};

/// The interface that a study and its tuner need.
class Store : public Journals, public Mailbox {
 public:
  enum class Mode {
    create,  ///< creates it if it does not exist
    open,    ///< it must exist
  };
};

/// The interface that a server of studies needs.
class FullStore : public Store, public KeptAnswers {};

}  // namespace canopy
