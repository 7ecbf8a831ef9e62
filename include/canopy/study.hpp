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

/// Which study is meant.
struct OpenOptions {
  std::string name;                 ///< of the study
  std::optional<std::string> fork;  ///< a new study to make from it, or one made from it before
  std::string holder = {};          ///< who opens it, for others to read; by default this process
  MakeFold fold = {};               ///< what else is to follow from the journal
  /// Of the tickets that are given out from now on: another one each time a server opens the study.
  /// A ticket that is told with it is the one that was given out, also if the study was deleted and
  /// made again meanwhile, or restored from a backup. Empty: tickets are told by their numbers.
  std::string incarnation = {};
  Clock* clock = &machine_clock();  ///< dates its events; outlives the study
  /// Whether the system may be set and measured by other commands than before: old and new rewards
  /// are then taken to be of the same thing.
  bool accept_changes = false;
  /// How long another process that has it is waited for.
  std::chrono::milliseconds patience = Store::kPatience;
};

/// An optimizer that remembers: a specification, its journal in the store, and the state that
/// follows from them. It speaks the optimizer's protocol. What was asked and told is on the disk
/// once `commit` has returned; no one should be told of it earlier. Not thread-safe; StudySession
/// is.
///
/// The journal is complete in itself: every ask has its arm. Opening a study repeats what happened
/// after the last snapshot and compares every arm; the first that differs is an error.
class Study final : public Optimizer {
 public:
  /// Opens the study of that name to continue it, or creates it. Throws StudyError if
  /// someone else has it open, if it was begun with another space, optimizer or objective, and if
  /// its optimizer has another revision here.
  ///
  /// A fork is a new study. It starts with the whole journal if nothing that learning depends on
  /// differs; otherwise with the rewards of all arms that are in the new space, as observations.
  [[nodiscard]] static Study open(Store& store, const StudySpecification& given,
                                  const OpenOptions& options);

  /// The same with the specification that is in the store.
  [[nodiscard]] static Study reopen(Store& store, const OpenOptions& options);

  Study(Study&& other) noexcept;
  ~Study() override;

  [[nodiscard]] const ContextSpace& contexts() const override { return specification_.contexts; }

  Pull ask(std::uint64_t pulls = UINT64_MAX) override;
  Pull ask_in(Context context, std::uint64_t pulls = UINT64_MAX) override;
  /// The same for a client of a server, for a limited time in seconds: see `drop_expired`. 0: for
  /// ever. The ticket is of the incarnation that the study was opened with.
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
  /// For any purpose: see Role.
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
  /// A study is restored from its store: throws StateError.
  void restore(std::string_view saved) override;
  /// A copy of the optimizer, in memory and without a journal.
  [[nodiscard]] std::unique_ptr<Optimizer> clone() const override { return live().clone(); }

  /// What clients were told of tickets.
  [[nodiscard]] const TicketLeases& tickets() const { return *leases_; }
  /// The incarnation that a ticket was given out with: see OpenOptions.
  [[nodiscard]] const std::string& incarnation_of(Ticket ticket) const;

  /// Whether the next ask is for a comparison with the baseline, after `more` further rewards of
  /// the search.
  [[nodiscard]] bool is_round_due(std::uint64_t more = 0) const;

  /// Drops the tickets whose lease has expired and returns their number.
  std::uint64_t drop_expired();
  /// Whether tickets on lease are open.
  [[nodiscard]] bool has_leases() const;

  /// Keeps an answer in the store, in the same step as what was done for it.
  void keep_answer(KeptAnswer answer);

  /// Notes something that does not concern the optimizer.
  void note(Event event);

  /// Does what was done to a copy of this study. Throws StudyError (`differs`) if it does not fit:
  /// then what was not committed must be taken back.
  void repeat(const Event& event);

  /// Writes everything since the last commit to the disk. If that fails, the study is as it was
  /// after the last successful one, and StoreError is thrown. If even reading the store fails, all
  /// other functions throw it too, until a commit finds the store readable again.
  void commit();

  /// Keeps the state, so that the next opening is quick; if this fails, that is slower. Commit does
  /// it now and then, too.
  void snapshot();

  // The steps of a commit, for callers that carry on while the disk works: others may use the study
  // during `write`, but not the store.

  /// What there is to write, if anything.
  struct Batch {
    std::vector<JournalEntry> entries = {};
    std::uint64_t pulls = 0;
    std::vector<KeptAnswer> answers = {};
    std::optional<Snapshot> snapshot = std::nullopt;  ///< when one is due

    [[nodiscard]] bool empty() const { return entries.empty() && answers.empty(); }
  };
  [[nodiscard]] Batch take_batch();
  /// Throws StoreError; in that case call `settle`, otherwise `keep`.
  void write(const Batch& batch) const;
  void keep(const Batch& batch);
  /// After a batch could not be written: undoes everything since the last commit. Returns why it is
  /// lost, or nothing if it is in the store after all.
  [[nodiscard]] std::optional<StoreError> settle(const Batch& batch, const StoreError& error);
  /// Undoes everything since the last commit. Throws what opening throws, after which
  /// nothing works until `recover` does.
  void take_back();
  /// Reads the study again, if that failed before.
  void recover();
  /// Whether it did not fail.
  [[nodiscard]] bool is_readable() const { return optimizer_ != nullptr; }

  /// Whether the right to write is still ours: see StudyLock.
  [[nodiscard]] bool is_held() const { return lock_->is_held(); }

  /// The number of the last event, committed or not.
  [[nodiscard]] std::uint64_t events() const;

  /// Seconds since 1970, for dating events: never goes back.
  [[nodiscard]] double now() const;
  [[nodiscard]] Clock& clock() const { return *clock_; }

  [[nodiscard]] const StudyRecord& record() const { return record_; }
  [[nodiscard]] const StudySpecification& specification() const { return specification_; }
  [[nodiscard]] Store& store() { return *store_; }

  /// What was to follow from the journal when the study was opened; null: nothing.
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
  // What the search has seen of the system, in the journal or on its way to it.
  std::uint64_t changes_ = 0;
  std::uint64_t seen_at_ = 0;  // pull
  std::vector<JournalEntry> uncommitted_;
  std::vector<KeptAnswer> answers_;    // of which nobody has been told
  std::uint64_t events_ = 0;           // committed, or on their way to the disk
  std::uint64_t snapshot_events_ = 0;  // of which the snapshot covers this many
  std::uint64_t snapshot_bytes_ = 0;   // that it took
  double last_at_ = 0.0;
  double started_at_ = 0.0;      // by the clock on the wall, and
  double started_steady_ = 0.0;  // by one that never jumps
};

/// The specification of a study in a store. Throws StudyError.
[[nodiscard]] StudySpecification specification_of(const StudyRecord& record);

/// Throws StudyError if no study can have that name: it is shown, and is a part of paths.
void check_study_name(const std::string& name);

/// The record of a study. Throws StudyError, which suggests the nearest name.
[[nodiscard]] StudyRecord find_study(Store& store, const std::string& name);

/// The optimizer of a study, to look at without a lock.
struct LoadedOptimizer {
  std::unique_ptr<Optimizer> optimizer;
  std::shared_ptr<const JournalFold> fold;  ///< null where none was asked for
  std::shared_ptr<const TicketLeases> tickets;
  /// If the optimizer has another revision here, it is not the one that chose the arms, but
  /// one that has observed everything they earned. A sentence that says so; otherwise empty.
  std::string warning;
};
[[nodiscard]] LoadedOptimizer load_optimizer(Store& store, const StudyRecord& record,
                                             const StudySpecification& specification,
                                             const MakeFold& fold = {});

}  // namespace canopy
