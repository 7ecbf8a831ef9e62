#include "studies/study.hpp"

#include "core/text.hpp"
#include "systems/excerpt.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

/// A snapshot is due when so many events are behind the last one, so that opening is quick; and an
/// eighth of all, so that snapshots of ever larger trees take a bounded part of the time.
constexpr std::uint64_t kEventsToSnapshot = 10'000;

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double steady_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string list_text(std::span<const double> rewards) {
  std::string text;
  for (const double reward : rewards) text += (text.empty() ? "" : " ") + to_text(reward);
  return text;
}

/// Does again what an event says was done; the pull of an ask.
std::optional<Pull> apply(const Event& event, Optimizer& optimizer) {
  Status status = Status::ok;
  switch (event.kind) {
    case EventKind::ask: {
      const Pull pull = optimizer.ask(event.count == 0 ? UINT64_MAX : event.count);
      if (pull.ticket != event.ticket) status = Status::unknown_ticket;
      if (status == Status::ok) return pull;
      break;
    }
    case EventKind::tell:
      status = optimizer.tell(event.ticket, event.value);
      break;
    case EventKind::tell_list:
      status = optimizer.tell(event.ticket, rewards_in(event));
      break;
    case EventKind::tell_sums:
      status = optimizer.tell(event.ticket, Rewards{event.count, event.value, event.squares});
      break;
    case EventKind::drop:
      status = optimizer.drop(event.ticket);
      break;
    case EventKind::finish:
      optimizer.finish();
      break;
    default:  // of no concern to the optimizer
      break;
  }
  if (status != Status::ok) throw StudyError(std::string(describe(status)));
  return std::nullopt;
}

std::optional<Pull> apply_numbered(const Event& event, std::uint64_t expected, Optimizer& optimizer,
                                   const std::string& name) {
  try {
    if (event.number != expected) throw StudyError("an event is missing before it");
    return apply(event, optimizer);
  } catch (const StudyError& error) {
    throw StudyError(fmt::format("{}: event {} of its journal does not fit: {}", name, event.number,
                                 error.what()));
  }
}

struct Loaded {
  std::unique_ptr<Optimizer> optimizer;
  std::uint64_t events = 0;
  std::uint64_t snapshot_events = 0;
  double last_at = 0.0;
};

/// The last snapshot, unless it is damaged, or the very beginning.
Loaded from_snapshot(Store& store, const StudyRecord& record,
                     const StudySpecification& specification) {
  Loaded loaded{make_optimizer(specification)};
  const std::optional<Snapshot> snapshot = store.snapshot(record);
  if (!snapshot || snapshot->events > record.events) return loaded;
  try {
    loaded.optimizer->restore(snapshot->state);
    loaded.events = loaded.snapshot_events = snapshot->events;
  } catch (const NewerStateError& error) {
    throw StudyError(record.name + ": " + error.what());
  } catch (const StateError&) {
    loaded.optimizer = make_optimizer(specification);  // the journal has it all
  }
  return loaded;
}

Loaded load_all(Store& store, const StudyRecord& record, const StudySpecification& specification) {
  Loaded loaded = from_snapshot(store, record, specification);
  loaded.last_at = record.updated;
  store.for_each_event(record, loaded.events, [&](const Event& event) {
    (void)apply_numbered(event, ++loaded.events, *loaded.optimizer, record.name);
    loaded.last_at = std::max(loaded.last_at, event.at);
  });
  return loaded;
}

std::string differences(const StudySpecification& stored, const StudySpecification& file) {
  const auto before = learning_fields(stored);
  const auto after = learning_fields(file);
  std::string text;
  const auto add = [&](const std::string& field, const std::string& was, const std::string& is) {
    text += fmt::format("{}{} was {} and is {}", text.empty() ? "" : "; ", field, was, is);
  };
  for (const auto& [field, was] : before) {
    const auto now = after.find(field);
    if (now == after.end()) {
      add(field, was, "gone");
    } else if (now->second != was) {
      add(field, was, now->second);
    }
  }
  for (const auto& [field, is] : after) {
    if (!before.contains(field)) add(field, "not there", is);
  }
  return text;
}

std::string holder_text() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("pid {} on {}", getpid(), host.data());
}

/// Takes the lock and notes who has it.
StudyLock lock_study(Store& store, const StudyRecord& record) {
  auto lock = StudyLock::try_take(store.path(), record.id);
  if (!lock) {
    std::string holder;
    for (int tries = 0; holder.empty() && tries < 100; ++tries) {  // it may not be noted yet
      if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      holder = store.find(record.name).value_or(record).holder;
    }
    throw StudyError(fmt::format("the study {} is open elsewhere: {}", record.name, holder));
  }
  store.set_holder(record, holder_text());
  return std::move(*lock);
}

/// Names are shown, and are parts of file names.
void check_name(const std::string& name) {
  const bool printable = excerpt(name, name.size() + 1) == name;
  if (name.empty() || !printable || name.find('/') != std::string::npos) {
    throw StudyError("\"" + excerpt(name) +
                     "\" is no name for a study: it must be printable text without a slash");
  }
}

/// The study of that name; made if nobody has made it before.
StudyRecord found_or_made(Store& store, const std::string& name, const std::string& source,
                          const StudyRecord* copied, const std::string& forked_from) {
  if (auto found = store.find(name)) return *found;
  try {
    return store.create(name, source, wall_clock(), copied, forked_from);
  } catch (const StoreError&) {
    if (auto found = store.find(name)) return *found;  // somebody else was quicker
    throw;
  }
}

StudyRecord chosen(Store& store, const StudyFile& file, const OpenOptions& options) {
  check_name(options.fork.value_or(options.name));
  if (!options.fork) return found_or_made(store, options.name, file.source, nullptr, "");
  const auto original = store.find(options.name);
  if (!original) throw StudyError("there is no study " + options.name + " to fork");
  const bool same = differences(parse_study(original->source, original->name), file.study).empty();
  StudyRecord fork =
      found_or_made(store, *options.fork, file.source, same ? &*original : nullptr, options.name);
  if (fork.forked_from != options.name) {
    throw StudyError("there is a study " + *options.fork + " already");
  }
  return fork;
}

}  // namespace

std::vector<double> rewards_in(const Event& event) {
  std::vector<double> rewards;
  std::istringstream words(event.text);
  for (std::string word; words >> word;) {
    const auto reward = number_in<double>(word);
    if (!reward) throw StudyError("\"" + word + "\" is no number");
    rewards.push_back(*reward);
  }
  return rewards;
}

StudyRecord find_study(Store& store, const std::string& name) {
  if (auto record = store.find(name)) return *record;
  std::vector<std::string> names;
  for (const StudyRecord& record : store.list()) names.push_back(record.name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw StudyError(
      store.path() + ": " +
      (names.empty() ? "has no studies yet" : name + ": " + unknown_name("study", name, known)));
}

Study Study::open(Store& store, const StudyFile& file, const OpenOptions& options) {
  (void)make_optimizer(file.study);  // throws before anything is written
  StudyRecord record = chosen(store, file, options);
  StudyLock lock = lock_study(store, record);
  record = find_study(store, record.name);
  if (record.source != file.source) {
    const std::string changes = differences(parse_study(record.source, record.name), file.study);
    if (!changes.empty() && record.events > 0) {
      throw StudyError(fmt::format(
          "the study {} is another one: {}; --fork NEW starts a new one",
          record.name, changes));
    }
    store.set_source(record, file.source);
  }
  return {store, find_study(store, record.name), file.study, std::move(lock)};
}

Study Study::reopen(Store& store, const std::string& name) {
  const StudyRecord record = find_study(store, name);
  StudyLock lock = lock_study(store, record);
  return {store, find_study(store, name), parse_study(record.source, record.name), std::move(lock)};
}

Study::Study(Store& store, StudyRecord record, StudySpecification specification, StudyLock lock)
    : store_(&store),
      record_(std::move(record)),
      specification_(std::move(specification)),
      lock_(std::move(lock)) {
  load();
  started_at_ = std::max(wall_clock(), last_at_);
  started_steady_ = steady_clock();
}

void Study::load() {
  optimizer_.reset();  // should this fail, nothing may be asked or told any more
  record_ = find_study(*store_, record_.name);
  Loaded loaded = load_all(*store_, record_, specification_);
  optimizer_ = std::move(loaded.optimizer);
  events_ = loaded.events;
  snapshot_events_ = loaded.snapshot_events;
  last_at_ = std::max(last_at_, loaded.last_at);
  uncommitted_.clear();
}

Optimizer& Study::live() const {
  if (!optimizer_) throw StoreError(store_->path() + ": cannot be read any more");
  return *optimizer_;
}

double Study::now() const {
  return started_at_ + (steady_clock() - started_steady_);
}

void Study::note(Event event) {
  event.number = events_ + uncommitted_.size() + 1;
  event.at = now();
  uncommitted_.push_back(std::move(event));
}

Status Study::journaled(Status status, Event event) {
  if (status == Status::ok) note(std::move(event));
  return status;
}

Pull Study::ask(std::uint64_t pulls) {
  const Pull pull = live().ask(pulls);
  note({.kind = EventKind::ask,
        .ticket = pull.ticket,
        .count = pulls > INT64_MAX ? 0 : pulls});  // whose databases have no larger numbers
  return pull;
}

Status Study::tell(Ticket ticket, double reward) {
  reward += 0.0;  // a database may forget the sign of zero
  return journaled(live().tell(ticket, reward),
                   {.kind = EventKind::tell, .ticket = ticket, .count = 1, .value = reward});
}

Status Study::tell(Ticket ticket, std::span<const double> rewards) {
  return journaled(live().tell(ticket, rewards), {.kind = EventKind::tell_list,
                                                  .ticket = ticket,
                                                  .count = rewards.size(),
                                                  .text = list_text(rewards)});
}

Status Study::tell(Ticket ticket, const Rewards& rewards) {
  const Rewards kept{rewards.count, rewards.sum + 0.0, rewards.sum_squares + 0.0};
  return journaled(live().tell(ticket, kept), {.kind = EventKind::tell_sums,
                                               .ticket = ticket,
                                               .count = kept.count,
                                               .value = kept.sum,
                                               .squares = kept.sum_squares});
}

Status Study::drop(Ticket ticket) {
  return journaled(live().drop(ticket), {.kind = EventKind::drop, .ticket = ticket});
}

void Study::finish() {
  live().finish();
  note({.kind = EventKind::finish});
}

void Study::restore(std::string_view /*saved*/) {
  throw StateError("a study is restored from its store");
}

void Study::commit() {
  if (!optimizer_) load();
  if (uncommitted_.empty()) return;
  try {
    store_->append(record_, uncommitted_, optimizer_->summary().t - 1);
  } catch (const StoreError&) {
    uncommitted_.clear();  // what was not written has not happened
    load();
    throw;
  }
  events_ += uncommitted_.size();
  uncommitted_.clear();
  if (events_ - snapshot_events_ >= std::max(kEventsToSnapshot, events_ / 8)) snapshot();
}

void Study::snapshot() {
  if (!uncommitted_.empty() || snapshot_events_ == events_) return;
  try {
    store_->set_snapshot(record_, {events_, optimizer_->save()});
    snapshot_events_ = events_;
  } catch (const StoreError&) {
    return;  // the journal has it all
  }
}

std::unique_ptr<Optimizer> load_optimizer(Store& store, const StudyRecord& record,
                                          const StudySpecification& specification) {
  return load_all(store, record, specification).optimizer;
}

void replay(Store& store, const StudyRecord& record, const StudySpecification& specification,
            const std::function<void(const Event&, std::optional<Arm>)>& visit) {
  const auto optimizer = make_optimizer(specification);
  std::map<Ticket, std::vector<double>> arms;  // of the tickets that are open
  std::uint64_t events = 0;
  store.for_each_event(record, 0, [&](const Event& event) {
    const auto pull = apply_numbered(event, ++events, *optimizer, record.name);
    if (pull) arms[pull->ticket].assign(pull->arm.begin(), pull->arm.end());
    const auto arm = arms.find(event.ticket);
    visit(event, arm != arms.end() ? std::optional<Arm>(arm->second) : std::nullopt);
    if (arms.size() > 2 * optimizer->summary().in_flight + 100) {
      std::map<Ticket, std::vector<double>> open;
      for (const Pull& each : optimizer->in_flight()) open.insert(arms.extract(each.ticket));
      arms = std::move(open);
    }
  });
}

}  // namespace canopy
