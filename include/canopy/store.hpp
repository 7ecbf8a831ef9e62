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

/// Thrown when a store cannot be read or written. The message names the store and says what is
/// wrong, in words that fit every front end.
class StoreError : public std::runtime_error {
 public:
  enum class Fault {
    full,         ///< No space left; what was acknowledged before is kept.
    read_only,    ///< It can be read but not written.
    damaged,      ///< Its contents cannot be understood.
    newer,        ///< It was written by a newer version of canopy.
    older,        ///< It was written by an older version of canopy.
    busy,         ///< Another process has kept it locked for too long.
    locked,       ///< Something else has this study locked for the moment.
    in_doubt,     ///< The connection was lost while it was written: it may be stored or not.
    taken_over,   ///< Somebody else has the right to write to this study by now.
    moved_on,     ///< Somebody has written to this study meanwhile; the right to it is still ours.
    unreachable,  ///< It cannot be opened.
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
  std::string specification;  ///< as JSON, with every option
  std::string forked_from;    ///< the name of another study, or empty
  double created = 0.0;       ///< seconds since 1970
  double updated = 0.0;       ///< when the last event happened
  std::uint64_t events = 0;
  std::uint64_t pulls = 0;  ///< rewards learnt
  std::string holder;       ///< who last opened it for writing
};

/// Which studies are listed, by name: at most `limit` of those whose names follow `after`.
struct StudyRange {
  std::string after = {};
  std::size_t limit = SIZE_MAX;
};

/// Which entries of a journal are read: at most `limit` of those that follow number `after`.
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
  std::optional<StudyId> copied = std::nullopt;  ///< starts with the whole journal of this one, or
  std::span<const JournalEntry> journal = {};    ///< with these entries, which have
  std::uint64_t pulls = 0;                       ///< so many rewards to learn from
};

/// The state of a study after this many events.
struct Snapshot {
  std::uint64_t events = 0;
  std::string optimizer;
  std::string tuner;
};

/// An answer to a request that came with a key, to be given again when the request comes again.
struct KeptAnswer {
  std::string key;
  std::string request;  ///< what was asked for: a request with the same key must be the same
  std::string answer;
  double at = 0.0;  ///< seconds since 1970

  friend bool operator==(const KeptAnswer&, const KeptAnswer&) = default;
};

/// Names the answer to a request.
struct AnswerKey {
  StudyId study = 0;
  std::string key;

  friend auto operator<=>(const AnswerKey&, const AnswerKey&) = default;
};

/// What is written for one study in one step.
struct StudyWrite {
  StudyId study = 0;
  std::span<const JournalEntry> entries = {};  ///< which already have their numbers
  std::uint64_t pulls = 0;                     ///< rewards learnt, those of the entries included
  std::span<const KeptAnswer> answers = {};    ///< none, unless the store is a FullStore
};

/// A command to the process that runs a study.
struct PostedCommand {
  std::uint64_t number = 0;  ///< 1, 2, 3, ... in a study
  double at = 0.0;
  std::string text;

  friend bool operator==(const PostedCommand&, const PostedCommand&) = default;
};

/// The right to write to a study, for as long as it lives.
class StudyLock {
 public:
  virtual ~StudyLock() = default;

  /// Whether nobody else has taken the study meanwhile. Cheap, unless there is reason to doubt.
  /// Throws StoreError if that cannot be found out.
  [[nodiscard]] virtual bool is_held() { return true; }
};

// Stores by use. In all of them, what a function has written is on the disk when it returns, a
// function that throws has written nothing, and readers never wait for a writer. Names and texts
// are UTF-8 without a zero byte; others are refused. All functions throw StoreError. Not
// thread-safe; a StudySession is.

/// Studies: what they are, their journals, their last snapshots, and the right to write to them.
class Journals {
 public:
  /// How long a lock is usually waited for: a holder that was killed is gone by then.
  static constexpr std::chrono::milliseconds kPatience{2000};

  virtual ~Journals() = default;

  /// A file or an address, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;

  [[nodiscard]] virtual std::vector<StudyRecord> list(const StudyRange& range) = 0;
  [[nodiscard]] virtual std::optional<StudyRecord> find(const std::string& name) = 0;

  /// None if there already is a study of that name. Throws StudyError if no study can have it.
  [[nodiscard]] virtual std::optional<StudyRecord> create(const NewStudy& study) = 0;

  /// Makes a study from another one of this store, or finds the one that was made before, where a
  /// server can read the journal itself. None: this store cannot, and has done nothing. Throws
  /// StoreError if the name is taken by a study that was not made from it.
  [[nodiscard]] virtual std::optional<StudyRecord> fork(const StudyRecord& /*original*/,
                                                        const NewStudy& /*fork*/) {
    return std::nullopt;
  }

  /// Deletes a study and everything that belongs to it. Its id is never used again.
  virtual void erase(StudyId study) = 0;

  virtual void set_specification(StudyId study, const std::string& specification) = 0;
  virtual void set_holder(StudyId study, const std::string& holder) = 0;

  /// Adds to the journals of several studies in one step, at most once to each. Nothing is written
  /// for a study that was deleted or taken over by another process: its place in the result has the
  /// error. Throws if nothing at all could be written.
  [[nodiscard]] virtual std::vector<std::optional<StoreError>> write(
      std::span<const StudyWrite> writes) = 0;

  /// Writes for one study; throws its error.
  void append(const StudyWrite& one);

  /// Calls visit with entries of a journal, in order. Throws StudyError at one that is damaged.
  virtual void read(StudyId study, const EntryRange& range,
                    const std::function<void(const JournalEntry&)>& visit) = 0;

  [[nodiscard]] virtual std::optional<Snapshot> snapshot(StudyId study) = 0;
  virtual void set_snapshot(StudyId study, const Snapshot& snapshot) = 0;

  /// The right to write to a study, which one owner has at a time, in any process: what is written
  /// for a study by an owner that has lost it is refused. Null if another owner keeps it: one that
  /// was killed is gone within the patience, unless that is zero. The right ends with the process,
  /// however that ends.
  [[nodiscard]] virtual std::unique_ptr<StudyLock> try_lock(StudyId study,
                                                            std::chrono::milliseconds patience) = 0;

  /// Whether an owner has it; false if that cannot be determined.
  [[nodiscard]] virtual bool is_locked(StudyId study) = 0;
};

/// Commands to the processes that run studies.
class Mailbox {
 public:
  virtual ~Mailbox() = default;

  /// Posts a command to the study's runner; one that has a key only once. Returns its number.
  virtual std::uint64_t post_command(StudyId study, double at, const std::string& text) = 0;
  /// The commands that follow number `after`, in order.
  [[nodiscard]] virtual std::vector<PostedCommand> commands(StudyId study, std::uint64_t after) = 0;
};

/// Answers that were written together with what was done for them (StudyWrite).
class KeptAnswers {
 public:
  virtual ~KeptAnswers() = default;

  /// The answers that were kept under these keys, in their order.
  [[nodiscard]] virtual std::vector<std::optional<KeptAnswer>> find_answers(
      std::span<const AnswerKey> keys) = 0;
  /// Forgets answers that were given before a time; some of them, if there are very many. Returns
  /// the number forgotten.
  virtual std::uint64_t forget_answers(double before) = 0;
};

/// All that a study and its tuner need.
class Store : public Journals, public Mailbox {
 public:
  enum class Mode {
    create,  ///< creates it if it does not exist
    open,    ///< it must exist
  };
};

/// All that a server of studies needs.
class FullStore : public Store, public KeptAnswers {};

}  // namespace canopy
