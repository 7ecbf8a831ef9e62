#pragma once

#include "canopy/clock.hpp"
#include "canopy/event.hpp"
#include "canopy/journal_fold.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/store.hpp"
#include "canopy/study_error.hpp"
#include "canopy/study_specification.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

class TicketLeases;

/// Options for opening a study.
struct OpenOptions {
  std::string name;  ///< of the study
  std::optional<std::string>
      fork;  ///< name of a fork: created from this study, or opened if it exists already
  std::string holder = {};  ///< shown to others as the owner; by default this process
  MakeFold fold = {};       ///< creates the additional state that is folded from the journal
  /// Identifies the tickets issued from now on; a server uses a new incarnation each time it opens
  /// the study. A ticket that is told together with its incarnation is recognized even if the study
  /// was deleted and recreated, or restored from a backup. Empty: tickets are identified by number
  /// alone.
  std::string incarnation = {};
  Clock* clock = &machine_clock();  ///< source of event times; must outlive the study
  /// Whether commands for setting and measuring the system may differ from the recorded ones. Old
  /// and new rewards are then assumed to be comparable.
  bool accept_changes = false;
  /// How long to wait for another process that has the study open.
  std::chrono::milliseconds patience = Store::kPatience;
};

/// A persistent optimizer: a specification, its journal in the store, and the state that follows
/// from both. It implements the optimizer's protocol. Asks and tells are durable once `commit` has
/// returned; callers must not report them to clients before that. Not thread-safe; StudySession is.
///
/// The journal is complete: every ask is recorded with its arm. Opening a study replays the events
/// after the last snapshot and compares every arm; a difference is an error.
class Study final : public Optimizer {
 public:
  /// Opens the study of that name, or creates it. Throws StudyError if another process has it open,
  /// if it was created with another space, optimizer or objective, and if its optimizer has another
  /// revision in this version.
  ///
  /// A fork is a new study. If nothing that learning depends on differs, it begins with a copy of
  /// the journal; otherwise, with the rewards of all arms that are in the new space, as
  /// observations.
  [[nodiscard]] static Study open(Store& store, const StudySpecification& given,
                                  const OpenOptions& options);

  /// Opens a study with the specification that is in the store.
  [[nodiscard]] static Study reopen(Store& store, const OpenOptions& options);

  Study(Study&& other) noexcept;
  ~Study() override;

  [[nodiscard]] const ContextSpace& contexts() const override { return specification_.contexts; }

  Pull ask(std::uint64_t pulls = UINT64_MAX) override;
  Pull ask_in(Context context, std::uint64_t pulls = UINT64_MAX) override;
  /// Asks on behalf of a client of a server. The ticket expires after `seconds` (see
  /// `drop_expired`); 0: never. It belongs to the incarnation that the study was opened with.
  Pull ask_on_lease(std::uint64_t pulls, double seconds, Context context = {});
  Pull ask_again() override;
  Pull ask_as(const Pull& earlier, std::uint64_t pulls, Context context = {}) override;
  [[nodiscard]] Status tell(Ticket ticket, double reward) override;
  [[nodiscard]] Status tell(Ticket ticket, std::span<const double> rewards) override;
  [[nodiscard]] Status tell(Ticket ticket, const Rewards& rewards) override;
  [[nodiscard]] Status measure(Ticket ticket, Arm arm, const Metrics& metrics) override;
  [[nodiscard]] Status measure_in(Context context, Arm arm, const Metrics& metrics) override;
  [[nodiscard]] Status penalize(Ticket ticket, double reward) override;
  [[nodiscard]] Status bar(Arm arm, double reward) override;
  [[nodiscard]] bool is_barred(Arm arm) const override { return live().is_barred(arm); }
  [[nodiscard]] std::optional<double> failure_reward() const override {
    return live().failure_reward();
  }
  [[nodiscard]] Status observe(Arm arm, const Rewards& rewards) override;
  [[nodiscard]] Status observe_in(Context context, Arm arm, const Rewards& rewards) override;
  /// Observes rewards with a role, and with a context if the study has contexts.
  [[nodiscard]] Status observe(Arm arm, const AnyRewards& rewards, Role role, Context context = {});
  [[nodiscard]] Status remember(Arm arm, const Rewards& rewards) override;
  void set_reward_range(const std::optional<RewardRange>& range) override;
  [[nodiscard]] std::optional<RewardRange> reward_range() const override {
    return live().reward_range();
  }
  [[nodiscard]] Status drop(Ticket ticket) override;
  void finish() override;
  [[nodiscard]] std::optional<Best> best() const override { return live().best(); }
  [[nodiscard]] std::optional<Best> best_in(Context context) const override {
    return live().best_in(context);
  }
  [[nodiscard]] std::optional<Policy> policy() const override { return live().policy(); }
  [[nodiscard]] std::optional<Best> nearest() const override { return live().nearest(); }
  [[nodiscard]] std::optional<Best> nearest_in(Context context) const override {
    return live().nearest_in(context);
  }
  [[nodiscard]] std::vector<LimitCheck> limit_checks(Arm arm) const override {
    return live().limit_checks(arm);
  }
  [[nodiscard]] std::optional<ArmEstimate> estimate(Arm arm) const override {
    return live().estimate(arm);
  }
  [[nodiscard]] std::optional<Uplift> uplift() const override { return live().uplift(); }
  [[nodiscard]] std::optional<Loss> loss() const override { return live().loss(); }
  [[nodiscard]] std::vector<Uplift> proven() const override { return live().proven(); }
  [[nodiscard]] std::optional<std::vector<double>> proven_in(Context context) const override {
    return live().proven_in(context);
  }
  [[nodiscard]] std::optional<Evidence> evidence() const override { return live().evidence(); }
  [[nodiscard]] Summary summary() const override { return live().summary(); }
  [[nodiscard]] std::uint64_t changes() const override { return live().changes(); }
  [[nodiscard]] std::optional<Learnt> learnt() const override { return live().learnt(); }
  [[nodiscard]] const TreeView* tree() override { return live().tree(); }
  [[nodiscard]] std::optional<Pull> pull_of(Ticket ticket) const override {
    return live().pull_of(ticket);
  }
  [[nodiscard]] std::vector<Pull> in_flight() const override { return live().in_flight(); }
  [[nodiscard]] std::string save() override { return live().save(); }
  /// Throws StateError: a study is restored from its store.
  void restore(std::string_view saved) override;
  /// A copy of the optimizer in memory, without a journal.
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override { return live().clone(); }

  /// The leases and incarnations of tickets.
  [[nodiscard]] const TicketLeases& tickets() const { return *leases_; }
  /// The incarnation that a ticket was issued under; see OpenOptions.
  [[nodiscard]] const std::string& incarnation_of(Ticket ticket) const;

  /// Whether the next ask begins a round of comparison with the baseline, after `more` further
  /// rewards of the search.
  [[nodiscard]] bool is_round_due(std::uint64_t more = 0) const;

  /// Drops the tickets whose lease has expired and returns their number.
  std::uint64_t drop_expired();
  /// Whether any open ticket has a lease.
  [[nodiscard]] bool has_leases() const;

  /// Stores the response to a request in the same transaction as the effects of the request.
  void keep_answer(KeptAnswer answer);

  /// Records an event that does not concern the optimizer.
  void note(Event event);

  /// Applies an event of a client's copy of this study. Throws StudyError (`differs`) if the event
  /// does not fit; the caller must then roll back the uncommitted events.
  void replay(const Event& event);

  /// Writes everything since the last commit to the store. On failure, the study returns to the
  /// state of the last successful commit, and StoreError is thrown. If the store cannot be read
  /// either, all other functions throw StoreError until a commit can read it again.
  void commit();

  /// Saves a snapshot, so that the study opens quickly next time. Failures are ignored. `commit`
  /// also does this from time to time.
  void snapshot();

  // The steps of a commit, for callers that continue during the write: other threads may use the
  // study, but not the store, while `write` runs.

  /// Everything that has to be written.
  struct Batch {
    std::vector<JournalEntry> entries = {};
    std::uint64_t pulls = 0;
    std::vector<KeptAnswer> answers = {};
    std::optional<Snapshot> snapshot = std::nullopt;  ///< set if one is due

    [[nodiscard]] bool empty() const { return entries.empty() && answers.empty(); }
  };
  [[nodiscard]] Batch take_batch();
  /// Throws StoreError. Call `resolve_failure` then, otherwise `mark_written`.
  void write(const Batch& batch) const;
  void mark_written(const Batch& batch);
  /// After a failed write: rolls back to the last commit. Returns the error, or none if the batch
  /// turns out to be in the store after all.
  [[nodiscard]] std::optional<StoreError> resolve_failure(const Batch& batch,
                                                          const StoreError& error);
  /// Discards everything since the last commit. Throws the same errors as opening; after that, only
  /// `recover` can be used.
  void roll_back();
  /// Reads the study from the store again if an earlier attempt failed.
  void recover();
  /// Whether the last attempt to read the study succeeded.
  [[nodiscard]] bool is_readable() const { return optimizer_ != nullptr; }

  /// Whether this process still owns the study; see StudyLock.
  [[nodiscard]] bool is_held() const { return lock_->is_held(); }

  /// The number of the last event, committed or not.
  [[nodiscard]] std::uint64_t events() const;

  /// Seconds since 1970 for dating events; never decreases.
  [[nodiscard]] double now() const;
  [[nodiscard]] Clock& clock() const { return *clock_; }

  [[nodiscard]] const StudyRecord& record() const { return record_; }
  [[nodiscard]] const StudySpecification& specification() const { return specification_; }
  [[nodiscard]] Store& store() { return *store_; }

  /// The state folded from the journal; null if OpenOptions requested none.
  [[nodiscard]] const JournalFold* fold() const { return fold_.get(); }

 private:
  Study(Store& store, StudyRecord record, StudySpecification specification,
        std::unique_ptr<StudyLock> lock, const OpenOptions& options);

  void load();
  void append(Event event);
  void note_what_is_seen();
  [[nodiscard]] Context used(Context context) const;
  [[nodiscard]] Pull choose(Context context, std::uint64_t pulls);
  [[nodiscard]] Optimizer& live() const;
  [[nodiscard]] Snapshot make_snapshot() const;
  [[nodiscard]] Status journaled(Status status, Event event);
  [[nodiscard]] bool is_of_baseline(Ticket ticket) const;
  [[nodiscard]] Status tell_parts(Ticket ticket, const Pull& pull, std::span<const double> rewards);

  Store* store_;
  StudyRecord record_;
  StudySpecification specification_;
  std::unique_ptr<StudyLock> lock_;
  std::unique_ptr<Optimizer> optimizer_;
  MakeFold make_fold_;
  std::string incarnation_;
  Clock* clock_;
  std::unique_ptr<TicketLeases> leases_;
  std::unique_ptr<JournalFold> fold_;
  // How many changes of the system, and up to which pull, have been recorded in the journal.
  std::uint64_t changes_ = 0;
  std::uint64_t seen_at_ = 0;  // pull
  std::vector<JournalEntry> uncommitted_;
  std::vector<KeptAnswer> answers_;    // not committed yet
  std::uint64_t events_ = 0;           // committed or being written
  std::uint64_t snapshot_events_ = 0;  // covered by the last snapshot
  std::uint64_t snapshot_bytes_ = 0;   // size of the last snapshot
  double last_at_ = 0.0;
  double started_at_ = 0.0;      // wall clock time at the start
  double started_steady_ = 0.0;  // steady clock time at the start
};

/// The specification of a study in a store. Throws StudyError.
[[nodiscard]] StudySpecification specification_of(const StudyRecord& record);

/// Throws StudyError if a name is invalid. Names are displayed and are parts of URL paths.
void check_study_name(const std::string& name);

/// Returns the record of a study. Throws StudyError, with the most similar name, if it does not
/// exist.
[[nodiscard]] StudyRecord find_study(Store& store, const std::string& name);

/// A study's optimizer for read-only use, without a lock.
struct LoadedOptimizer {
  std::unique_ptr<Optimizer> optimizer;
  std::shared_ptr<const JournalFold> fold;  ///< null if not requested
  std::shared_ptr<const TicketLeases> tickets;
  /// Not empty if the optimizer's revision differs from the study's. The optimizer has then
  /// observed all rewards, but is not the one that chose the arms.
  std::string warning;
};
[[nodiscard]] LoadedOptimizer load_optimizer(Store& store, const StudyRecord& record,
                                             const StudySpecification& specification,
                                             const MakeFold& fold = {});

}  // namespace canopy
