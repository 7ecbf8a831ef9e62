#include "canopy/study.hpp"

#include "canopy/detail/reward_map.hpp"
#include "canopy/journal.hpp"
#include "canopy/optimizers.hpp"
#include "canopy/state.hpp"
#include "canopy/with_baseline.hpp"

#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "journal/replay.hpp"
#include "journal/told.hpp"
#include "studies/fork.hpp"
#include "studies/load.hpp"
#include "studies/stored_specification.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StudyError::Fault;

// A snapshot is due after this many events, so that a study opens quickly; for a large state, after
// more events in proportion to the size of the last snapshot, so that the time spent on snapshots
// remains a bounded share.
constexpr std::uint64_t kEventsToSnapshot = 10'000;
constexpr std::uint64_t kSnapshotBytesAnEvent = 64;

constexpr std::size_t kLongestName = 200;

bool are_finite(const Rewards& rewards) {
  return std::isfinite(rewards.sum) && std::isfinite(rewards.squared_deviations) &&
         std::isfinite(rewards.min) && std::isfinite(rewards.max);
}

// --- names and locks -------------------------------------------------------------------------

std::string holder_text() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("pid {} on {}", getpid(), host.data());
}

/// Acquires the lock and records the owner.
std::unique_ptr<StudyLock> lock_study(Store& store, const StudyRecord& record,
                                      const OpenOptions& options) {
  std::unique_ptr<StudyLock> lock = store.try_lock(record.id, options.patience);
  if (!lock) {
    const std::string holder = store.find(record.name).value_or(record).holder;
    throw StudyError(Fault::open_elsewhere,
                     fmt::format("the study {} is open elsewhere: {}", record.name, holder));
  }
  store.set_holder(record.id, options.holder.empty() ? holder_text() : options.holder);
  return lock;
}

/// Finds the study of that name or creates it.
StudyRecord find_or_create(Store& store, const NewStudy& study) {
  if (auto found = store.find(study.name)) return *found;
  if (auto made = store.create(study)) return *made;
  return find_study(store, study.name);  // another process created it in the meantime
}

/// Finds a fork of the study, or creates it.
StudyRecord find_or_create_fork(Store& store, const StudyRecord& original, const std::string& name,
                                const StudySpecification& specification, double now,
                                bool accept_changes) {
  const StudySpecification before = specification_of(original);
  NewStudy fork{.name = name, .specification = json_of(specification), .created = now};
  fork.forked_from = original.name;
  const auto from_original = [&](StudyRecord record) {
    if (record.forked_from == original.name) return record;
    throw StudyError(Fault::taken, "there already is a study " + name);
  };
  if (auto found = store.find(name)) return from_original(*std::move(found));
  if (auto made = store.fork(original, fork)) return *std::move(made);
  std::vector<JournalEntry> observations;
  const ForkStart start = fork_start(before, specification, accept_changes);
  if (start == ForkStart::journal) {
    // The specification that replays of the journal start from.
    StudySpecification begun = specification;
    begun.objective.reward_range = before.objective.reward_range;
    fork.specification = json_of(begun);
    fork.copied = original.id;
  } else if (start == ForkStart::rewards) {
    observations =
        observations_of(store, original, specification.space, !specification.contexts.empty());
    fork.journal = observations;
  }
  return from_original(find_or_create(store, fork));
}

/// If a study is reopened without an explicit optimizer, it keeps the optimizer from the store,
/// even if the default has changed.
StudySpecification with_optimizer_of_store(Store& store, StudySpecification study,
                                           const OpenOptions& options) {
  const bool none_is_asked_for = study.optimizer == Selection{};
  if (const auto record = none_is_asked_for ? store.find(options.name) : std::nullopt) {
    study.optimizer = inherited_optimizer(specification_of(*record), study);
  }
  return study;
}

Asked asked_for(const Pull& pull, std::uint64_t pulls, Context context = {}) {
  // Databases have no integers above INT64_MAX, and no study has that many pulls.
  return {.ticket = pull.ticket,
          .pulls = pulls > INT64_MAX ? 0 : pulls,
          .length = pull.length,
          .arm = {pull.arm.begin(), pull.arm.end()},
          .purpose = pull.purpose,
          .then = {pull.then.begin(), pull.then.end()},
          .round = pull.round,
          .context = {context.begin(), context.end()}};
}

}  // namespace

// --- opening ---------------------------------------------------------------------------------

StudySpecification specification_of(const StudyRecord& record) {
  try {
    return parse_stored_study(record.specification, record.name);
  } catch (const SpecificationError& error) {
    throw StudyError(Fault::damaged, error.what());
  }
}

void check_study_name(const std::string& name) {
  const bool printable = excerpt(name, name.size() + 1) == name;
  if (name.empty() || name.size() > kLongestName || !printable || name == "." || name == ".." ||
      name.find('/') != std::string::npos) {
    throw StudyError(Fault::bad_name,
                     fmt::format("\"{}\" cannot name a study: a name is printable text of at most "
                                 "{} bytes without a slash",
                                 excerpt(name), kLongestName));
  }
}

StudyRecord find_study(Store& store, const std::string& name) {
  if (auto record = store.find(name)) return *record;
  std::vector<std::string> names;
  for (const StudyRecord& record : store.list({})) names.push_back(record.name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string what =
      names.empty() ? "has no studies yet" : name + ": " + unknown_name("study", name, known);
  throw StudyError(Fault::missing, store.name() + ": " + what);
}

Study Study::open(Store& store, const StudySpecification& given, const OpenOptions& options) {
  const StudySpecification specification = resolved(with_optimizer_of_store(store, given, options));
  (void)make_optimizer(specification);  // throws before anything is written
  if (!has_current_revision(specification)) {
    throw StudyError(Fault::other_revision, revision_text(options.name, specification));
  }
  check_study_name(options.fork.value_or(options.name));
  StudyRecord record;
  const double now = options.clock->wall_time();
  if (options.fork) {
    record = find_or_create_fork(store, find_study(store, options.name), *options.fork,
                                 specification, now, options.accept_changes);
  } else {
    record = find_or_create(
        store, {.name = options.name, .specification = json_of(specification), .created = now});
  }
  std::unique_ptr<StudyLock> lock = lock_study(store, record, options);
  record = find_study(store, record.name);
  // The specification keeps the initial range, from which replays start; later ranges are recorded
  // as events.
  StudySpecification kept = specification;
  const StudySpecification before = specification_of(record);
  if (record.events > 0) kept.objective.reward_range = before.objective.reward_range;
  const std::string text = json_of(kept);
  std::string accepted;
  if (record.specification != text) {
    const bool has_begun = record.events > 0;
    if (has_begun && !has_current_revision(before)) {
      throw StudyError(Fault::other_revision, revision_text(record.name, before));
    }
    // A study without events may still be opened with other options; but if the space differs, the
    // name probably belongs to a different study.
    if (has_begun || before.space != specification.space) {
      const std::string changes = learning_differences(before, specification);
      if (!changes.empty()) {
        throw StudyError(
            Fault::differs,
            fmt::format("the study {} was created with other settings: {}", record.name, changes));
      }
    }
    if (has_begun) accepted = command_differences(before, specification);
    if (!accepted.empty() && !options.accept_changes) {
      throw StudyError(
          Fault::other_commands,
          fmt::format("the study {} was measured by other commands: {}", record.name, accepted));
    }
    store.set_specification(record.id, text);
    record = find_study(store, record.name);
  }
  Study study{store, std::move(record), std::move(kept), std::move(lock), options};
  if (!accepted.empty()) {
    study.note(CommandsChanged{accepted});
    study.commit();
  }
  if (study.reward_range() != specification.objective.reward_range) {
    study.set_reward_range(specification.objective.reward_range);
    study.commit();
  }
  return study;
}

Study Study::reopen(Store& store, const OpenOptions& options) {
  StudyRecord record = find_study(store, options.name);
  if (options.fork) return open(store, specification_of_fork(store, record), options);
  StudySpecification specification = specification_of(record);
  if (!has_current_revision(specification)) {
    throw StudyError(Fault::other_revision, revision_text(record.name, specification));
  }
  std::unique_ptr<StudyLock> lock = lock_study(store, record, options);
  record = find_study(store, options.name);
  return {store, std::move(record), std::move(specification), std::move(lock), options};
}

Study::Study(Store& store, StudyRecord record, StudySpecification specification,
             std::unique_ptr<StudyLock> lock, const OpenOptions& options)
    : store_(&store),
      record_(std::move(record)),
      specification_(std::move(specification)),
      lock_(std::move(lock)),
      make_fold_(options.fold),
      incarnation_(options.incarnation),
      clock_(options.clock) {
  load();
  started_at_ = std::max(clock_->wall_time(), last_at_);
  started_steady_ = clock_->steady_time();
}

Study::Study(Study&&) noexcept = default;
Study::~Study() = default;

void Study::load() {
  optimizer_.reset();  // if loading fails, the study must not be used
  const StudyId id = record_.id;
  record_ = find_study(*store_, record_.name);
  if (record_.id != id) {
    record_.id = id;
    throw StudyError(Fault::missing, "the study " + record_.name + " was deleted");
  }
  Loaded loaded = load_all(*store_, record_, specification_, make_fold_);
  optimizer_ = std::move(loaded.optimizer);
  leases_ = std::move(loaded.folds.leases);
  fold_ = std::move(loaded.folds.fold);
  events_ = loaded.events;
  snapshot_events_ = loaded.snapshot_events;
  snapshot_bytes_ = loaded.snapshot_bytes;
  last_at_ = std::max(last_at_, loaded.last_at);
  changes_ = optimizer_->changes();
  seen_at_ = optimizer_->summary().t;
  uncommitted_.clear();
}

// --- the protocol ----------------------------------------------------------------------------

Optimizer& Study::live() const {
  if (!optimizer_) {
    throw StoreError(StoreError::Fault::unreachable, store_->name() + ": can no longer be read");
  }
  return *optimizer_;
}

double Study::now() const {
  return started_at_ + (clock_->steady_time() - started_steady_);
}

std::uint64_t Study::events() const {
  return events_ + uncommitted_.size();
}

void Study::note(Event event) {
  replay_tuner_event(live(), event);
  append(std::move(event));
}

void Study::append(Event event) {
  uncommitted_.push_back({events() + 1, now(), std::move(event)});
  leases_->apply(uncommitted_.back());
  if (fold_) fold_->apply(uncommitted_.back());
  note_what_is_seen();
}

/// Records what the search has detected about the system. This is determined by the journal, so a
/// replay records it at the same places; it is recorded for readers of the journal.
void Study::note_what_is_seen() {
  constexpr std::uint64_t kPullsBetweenLevels = 64;
  const std::uint64_t changes = live().changes();
  if (changes == 0) return;
  const Summary summary = live().summary();
  const std::uint64_t before = std::exchange(seen_at_, summary.t);
  if (changes != changes_) {
    changes_ = changes;
    append(Changed{summary.last_change.value()});
  } else if (summary.followed_level &&
             before / kPullsBetweenLevels != summary.t / kPullsBetweenLevels) {
    if (const auto best = live().best()) append(LevelSeen{best->mean});
  }
}

void Study::replay(const Event& event) {
  if (std::holds_alternative<Changed>(event) || std::holds_alternative<LevelSeen>(event)) return;
  const std::uint64_t before = events();
  try {
    const auto* asked = std::get_if<Asked>(&event);
    if (asked != nullptr && (asked->lease > 0.0 || !asked->incarnation.empty())) {
      throw StudyError(Fault::damaged, "a copy of a study must not issue tickets to clients");
    }
    if (!replay_event(*this, event)) note(event);
  } catch (const StudyError& error) {
    throw StudyError(Fault::differs,
                     fmt::format("event {} does not fit: {}", before + 1, error.what()));
  }
}

Status Study::journaled(Status status, Event event) {
  if (is_taken(status)) append(std::move(event));
  return status;
}

/// The context to pass to the search; none if the study has no contexts.
Context Study::used(Context context) const {
  return specification_.contexts.empty() ? Context() : context;
}

Pull Study::choose(Context context, std::uint64_t pulls) {
  return context.empty() ? live().ask(pulls) : live().ask_in(context, pulls);
}

Pull Study::ask(std::uint64_t pulls) {
  return ask_in({}, pulls);
}

Pull Study::ask_in(Context context, std::uint64_t pulls) {
  context = used(context);
  const Pull pull = choose(context, pulls);
  append(asked_for(pull, pulls, context));
  return pull;
}

Pull Study::ask_on_lease(std::uint64_t pulls, double seconds, Context context) {
  context = used(context);
  const Pull pull = choose(context, pulls);
  Asked asked = asked_for(pull, pulls, context);
  asked.lease = seconds;
  if (leases_->incarnation() != incarnation_) asked.incarnation = incarnation_;
  append(std::move(asked));
  return pull;
}

const std::string& Study::incarnation_of(Ticket ticket) const {
  return leases_->incarnation_of(ticket);
}

std::uint64_t Study::drop_expired() {
  std::uint64_t dropped = 0;
  for (const Ticket ticket : leases_->expired(now())) {
    if (drop(ticket) == Status::ok) ++dropped;
  }
  return dropped;
}

bool Study::has_leases() const {
  return !leases_->empty();
}

void Study::keep_answer(KeptAnswer answer) {
  answers_.push_back(std::move(answer));
}

Pull Study::ask_again() {
  const Pull pull = live().ask_again();
  Asked asked = asked_for(pull, 1);
  asked.again = true;
  append(std::move(asked));
  return pull;
}

Pull Study::ask_as(const Pull& earlier, std::uint64_t pulls, Context context) {
  context = used(context);
  const Pull pull = live().ask_as(earlier, pulls, context);
  append(asked_for(pull, pulls, context));
  return pull;
}

bool Study::is_round_due(std::uint64_t more) const {
  const auto* compared = dynamic_cast<const WithBaseline*>(&live());
  return compared != nullptr && compared->is_round_due(more);
}

/// Whether the next reward of a ticket belongs to the baseline.
bool Study::is_of_baseline(Ticket ticket) const {
  if (!specification_.baseline) return false;
  const std::optional<Pull> pull = live().pull_of(ticket);
  if (!pull || pull->purpose == Purpose::search) return false;
  return specification_.is_baseline({pull->arm.begin(), pull->arm.end()});
}

Status Study::tell(Ticket ticket, double reward) {
  reward += 0.0;  // some databases do not store the sign of zero
  const bool is_baseline = is_of_baseline(ticket);
  const Status status = live().tell(ticket, reward);
  if (is_taken(status)) append(Told{ticket, reward, status == Status::passed_over, is_baseline});
  return status;
}

Status Study::tell(Ticket ticket, std::span<const double> rewards) {
  const std::optional<Pull> pull =
      specification_.baseline ? live().pull_of(ticket) : std::optional<Pull>();
  if (pull && pull->purpose != Purpose::search) return tell_parts(ticket, *pull, rewards);
  const Status status = live().tell(ticket, rewards);
  if (is_taken(status)) {
    append(Told{ticket, std::vector(rewards.begin(), rewards.end()), status == Status::passed_over,
                false});
  }
  return status;
}

/// Records rewards of two arms, or from before and after the system has settled, as separate
/// events.
Status Study::tell_parts(Ticket ticket, const Pull& pull, std::span<const double> rewards) {
  if (rewards.empty()) return Status::impossible_sums;
  if (rewards.size() > pull.length) return Status::too_many_rewards;
  if (!std::all_of(rewards.begin(), rewards.end(), RewardMap::usable)) return Status::not_a_reward;
  Status all = Status::passed_over;
  while (!rewards.empty()) {
    const Pull now = live().pull_of(ticket).value();
    const std::uint64_t of_arm = now.unsettled != 0 ? now.unsettled : now.length - now.then_length;
    const auto part = rewards.first(std::min<std::size_t>(rewards.size(), of_arm));
    const bool is_baseline = is_of_baseline(ticket);
    const Status status = live().tell(ticket, part);
    if (!is_taken(status)) return status;
    append(Told{ticket, std::vector(part.begin(), part.end()), status == Status::passed_over,
                is_baseline});
    if (status == Status::ok) all = status;
    rewards = rewards.subspan(part.size());
  }
  return all;
}

Status Study::tell(Ticket ticket, const Rewards& rewards) {
  const bool is_baseline = is_of_baseline(ticket);
  const Status status = live().tell(ticket, rewards);
  if (is_taken(status)) append(Told{ticket, rewards, status == Status::passed_over, is_baseline});
  return status;
}

Status Study::measure(Ticket ticket, Arm arm, const Metrics& metrics) {
  return journaled(live().measure(ticket, arm, metrics),
                   MetricsMeasured{ticket, metrics, {arm.begin(), arm.end()}});
}

Status Study::measure_in(Context context, Arm arm, const Metrics& metrics) {
  context = used(context);
  const Status status =
      context.empty() ? live().measure(0, arm, metrics) : live().measure_in(context, arm, metrics);
  return journaled(status, MetricsMeasured{.metrics = metrics,
                                           .arm = {arm.begin(), arm.end()},
                                           .context = {context.begin(), context.end()}});
}

Status Study::penalize(Ticket ticket, double reward) {
  reward += 0.0;
  const std::optional<Pull> pull = live().pull_of(ticket);
  const bool is_barred = pull && live().is_barred(pull->arm);
  return journaled(live().penalize(ticket, reward), Penalized{ticket, reward, is_barred});
}

Status Study::bar(Arm arm, double reward) {
  reward += 0.0;
  return journaled(live().bar(arm, reward), Barred{reward, {arm.begin(), arm.end()}});
}

Status Study::observe(Arm arm, const Rewards& rewards) {
  return observe_in({}, arm, rewards);
}

Status Study::observe_in(Context context, Arm arm, const Rewards& rewards) {
  context = used(context);
  const Status status =
      context.empty() ? live().observe(arm, rewards) : live().observe_in(context, arm, rewards);
  return journaled(status, Observed{.arm = {arm.begin(), arm.end()},
                                    .rewards = shortest(rewards),
                                    .context = {context.begin(), context.end()}});
}

Status Study::observe(Arm arm, const AnyRewards& rewards, Role role, Context context) {
  if (count_of(rewards) == 0) return Status::impossible_sums;
  const Rewards sums = sums_of(rewards);
  if (!are_finite(sums)) return Status::not_a_reward;
  if (role == Role::search) return observe_in(context, arm, sums);
  if (role == Role::baseline) return remember(arm, sums);
  if (!specification_.space.contains(arm)) return Status::not_an_arm;
  context = used(context);
  append(Observed{{arm.begin(), arm.end()}, rewards, role, {context.begin(), context.end()}});
  return Status::ok;
}

Status Study::remember(Arm arm, const Rewards& rewards) {
  return journaled(live().remember(arm, rewards),
                   Observed{{arm.begin(), arm.end()}, shortest(rewards), Role::baseline});
}

void Study::set_reward_range(const std::optional<RewardRange>& range) {
  live().set_reward_range(range);
  append(RangeSet{range});
}

Status Study::drop(Ticket ticket) {
  return journaled(live().drop(ticket), Dropped{ticket});
}

void Study::finish() {
  live().finish();
  append(Finished{});
}

void Study::restore(std::string_view /*saved*/) {
  throw StateError("a study is restored from its store");
}

// --- committing ------------------------------------------------------------------------------

void Study::commit() {
  recover();
  const Batch batch = take_batch();
  try {
    write(batch);
  } catch (const StoreError& error) {
    if (const auto lost = resolve_failure(batch, error)) throw StoreError(*lost);
    return;
  }
  mark_written(batch);
}

std::optional<StoreError> Study::resolve_failure(const Batch& batch, const StoreError& error) {
  try {
    roll_back();
    std::size_t same = 0;
    if (!batch.entries.empty()) {
      store_->read(record_.id, {batch.entries.front().number - 1, batch.entries.size()},
                   [&](const JournalEntry& entry) {
                     if (entry == batch.entries[same]) ++same;
                   });
    }
    if (same > 0 && same == batch.entries.size()) return std::nullopt;
  } catch (const std::exception&) {
    return error;  // a later call tries to read it again
  }
  // The outcome is known now.
  const bool was_in_doubt = error.fault() == StoreError::Fault::in_doubt;
  return was_in_doubt ? StoreError(StoreError::Fault::unreachable, error.what()) : error;
}

Study::Batch Study::take_batch() {
  if (uncommitted_.empty() && answers_.empty()) return {};
  Batch batch{std::exchange(uncommitted_, {}), live().summary().t - 1, std::exchange(answers_, {})};
  events_ += batch.entries.size();
  const std::uint64_t due = std::max(kEventsToSnapshot, snapshot_bytes_ / kSnapshotBytesAnEvent);
  if (events_ - snapshot_events_ >= due) {
    batch.snapshot = make_snapshot();
  }
  return batch;
}

void Study::write(const Batch& batch) const {
  store_->append({.study = record_.id,
                  .entries = batch.entries,
                  .pulls = batch.pulls,
                  .answers = batch.answers});
  if (!batch.snapshot) return;
  try {
    store_->set_snapshot(record_.id, *batch.snapshot);
  } catch (const StoreError&) {
    return;  // a snapshot can be rebuilt from the journal
  }
}

void Study::mark_written(const Batch& batch) {
  if (!batch.entries.empty()) {
    record_.events = batch.entries.back().number;
    record_.updated = batch.entries.back().at;
    record_.pulls = batch.pulls;
  }
  if (batch.snapshot) {  // a failed snapshot is retried when the next one is due
    snapshot_events_ = batch.snapshot->events;
    snapshot_bytes_ = batch.snapshot->optimizer.size() + batch.snapshot->tuner.size();
  }
}

void Study::roll_back() {
  uncommitted_.clear();
  answers_.clear();
  load();
}

void Study::recover() {
  if (!optimizer_) load();
}

Snapshot Study::make_snapshot() const {
  return {events_, live().save(), saved_folds(*leases_, fold_.get())};
}

void Study::snapshot() {
  if (!uncommitted_.empty() || snapshot_events_ == events_) return;
  const Batch batch{.snapshot = make_snapshot()};
  write(batch);
  mark_written(batch);
}

}  // namespace canopy
