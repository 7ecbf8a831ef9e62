#include "service/study_host.hpp"

#include "core/excerpt.hpp"
#include "files/json.hpp"
#include "journal/command_text.hpp"
#include "service/tokens.hpp"
#include "tuning/tuner_state.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::size_t kMostViews = 64;  // of studies that are not open here
constexpr std::chrono::seconds kViewsAreKept{30};

/// An answer as it is kept: its status, a line end and its body.
std::string kept_text(const Response& answer) {
  return std::to_string(answer.status) + '\n' + answer.body;
}

Response answer_from(const std::string& kept) {
  const std::size_t end = kept.find('\n');
  return {static_cast<unsigned>(std::stoul(kept.substr(0, end))), kept.substr(end + 1)};
}

Problem reused_key() {
  return {422, "reused_key", "this Idempotency-Key was used for another request before"};
}

/// Notes what people want, as whoever runs the study does.
void take_commands(Study& study) {
  for (const PostedCommand& posted :
       study.store().commands(study.record().id, tuner_state_of(study).last_command())) {
    try {
      const WantedCommand wanted = command_from(posted.text);
      study.note(CommandAccepted{posted.number, wanted.command, wanted.pulls, wanted.by});
    } catch (const SpecificationError&) {
      continue;  // of a later version, say
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

void refuse_beside(const Runner& runner, const std::string& tuner) {
  if (!runner.is_alive() || runner.id == tuner) return;
  throw Problem(409, "open_elsewhere", "the study is run by a tuner: " + runner.holder);
}

StudyHost::Waiting::Waiting(const Request& request)
    : id(request.id), target(request.target), key(request.idempotency_key) {
  if (key.empty()) return;
  fingerprint = hash_of(request.method + ' ' + request.target + '\n' + request.body).substr(0, 32);
}

StudyHost::StudyHost(std::shared_ptr<Store> store, Options options, Callbacks callbacks)
    : store_(std::move(store)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      pool_(options_.threads) {}

StudyHost::~StudyHost() {
  close();
}

// --- what comes in ---------------------------------------------------------------------------

void StudyHost::write(const std::string& study, const Request& request, Write work, Done done) {
  submit(study, {.request = request, .write = std::move(work), .done = std::move(done)});
}

void StudyHost::write_all_or_nothing(const std::string& study, const Request& request, Write work,
                                     Done done) {
  submit(study, {.request = request,
                 .write = std::move(work),
                 .done = std::move(done),
                 .all_or_nothing = true});
}

void StudyHost::run_alone(const std::string& study, const Request& request,
                          const std::string& tuner, Work work, Done done) {
  submit(study,
         {.request = request, .alone = std::move(work), .tuner = tuner, .done = std::move(done)});
}

void StudyHost::reopen(const std::string& study, const Request& request,
                       const StudySpecification& specification, const std::string& tuner,
                       Done done) {
  submit(study, {.request = request,
                 .specification = specification,
                 .tuner = tuner,
                 .done = std::move(done)});
}

void StudyHost::read(const std::string& study, const Request& request, Read work, Done done) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = hosted_.find(study);
    if (found != hosted_.end()) {
      found->second->jobs.push_back(
          {.request = request, .read = std::move(work), .done = std::move(done)});
      schedule(found->second);
      return;
    }
  }
  run(
      request,
      [this, study, work = std::move(work)](Store& /*store*/) { return look(study, work); },
      std::move(done));
}

void StudyHost::run(const Request& request, Work work, Done done) {
  boost::asio::post(
      pool_, [this, id = request.id, work = std::move(work), done = std::move(done)]() mutable {
        Response answer;
        try {
          answer = work(*store_);
        } catch (...) {
          answer = current_problem().answer(id);
        }
        callbacks_.deliver({{std::move(done), std::move(answer)}});
      });
}

void StudyHost::submit(const std::string& study, Job job) {
  const std::lock_guard lock(mutex_);
  auto& hosted = hosted_[study];
  if (!hosted) {
    hosted = std::make_shared<Hosted>();
    hosted->name = study;
  }
  hosted->used = Runner::SteadyClock::now();
  hosted->jobs.push_back(std::move(job));
  schedule(hosted);
}

/// With the mutex.
void StudyHost::schedule(const std::shared_ptr<Hosted>& hosted) {
  if (std::exchange(hosted->scheduled, true)) return;
  boost::asio::post(pool_, [this, hosted] { serve(hosted); });
}

// --- one study -------------------------------------------------------------------------------

/// Serves all that waits for a study, until nothing does.
void StudyHost::serve(const std::shared_ptr<Hosted>& hosted) {
  for (;;) {
    std::vector<Job> jobs;
    bool close = false;
    {
      const std::lock_guard lock(mutex_);
      jobs = std::exchange(hosted->jobs, {});
      close = jobs.empty() && hosted->close_when_idle;
      if (jobs.empty() && !close) {
        hosted->scheduled = false;
        if (!hosted->is_open) hosted_.erase(hosted->name);
        return;
      }
    }
    if (close) {
      try {
        if (hosted->session) hosted->session->close();
      } catch (const std::exception& error) {
        if (callbacks_.failed) callbacks_.failed(hosted->name + ": " + error.what());
      }
      hosted->session.reset();
      const std::lock_guard lock(mutex_);
      hosted->close_when_idle = false;
      hosted->is_open = false;
      continue;  // somebody may have come meanwhile
    }
    process(*hosted, jobs);
    deliver(jobs);
  }
}

void StudyHost::process(Hosted& hosted, std::vector<Job>& jobs) {
  try {
    for (Job& job : jobs) {
      if (job.alone) do_alone(hosted, job);
      if (job.specification) open_anew(hosted, job);
    }
    const bool all_done = std::all_of(jobs.begin(), jobs.end(),
                                      [](const Job& job) { return job.answer.has_value(); });
    if (!all_done) perform_all(hosted, jobs);
  } catch (const StudyError& error) {
    // Whoever only wants to look need not have it open.
    for (Job& job : jobs) {
      if (job.answer || !job.read) continue;
      try {
        job.answer = look(hosted.name, job.read);
      } catch (...) {
        job.answer = current_problem().answer(job.request.id);
      }
    }
    for (Job& job : jobs) {
      if (job.answer) continue;
      job.answer = elsewhere(error, hosted.name, job.request.target).answer(job.request.id);
    }
  } catch (...) {
    answer_all(jobs, current_problem());
  }
  if (hosted.session && !hosted.session->is_open()) hosted.session.reset();
  const std::lock_guard lock(mutex_);
  hosted.is_open = hosted.session != nullptr;
  if (!hosted.is_open) {
    hosted.state = {};
    hosted.has_leases = false;
  }
}

void StudyHost::perform_all(Hosted& hosted, std::vector<Job>& jobs) {
  if (!hosted.session) open(hosted);
  find_kept_answers(hosted, jobs);
  std::vector<Job*> together;
  for (Job& job : jobs) {
    if (job.answer) continue;
    if (job.all_or_nothing) {
      perform(hosted, std::exchange(together, {}));
      perform(hosted, {&job});
    } else {
      together.push_back(&job);
    }
  }
  perform(hosted, std::move(together));
}

void StudyHost::open(Hosted& hosted) {
  const StudyRecord record = record_of(*store_, hosted.name);
  const bool served_elsewhere =
      record.holder.starts_with("http") && record.holder != options_.address;
  if (served_elsewhere && store_->is_locked(record.id)) {
    throw StudyError(StudyError::Fault::open_elsewhere,
                     fmt::format("the study {} is open elsewhere: {}", record.name, record.holder));
  }
  const OpenOptions which{
      .name = hosted.name, .fork = {}, .holder = options_.address, .fold = tuner_fold};
  hosted.session = std::make_unique<StudySession>(
      store_, [&](Store& store) { return Study::reopen(store, which); });
  hosted.session->perform(take_commands);
}

/// The answer when a study cannot be opened: where it is, if another server has it.
Problem StudyHost::elsewhere(const StudyError& error, const std::string& study,
                             const std::string& target) {
  if (error.fault() != StudyError::Fault::open_elsewhere) return problem_of(error);
  std::string holder;
  try {
    if (const auto record = store_->find(study)) holder = record->holder;
  } catch (const StoreError& failure) {
    return problem_of(failure);
  }
  if (!holder.starts_with("http") || holder == options_.address) {
    return problem_of(error);
  }
  return Problem(307, "served_elsewhere", fmt::format("{} serves the study {}", holder, study))
      .at(holder + target);
}

/// Answers what was answered before.
void StudyHost::find_kept_answers(Hosted& hosted, std::vector<Job>& jobs) const {
  if (options_.answers == nullptr) return;
  std::vector<AnswerKey> keys;
  std::vector<Job*> owners;
  StudyId study = 0;
  for (Job& job : jobs) {
    if (job.answer || job.request.key.empty() || !job.write) continue;
    if (study == 0) {
      study = hosted.session->perform([](Study& open) { return open.record().id; });
    }
    keys.push_back({study, job.request.key});
    owners.push_back(&job);
  }
  const std::vector<std::optional<KeptAnswer>> kept = options_.answers->find_answers(keys);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    const bool same = kept[i]->request == owners[i]->request.fingerprint;
    owners[i]->answer =
        same ? answer_from(kept[i]->answer) : reused_key().answer(owners[i]->request.id);
  }
}

/// Does all of it with one commit. Nobody is answered before that.
void StudyHost::perform(Hosted& hosted, std::vector<Job*> jobs) {
  if (jobs.empty()) return;
  if (!hosted.session) open(hosted);  // it was lost meanwhile
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  try {
    hosted.session->perform([&](Study& study) {
      before = study.events();
      std::map<std::string, Job*> keys;  // a client may be so impatient that both are here
      for (Job* job : jobs) {
        Job*& first = keys[job->request.key];
        if (first != nullptr && !job->request.key.empty()) {
          const bool same = first->request.fingerprint == job->request.fingerprint;
          job->answer = same ? *first->answer : reused_key().answer(job->request.id);
          continue;
        }
        first = job;
        job->answer = execute(*job, study, hosted);
      }
      note_state(hosted, study);
      after = study.events();
    });
  } catch (...) {
    const Problem problem = current_problem();
    for (Job* job : jobs) job->answer = problem.answer(job->request.id);
    if (problem.code() == "taken_over" || problem.code() == "store_failure") hosted.session.reset();
    return;
  }
  if (after != before) {
    if (callbacks_.changed) callbacks_.changed(hosted.name);
  } else {
    doubt_refusals(hosted, jobs, after);
  }
}

/// A batch that wrote nothing was not fenced off: a server that slept while another took the study
/// over would refuse tickets that the other has given out. So it looks whether the journal went on.
void StudyHost::doubt_refusals(Hosted& hosted, const std::vector<Job*>& jobs,
                               std::uint64_t known_events) {
  const bool any_refused = std::any_of(jobs.begin(), jobs.end(), [](const Job* job) {
    return job->write && job->answer->status >= 400;
  });
  if (!any_refused) return;
  try {
    if (record_of(*store_, hosted.name).events == known_events) return;
    throw StoreError(StoreError::Fault::taken_over,
                     "another server has taken the study over meanwhile");
  } catch (...) {
    const Problem problem = current_problem();
    for (Job* job : jobs) {
      if (job->write) job->answer = problem.answer(job->request.id);
    }
    if (problem.code() == "taken_over") hosted.session.reset();
  }
}

Response StudyHost::execute(Job& job, Study& study, Hosted& hosted) const {
  const std::uint64_t before = study.events();
  try {
    if (job.read) {
      StudyView view{.record = study.record(),
                     .specification = study.specification(),
                     .optimizer = study,
                     .tuner = tuner_state_of(study),
                     .open_by = hosted.runner.is_alive() ? hosted.runner.holder : "",
                     .here = state_now(study, hosted.runner)};
      return job.read(view);
    }
    Response answer = job.write(study, hosted.runner);
    const Waiting& request = job.request;
    if (options_.answers != nullptr && !request.key.empty() && study.events() != before) {
      study.keep_answer({request.key, request.fingerprint, kept_text(answer), study.now()});
    }
    return answer;
  } catch (...) {
    const Problem problem = current_problem();
    if (job.all_or_nothing && study.events() != before) study.take_back();
    return problem.answer(job.request.id);
  }
}

void StudyHost::note_state(Hosted& hosted, const Study& study) {
  StudyState state = state_now(study, hosted.runner);
  const std::lock_guard lock(mutex_);
  hosted.has_leases = study.has_leases();
  hosted.state = std::move(state);
}

void StudyHost::do_alone(Hosted& hosted, Job& job) {
  try {
    refuse_beside(hosted.runner, job.tuner);
    if (hosted.session) hosted.session->close();
    hosted.session.reset();
    const StudyRecord record = record_of(*store_, hosted.name);
    const std::unique_ptr<StudyLock> lock = store_->try_lock(record.id, Store::kPatience);
    if (!lock) {
      throw StudyError(
          StudyError::Fault::open_elsewhere,
          fmt::format("the study {} is open elsewhere: {}", record.name, record.holder));
    }
    job.answer = job.alone(*store_);
  } catch (const StudyError& error) {
    job.answer = elsewhere(error, hosted.name, job.request.target).answer(job.request.id);
  } catch (...) {
    job.answer = current_problem().answer(job.request.id);
  }
}

void StudyHost::open_anew(Hosted& hosted, Job& job) {
  try {
    refuse_beside(hosted.runner, job.tuner);
  } catch (const Problem& problem) {
    job.answer = problem.answer(job.request.id);
    return;
  }
  if (hosted.session) hosted.session->close();
  hosted.session.reset();
  const OpenOptions which{
      .name = hosted.name, .fork = {}, .holder = options_.address, .fold = tuner_fold};
  hosted.session = std::make_unique<StudySession>(store_, [&](Store& store) {
    (void)record_of(store, hosted.name);  // it is there, or nothing is made
    return Study::open(store, *job.specification, which);
  });
  job.answer = Response{204, "", ""};
}

void StudyHost::answer_all(std::vector<Job>& jobs, const Problem& problem) {
  for (Job& job : jobs) {
    if (!job.answer) job.answer = problem.answer(job.request.id);
  }
}

void StudyHost::deliver(std::vector<Job>& jobs) const {
  std::vector<Finished> finished;
  finished.reserve(jobs.size());
  for (Job& job : jobs) {
    if (job.done) finished.push_back({std::move(job.done), std::move(*job.answer)});
  }
  if (!finished.empty()) callbacks_.deliver(std::move(finished));
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
  StudyView view{.record = record,
                 .specification = *looked->specification,
                 .optimizer = *looked->loaded.optimizer,
                 .tuner = tuner_state_of(looked->loaded),
                 .open_by = store_->is_locked(record.id) ? record.holder : "",
                 .warning = looked->loaded.warning};
  return work(view);
}

/// With the mutex.
void StudyHost::drop_unused_views() {
  const auto now = Runner::SteadyClock::now();
  std::erase_if(looked_, [&](const auto& each) { return now - each.second->used > kViewsAreKept; });
  while (looked_.size() > kMostViews) {
    looked_.erase(std::min_element(
        looked_.begin(), looked_.end(),
        [](const auto& a, const auto& b) { return a.second->used < b.second->used; }));
  }
}

// --- time passes -----------------------------------------------------------------------------

void StudyHost::tick() {
  histories_.drop_unused();
  const auto now = Runner::SteadyClock::now();
  const std::lock_guard lock(mutex_);
  drop_unused_views();
  if (closing_) return;
  for (const auto& each : hosted_) {
    const std::shared_ptr<Hosted>& hosted = each.second;
    if (!hosted->is_open || hosted->scheduled) continue;
    if (now - hosted->used > options_.idle && !hosted->has_leases && hosted->state.runner.empty()) {
      hosted->close_when_idle = true;
      schedule(hosted);
      continue;
    }
    push_tick(hosted);
  }
}

void StudyHost::tick_soon(const std::string& study) {
  const std::lock_guard lock(mutex_);
  const auto found = hosted_.find(study);
  if (found != hosted_.end()) push_tick(found->second);
}

/// With the mutex.
void StudyHost::push_tick(const std::shared_ptr<Hosted>& hosted) {
  hosted->jobs.push_back({.write = [](Study& study, Runner& runner) {
    (void)study.drop_expired();
    if (!runner.is_alive()) take_commands(study);
    return Response{};
  }});
  schedule(hosted);
}

void StudyHost::close() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closing_, true)) return;
    for (const auto& each : hosted_) {
      each.second->close_when_idle = true;
      schedule(each.second);
    }
  }
  pool_.join();
}

StudyHost::Counts StudyHost::counts() const {
  Counts counts;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, hosted] : hosted_) {
    if (!hosted->is_open) continue;
    ++counts.states[hosted->state.text];
    counts.in_flight += hosted->state.in_flight;
  }
  return counts;
}

std::optional<StudyState> StudyHost::state_of(const std::string& study) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosted_.find(study);
  if (found == hosted_.end() || !found->second->is_open) return std::nullopt;
  return found->second->state;
}

}  // namespace canopy::service
