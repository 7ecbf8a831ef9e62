#include "service/study_host.hpp"

#include "canopy/clock.hpp"

#include "core/excerpt.hpp"
#include "files/json.hpp"
#include "journal/command_text.hpp"
#include "journal/ticket_leases.hpp"
#include "service/tokens.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::size_t kMostViews = 64;  // cached studies that are not open here
constexpr std::chrono::seconds kViewsAreKept{30};
constexpr std::chrono::milliseconds kPatienceWithHolders{300};

/// A stored answer: its status, a newline and its body.
std::string kept_text(const Response& answer) {
  return std::to_string(answer.status) + '\n' + answer.body;
}

Response answer_from(std::string kept) {
  const auto status = static_cast<unsigned>(std::stoul(kept));
  kept.erase(0, kept.find('\n') + 1);
  return {status, std::move(kept)};
}

/// A random id, drawn whenever a study is opened.
std::string new_incarnation() {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  return fmt::format("{:010x}", random() >> 24);
}

StudyError closed(const std::string& study) {
  return {StudyError::Fault::closed,
          "the study " + study + " is closed because the server is stopping"};
}

/// Distinguishes requests that have the same idempotency key.
std::string fingerprint_of(const Request& request) {
  return hash_of(request.method + ' ' + request.target + '\n' + request.body).substr(0, 32);
}

/// Accepts the posted commands of a study that no tuner runs.
void take_commands(Study& study) {
  for (const PostedCommand& posted :
       study.store().commands(study.record().id, tuner_state_of(study).last_command())) {
    try {
      const WantedCommand wanted = command_from(posted.text);
      study.note(CommandAccepted{posted.number, wanted.command, wanted.pulls, wanted.by});
    } catch (const SpecificationError&) {
      continue;  // written by a later version
    }
  }
}

std::string state_text(const StudyState& state) {
  switch (state.order.value_or(RunnerCommand::resume)) {
    case RunnerCommand::pause:
      return "paused";
    case RunnerCommand::hold:
      return "held";
    case RunnerCommand::baseline:
      return "at_baseline";
    case RunnerCommand::end:
      return "ended";
    default:
      return !state.runner.empty() || state.in_flight > 0 ? "running" : "idle";
  }
}

StudyState state_now(const Study& study, const Runner& runner) {
  const TunerState& tuner = tuner_state_of(study);
  const std::string holder = runner.holder.empty() ? "a tuner" : runner.holder;
  StudyState state{.runner = runner.is_alive() ? holder : "",
                   .in_flight = study.summary().in_flight,
                   .tuner_began = tuner.is_running(),
                   .order = tuner.order(),
                   .ordered_by = tuner.ordered_by()};
  state.text = state_text(state);
  return state;
}

}  // namespace

StudyRecord record_of(Store& store, const std::string& study) {
  if (auto record = store.find(study)) return std::move(*record);
  throw StudyError(StudyError::Fault::missing,
                   fmt::format("there is no study \"{}\"", excerpt(study)));
}

void require_no_other_tuner(const Runner& runner, const std::string& tuner) {
  if (!runner.is_alive() || runner.id == tuner) return;
  throw Problem(409, "open_elsewhere", "the study is run by a tuner: " + runner.holder);
}

StudyHost::StudyHost(std::shared_ptr<Store> store, Options options)
    : store_(std::move(store)), options_(std::move(options)), pool_(options_.threads) {}

StudyHost::~StudyHost() {
  close();
}

void StudyHost::post(std::function<void()> work) {
  boost::asio::post(pool_, std::move(work));
}

// --- requests --------------------------------------------------------------------------------

void StudyHost::write(const std::string& study, const Request& request, Write work, Done done) {
  const HostedPointer hosted = this->hosted(study);
  submit(hosted, {task_of(hosted, request, std::move(work), std::move(done))});
}

void StudyHost::write_all_or_nothing(const std::string& study, const Request& request, Write work,
                                     Done done) {
  const HostedPointer hosted = this->hosted(study);
  Pending pending{task_of(hosted, request, std::move(work), std::move(done))};
  pending.task.all_or_nothing = true;
  submit(hosted, std::move(pending));
}

void StudyHost::read(const std::string& study, const Request& request, Read work, Done done) {
  HostedPointer hosted;
  {
    const std::lock_guard lock(mutex_);
    const auto found = hosted_.find(study);
    if (found != hosted_.end()) {
      hosted = found->second;
      ++hosted->entering;
    }
  }
  if (!hosted) {
    run(
        request,
        [this, study, work = std::move(work)](Store& /*store*/) { return look(study, work); },
        std::move(done));
    return;
  }
  Write looks = [work](Study& open, Runner& runner) {
    StudyView view{.record = open.record(),
                   .specification = open.specification(),
                   .optimizer = open,
                   .tuner = tuner_state_of(open),
                   .tickets = open.tickets(),
                   .open_by = runner.is_alive() ? runner.holder : "",
                   .here = state_now(open, runner)};
    return work(view);
  };
  StudySession::Task task = task_of(hosted, request, std::move(looks), std::move(done));
  task.key.clear();
  submit(hosted, {std::move(task), std::move(work)});
}

void StudyHost::run(const Request& request, Work work, Done done) {
  post([this, id = request.id, work = std::move(work), done = std::move(done)] {
    Response answer;
    try {
      answer = work(*store_);
    } catch (...) {
      answer = current_problem().answer(id);
    }
    done(std::move(answer));
  });
}

void StudyHost::run_alone(const std::string& study, const Request& request,
                          const std::string& tuner, Work work, Done done) {
  const HostedPointer hosted = this->hosted(study);
  const auto answer = answering(study, request, std::move(done));
  const auto alone = [this, hosted, tuner, work = std::move(work), answer] {
    StudySession::Outcome outcome;
    try {
      require_no_other_tuner(hosted->runner, tuner);
      const StudyRecord record = record_of(*store_, hosted->name);
      const std::unique_ptr<StudyLock> lock = store_->try_lock(record.id, Store::kPatience);
      if (!lock) {
        throw StudyError(
            StudyError::Fault::open_elsewhere,
            fmt::format("the study {} is open elsewhere: {}", record.name, record.holder));
      }
      outcome.answer = kept_text(work(*store_));
    } catch (...) {
      outcome.error = std::current_exception();
    }
    answer(std::move(outcome));
  };
  change(hosted, {alone, [answer](const std::exception_ptr& error) { answer({.error = error}); }});
}

void StudyHost::reopen(const std::string& study, const Request& request,
                       const StudySpecification& specification, const std::string& tuner,
                       Done done) {
  const HostedPointer hosted = this->hosted(study);
  const auto answer = answering(study, request, std::move(done));
  const auto open_anew = [this, hosted, specification, tuner, answer] {
    StudySession::Outcome outcome;
    try {
      require_no_other_tuner(hosted->runner, tuner);
      open_with(hosted, [&](Store& store) {
        (void)record_of(store, hosted->name);  // throws if the study was deleted
        return Study::open(store, specification, opening(hosted->name));
      });
      outcome.answer = kept_text(no_content());
    } catch (...) {
      outcome.error = std::current_exception();
    }
    answer(std::move(outcome));
  };
  change(hosted,
         {open_anew, [answer](const std::exception_ptr& error) { answer({.error = error}); }});
}

/// Returns the entry of a study, open or not, and announces a request to it.
StudyHost::HostedPointer StudyHost::hosted(const std::string& study) {
  const std::lock_guard lock(mutex_);
  HostedPointer& place = hosted_[study];
  if (!place) {
    place = std::make_shared<Hosted>();
    place->name = study;
  }
  place->used = Runner::SteadyClock::now();
  ++place->entering;
  return place;
}

StudySession::Task StudyHost::task_of(const HostedPointer& hosted, const Request& request,
                                      Write work, Done done) const {
  StudySession::Task task{
      .perform = [hosted, work = std::move(work)](
                     Study& study) { return kept_text(work(study, hosted->runner)); },
      .done = answering(hosted->name, request, std::move(done)),
      .key = request.idempotency_key};
  if (!task.key.empty()) task.request = fingerprint_of(request);
  return task;
}

/// Turns the outcome of a task into a response.
std::function<void(StudySession::Outcome)> StudyHost::answering(const std::string& study,
                                                                const Request& request,
                                                                Done done) const {
  return [this, study, id = request.id, target = request.target,
          done = std::move(done)](StudySession::Outcome outcome) {
    done(outcome.error ? problem_with(study, target, outcome.error).answer(id)
                       : answer_from(std::move(outcome.answer)));
  };
}

/// The problem that answers a failed request. If another server has the study open, it redirects
/// there.
Problem StudyHost::problem_with(const std::string& study, const std::string& target,
                                const std::exception_ptr& error) const {
  try {
    std::rethrow_exception(error);
  } catch (const StudyError& refusal) {
    if (refusal.fault() != StudyError::Fault::open_elsewhere) return problem_of(refusal);
    std::string holder;
    try {
      if (const auto record = store_->find(study)) holder = record->holder;
    } catch (const StoreError& failure) {
      return problem_of(failure);
    }
    if (holder == options_.address && !holder.empty()) {
      return Problem(503, "not_yet",
                     "the previous server at this address still holds the study for a few "
                     "seconds; try again")
          .retry_after(1);
    }
    if (!holder.starts_with("http")) return problem_of(refusal);
    return Problem(307, "served_elsewhere", fmt::format("{} serves the study {}", holder, study))
        .at(holder + target);
  } catch (...) {
    return current_problem();
  }
}

/// Accepts an announced request; requires the mutex. Returns false if the host is closing.
bool StudyHost::enter(Hosted& hosted) {
  --hosted.entering;
  if (closing_) drop_if_unused(hosted);
  return !closing_;
}

void StudyHost::submit(const HostedPointer& hosted, Pending pending) {
  std::unique_lock lock(mutex_);
  if (!enter(*hosted)) {
    lock.unlock();
    pending.task.done({.error = std::make_exception_ptr(closed(hosted->name))});
    return;
  }
  // The session may have lost the study.
  if (hosted->session && !hosted->session->is_open()) hosted->session.reset();
  if (hosted->session && !hosted->is_changing) {
    hosted->session->post(std::move(pending.task));
    return;
  }
  hosted->waiting.push_back(std::move(pending));
  if (!hosted->is_changing) begin_change(hosted);
}

// --- opening and closing ---------------------------------------------------------------------

/// Runs work that needs the study closed; later requests wait.
void StudyHost::change(const HostedPointer& hosted, Change change) {
  std::unique_lock lock(mutex_);
  if (!enter(*hosted)) {
    lock.unlock();
    change.failed(std::make_exception_ptr(closed(hosted->name)));
    return;
  }
  hosted->changes.push_back(std::move(change));
  if (!hosted->is_changing) begin_change(hosted);
}

/// Requires the mutex.
void StudyHost::begin_change(const HostedPointer& hosted) {
  hosted->is_changing = true;
  post([this, hosted] { run_changes(hosted); });
}

/// Runs on one worker at a time.
void StudyHost::run_changes(const HostedPointer& hosted) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (hosted->session && !hosted->session->is_open()) hosted->session.reset();
    if (!hosted->changes.empty() && hosted->session) {
      const std::shared_ptr<StudySession> session = hosted->session;
      lock.unlock();
      session->post_close([this, hosted, session](const StudySession::Outcome& outcome) {
        if (outcome.error && session->is_open()) {
          Change failed;
          {
            const std::lock_guard access(mutex_);
            failed = std::move(hosted->changes.front());
            hosted->changes.pop_front();
            if (closing_) hosted->session.reset();
          }
          failed.failed(outcome.error);
        }
        post([this, hosted] { run_changes(hosted); });
      });
      return;
    }
    if (!hosted->changes.empty()) {
      const Change next = std::move(hosted->changes.front());
      hosted->changes.pop_front();
      lock.unlock();
      if (next.work) next.work();
      lock.lock();
      continue;
    }
    if (hosted->session || hosted->waiting.empty()) break;
    const bool is_closing = closing_;
    lock.unlock();
    if (is_closing) {
      refuse_all(*hosted, std::make_exception_ptr(closed(hosted->name)));
    } else {
      open(hosted);
    }
    lock.lock();
  }
  for (Pending& each : hosted->waiting) hosted->session->post(std::move(each.task));
  hosted->waiting.clear();
  hosted->is_changing = false;
  drop_if_unused(*hosted);
}

/// Requires the mutex.
void StudyHost::drop_if_unused(Hosted& hosted) {
  if (hosted.session || hosted.is_changing) return;
  hosted.state = {};
  hosted.has_leases = false;
  if (hosted.entering == 0) hosted_.erase(std::string(hosted.name));
  changed_.notify_all();
}

OpenOptions StudyHost::opening(const std::string& study) const {
  return {.name = study,
          .fork = {},
          .holder = options_.address,
          .fold = tuner_fold,
          .incarnation = new_incarnation(),
          .patience = kPatienceWithHolders};
}

/// Opens the study and submits the waiting requests, or refuses them with the error.
void StudyHost::open(const HostedPointer& hosted) {
  try {
    const StudyRecord record = record_of(*store_, hosted->name);
    const bool served_elsewhere =
        record.holder.starts_with("http") && record.holder != options_.address;
    if (served_elsewhere && store_->is_locked(record.id)) {
      throw StudyError(
          StudyError::Fault::open_elsewhere,
          fmt::format("the study {} is open elsewhere: {}", record.name, record.holder));
    }
    open_with(hosted, [&](Store& store) { return Study::reopen(store, opening(hosted->name)); });
  } catch (...) {
    refuse_all(*hosted, std::current_exception());
  }
}

void StudyHost::open_with(const HostedPointer& hosted, const std::function<Study(Store&)>& open) {
  Hosted* const place = hosted.get();  // outlives its session
  auto session = std::make_shared<StudySession>(
      store_, open,
      StudySession::Options{
          .execute = [this](std::function<void()> work) { post(std::move(work)); },
          .committer = options_.committer,
          .answers = options_.answers,
          .after_commit =
              [this, place](const Study& study, bool has_written) {
                note_state(*place, study);
                if (has_written && options_.changed) options_.changed(place->name);
              }});
  const std::lock_guard lock(mutex_);
  hosted->session = std::move(session);
  push_tick(*hosted);
}

/// Refuses the waiting requests, but serves those that only read.
void StudyHost::refuse_all(Hosted& hosted, const std::exception_ptr& error) {
  std::vector<Pending> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting = std::exchange(hosted.waiting, {});
  }
  for (Pending& each : waiting) {
    StudySession::Outcome outcome{.error = error};
    if (each.read) {
      try {
        outcome = {.answer = kept_text(look(hosted.name, each.read))};
      } catch (...) {
        outcome.error = std::current_exception();
      }
    }
    each.task.done(std::move(outcome));
  }
}

void StudyHost::note_state(Hosted& hosted, const Study& study) {
  StudyState state = state_now(study, hosted.runner);
  const std::lock_guard lock(mutex_);
  hosted.has_leases = study.has_leases();
  hosted.state = std::move(state);
}

// --- a study that is not open here -----------------------------------------------------------

Response StudyHost::look(const std::string& study, const Read& work) {
  const StudyRecord record = record_of(*store_, study);
  std::shared_ptr<Looked> looked;
  {
    const std::lock_guard lock(mutex_);
    auto& kept = looked_[record.id];
    if (!kept) kept = std::make_shared<Looked>();
    looked = kept;
    looked->used = Runner::SteadyClock::now();
  }
  const std::lock_guard lock(looked->mutex);
  const bool is_new = !looked->specification ||
                      looked->record.specification != record.specification ||
                      looked->record.events != record.events;
  if (is_new) {
    looked->specification.reset();
    StudySpecification specification = specification_of(record);
    looked->loaded = load_optimizer(*store_, record, specification, tuner_fold);
    looked->specification = std::move(specification);
  }
  looked->record = record;
  // The next process that opens the study drops these tickets.
  for (const Ticket ticket : looked->loaded.tickets->expired(machine_clock().wall_time())) {
    (void)looked->loaded.optimizer->drop(ticket);
  }
  StudyView view{.record = record,
                 .specification = *looked->specification,
                 .optimizer = *looked->loaded.optimizer,
                 .tuner = tuner_state_of(looked->loaded),
                 .tickets = *looked->loaded.tickets,
                 .open_by = store_->is_locked(record.id) ? record.holder : "",
                 .warning = looked->loaded.warning};
  return work(view);
}

void StudyHost::forget(StudyId study) {
  histories_.forget(study);
  const std::lock_guard lock(mutex_);
  looked_.erase(study);
}

/// Requires the mutex.
void StudyHost::drop_unused_views() {
  const auto now = Runner::SteadyClock::now();
  std::erase_if(looked_, [&](const auto& each) { return now - each.second->used > kViewsAreKept; });
  while (looked_.size() > kMostViews) {
    looked_.erase(std::min_element(
        looked_.begin(), looked_.end(),
        [](const auto& a, const auto& b) { return a.second->used < b.second->used; }));
  }
}

// --- periodic work ---------------------------------------------------------------------------

void StudyHost::tick() {
  histories_.drop_unused();
  const auto now = Runner::SteadyClock::now();
  const std::lock_guard lock(mutex_);
  drop_unused_views();
  if (closing_) return;
  for (const auto& [name, hosted] : hosted_) {
    if (!hosted->session || hosted->is_changing) continue;
    const bool is_used =
        now - hosted->used <= options_.idle || hosted->has_leases || !hosted->state.runner.empty();
    if (is_used) {
      push_tick(*hosted);
    } else {
      close_idle(hosted);
    }
  }
}

/// Requires the mutex. A change without work just closes the study.
void StudyHost::close_idle(const HostedPointer& hosted) {
  const auto failed = [this, study = hosted->name](const std::exception_ptr& error) {
    if (options_.failed) options_.failed(study + ": " + problem_with(study, "", error).what());
  };
  hosted->changes.push_back({.failed = failed});
  if (!hosted->is_changing) begin_change(hosted);
}

void StudyHost::tick_soon(const std::string& study) {
  const std::lock_guard lock(mutex_);
  const auto found = hosted_.find(study);
  if (found == hosted_.end() || !found->second->session) return;
  push_tick(*found->second);
}

/// Requires the mutex and an open study.
void StudyHost::push_tick(Hosted& hosted) const {
  Runner* const runner = &hosted.runner;
  hosted.session->post({.perform =
                            [runner](Study& study) {
                              (void)study.drop_expired();
                              if (!runner->is_alive()) take_commands(study);
                              return std::string();
                            },
                        .done = [](const StudySession::Outcome& /*outcome*/) {}});
}

void StudyHost::close() {
  {
    std::unique_lock lock(mutex_);
    if (std::exchange(closing_, true)) return;
    for (const auto& each : hosted_) close_idle(each.second);
    changed_.wait(lock, [this] { return hosted_.empty(); });
  }
  pool_.join();
}

StudyHost::Counts StudyHost::counts() const {
  Counts counts;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, hosted] : hosted_) {
    if (!hosted->session) continue;
    ++counts.states[hosted->state.text];
    counts.in_flight += hosted->state.in_flight;
  }
  return counts;
}

std::optional<StudyState> StudyHost::state_of(const std::string& study) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosted_.find(study);
  if (found == hosted_.end() || !found->second->session) return std::nullopt;
  return found->second->state;
}

}  // namespace canopy::service
