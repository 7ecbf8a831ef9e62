#include "stores/remote_store.hpp"

#include "canopy/study.hpp"

#include "files/document_reader.hpp"
#include "files/json.hpp"
#include "files/percent_encoding.hpp"
#include "journal/command_text.hpp"
#include "journal/event_document.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kStudiesAPage = 1000;
constexpr std::uint64_t kEventsAPage = 5000;
constexpr milliseconds kBetweenTries{100};    // between attempts to acquire a study
constexpr milliseconds kOpenStateAge{1'000};  // how long the cached open state of a study is used
constexpr milliseconds kLeaseTimeout{3'000};
constexpr milliseconds kLongWork{
    600'000};  // for requests that may read a long journal on the server
constexpr unsigned kNotFound = 404;

std::string random_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  return id;
}

/// Converts an error of the server to a StudyError or StoreError.
[[noreturn]] void throw_as_store(const ServerProblem& problem, const std::string& store) {
  const std::string& code = problem.code();
  const std::string what = store + ": " + problem.what();
  using Study = StudyError::Fault;
  if (code == "bad_name") throw StudyError(Study::bad_name, problem.what());
  if (code == "other_revision") throw StudyError(Study::other_revision, problem.what());
  if (code == "differs") throw StudyError(Study::differs, problem.what());
  if (code == "damaged_study") throw StudyError(Study::damaged, problem.what());
  using Fault = StoreError::Fault;
  if (code == "moved_on" || code == "open_elsewhere") throw StoreError(Fault::taken_over, what);
  if (problem.status() == 503 || problem.status() == 429) {
    throw StoreError(Fault::unreachable, what);
  }
  throw StoreError(Fault::other, what);
}

std::uint64_t number_in(const Document& document, std::string_view key, const std::string& source) {
  std::uint64_t number = 0;
  DocumentReader reader(source);
  if (reader.require(document, "", key)) reader.read(document, "", key, number);
  reader.throw_if_any();
  return number;
}

const Document::List& list_in(const Document& document, std::string_view key,
                              const std::string& source) {
  const Document* list = document.find(key);
  if (list == nullptr || list->as_list() == nullptr) {
    throw SpecificationError(fmt::format("{}: {}: is missing", source, key));
  }
  return *list->as_list();
}

}  // namespace

/// The lease on a study: a thread sends heartbeats to the server.
class RemoteStore::Lease {
 public:
  Lease(HttpClient::Options options, std::string path, std::string id)
      : path_(std::move(path)), id_(std::move(id)), http_(without_retries(std::move(options))) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  ~Lease() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
    try {
      if (is_held_) http_.send({.method = "DELETE", .target = path_ + "?tuner=" + id_});
    } catch (const std::exception&) {
      return;  // the lease expires by itself
    }
  }

  [[nodiscard]] const std::string& id() const { return id_; }

  /// Acquires the lease. Uses a client with the normal timeout, because the server may have to read
  /// the whole journal. Throws the errors of the client.
  void acquire(HttpClient& http) {
    const Document answer = send_heartbeat(http);
    is_held_ = true;
    const double seconds =
        answer.find("seconds") != nullptr ? answer.find("seconds")->as_number().value_or(0.0) : 0.0;
    const std::chrono::duration<double> third(std::clamp(seconds / 3.0, 0.05, 60.0));
    thread_ = std::thread([this, third] { send_heartbeats(third); });
  }

  void renew(HttpClient& http) { (void)send_heartbeat(http); }

  void set_holder(const std::string& holder, HttpClient& http) {
    {
      const std::lock_guard lock(mutex_);
      holder_ = holder;
    }
    (void)send_heartbeat(http);
  }

 private:
  static HttpClient::Options without_retries(HttpClient::Options options) {
    options.timeout = std::min(options.timeout, kLeaseTimeout);
    options.patience = milliseconds(0);
    options.on_trouble = {};
    options.on_recovery = {};
    return options;
  }

  Document send_heartbeat(HttpClient& http) {
    Document body = Document::Table{{"tuner", id_}};
    {
      const std::lock_guard lock(mutex_);
      if (!holder_.empty()) body.set("holder", holder_);
    }
    return http.send({.method = "PUT", .target = path_, .body = std::move(body)});
  }

  void send_heartbeats(std::chrono::duration<double> third) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, third, [this] { return ended_; })) {
      lock.unlock();
      try {
        (void)send_heartbeat(http_);
      } catch (const ServerProblem& problem) {
        if (problem.status() == 409)
          return;  // another tuner has the study; writes will report that
      } catch (const ServerUnreachable&) {
        // Retried with the next heartbeat.
      }
      lock.lock();
    }
  }

  std::string path_;
  std::string id_;
  HttpClient http_;  // used by the thread while it runs
  bool is_held_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::string holder_;
  std::thread thread_;
};

namespace {

/// Creates a client; a failure becomes a StoreError.
std::unique_ptr<HttpClient> client_for(const HttpClient::Options& options) {
  try {
    return std::make_unique<HttpClient>(options);
  } catch (const ServerUnreachable& error) {
    throw StoreError(StoreError::Fault::unreachable, error.what());
  }
}

}  // namespace

RemoteStore::RemoteStore(Options options)
    : options_(std::move(options)),
      name_(options_.http.server.text()),
      client_(client_for(options_.http)),
      http_(*client_) {}

/// Calls a function that sends requests; its errors become errors of stores.
template <class Ask>
auto RemoteStore::call(Ask&& ask) {
  try {
    return ask();
  } catch (const ServerProblem& problem) {
    throw_as_store(problem, name_);
  } catch (const ServerUnreachable& error) {
    throw StoreError(StoreError::Fault::unreachable, error.what());
  } catch (const SpecificationError& error) {
    throw StoreError(StoreError::Fault::damaged, error.what());
  }
}

// --- studies ---------------------------------------------------------------------------------

StudyRecord RemoteStore::record_of(const Document& document) {
  StudyRecord record;
  DocumentReader reader(name_);
  for (const auto& key : {"name", "events", "pulls"}) (void)reader.require(document, "", key);
  reader.read(document, "", "name", record.name);
  reader.read(document, "", "forked_from", record.forked_from);
  reader.read(document, "", "created", record.created);
  reader.read(document, "", "updated", record.updated);
  reader.read(document, "", "events", record.events);
  reader.read(document, "", "pulls", record.pulls);
  reader.read(document, "", document.contains("open_by") ? "open_by" : "holder", record.holder);
  reader.throw_if_any();
  const auto id = ids_.emplace(record.name, static_cast<StudyId>(ids_.size() + 1)).first;
  record.id = id->second;
  CachedStudy& study = cached_[record.id];
  study.name = record.name;
  study.is_open = document.contains("open_by");
  study.asked = SteadyClock::now();
  if (const Document* specification = document.find("specification")) {
    record.specification = json_text(*specification);
  }
  return record;
}

RemoteStore::CachedStudy& RemoteStore::cached(StudyId study) {
  const auto found = cached_.find(study);
  if (found != cached_.end()) return found->second;
  throw gone();
}

StoreError RemoteStore::gone() const {
  return {StoreError::Fault::other, name_ + ": the study has been deleted"};
}

std::string RemoteStore::path_of(StudyId study, const std::string& more) {
  return "/v1/studies/" + percent_encoded(cached(study).name) + more;
}

/// The space and the contexts of a study, which never change. None if the study was deleted.
std::optional<Names> RemoteStore::names_of(StudyId study) {
  CachedStudy& cached_study = cached(study);
  if (!cached_study.space) {
    const auto record = find(cached_study.name);
    if (!record) return std::nullopt;
    StudySpecification specification = specification_of(*record);
    cached_study.space = std::move(specification.space);
    cached_study.contexts = std::move(specification.contexts);
  }
  return Names(*cached_study.space, cached_study.contexts);
}

std::vector<StudyRecord> RemoteStore::list(const StudyRange& range) {
  return call([&] {
    std::vector<StudyRecord> records;
    std::string last = range.after;
    while (records.size() < range.limit) {
      const std::size_t page = std::min(kStudiesAPage, range.limit - records.size());
      const Document answer =
          http_.get(fmt::format("/v1/studies?limit={}&after={}", page, percent_encoded(last)));
      for (const Document& each : list_in(answer, "studies", name_)) {
        records.push_back(record_of(each));
      }
      const Document* next = answer.find("next");
      if (next == nullptr || next->as_text() == nullptr) break;
      last = *next->as_text();
    }
    return records;
  });
}

std::optional<StudyRecord> RemoteStore::find(const std::string& name) {
  return call([&]() -> std::optional<StudyRecord> {
    try {
      return record_of(http_.get("/v1/studies/" + percent_encoded(name)));
    } catch (const ServerProblem& problem) {
      if (problem.status() == kNotFound) return std::nullopt;
      throw;
    }
  });
}

std::optional<StudyRecord> RemoteStore::create(const NewStudy& study) {
  check_study_name(study.name);
  return call([&]() -> std::optional<StudyRecord> {
    const Document specification = parse_json(study.specification, study.name);
    Document body = Document::Table{{"name", study.name},
                                    {"specification", specification},
                                    {"created", study.created},
                                    {"whole", true}};
    if (!study.forked_from.empty()) body.set("forked_from", study.forked_from);
    if (study.copied) body.set("copied_from", cached(*study.copied).name);
    if (!study.journal.empty()) {
      StudyRecord wanted;
      wanted.name = study.name;
      wanted.specification = study.specification;
      const StudySpecification begun = specification_of(wanted);
      const Names names(begun.space, begun.contexts);
      Document::List journal;
      for (const JournalEntry& entry : study.journal) {
        journal.push_back(entry_document(names, entry));
      }
      body.set("journal", std::move(journal));
      body.set("pulls", study.pulls);
    }
    try {
      return record_of(
          http_.send({.method = "POST", .target = "/v1/studies", .body = std::move(body)}));
    } catch (const ServerProblem& problem) {
      if (problem.code() == "taken") return std::nullopt;
      throw;
    }
  });
}

std::optional<StudyRecord> RemoteStore::fork(const StudyRecord& original, const NewStudy& fork) {
  return call([&] {
    Document body = Document::Table{{"name", fork.name},
                                    {"specification", parse_json(fork.specification, fork.name)},
                                    {"fork_of", original.name}};
    return record_of(http_.send({.method = "POST",
                                 .target = "/v1/studies",
                                 .body = std::move(body),
                                 .timeout = kLongWork}));
  });
}

void RemoteStore::erase(StudyId study) {
  call([&] {
    try {
      http_.send({.method = "DELETE", .target = path_of(study, "?tuner=" + tuner_of(study))});
    } catch (const ServerProblem& problem) {
      if (problem.status() != kNotFound) throw;
    }
  });
}

void RemoteStore::set_specification(StudyId study, const std::string& specification) {
  call([&] {
    http_.send({.method = "PUT",
                .target = path_of(study, "/specification"),
                .body = Document::Table{{"specification", parse_json(specification, name_)},
                                        {"tuner", tuner_of(study)}}});
  });
}

// --- the journal -----------------------------------------------------------------------------

std::vector<std::optional<StoreError>> RemoteStore::write(std::span<const StudyWrite> writes) {
  std::vector<std::optional<StoreError>> errors(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    try {
      append_events(writes[i]);
    } catch (const StoreError& error) {
      const bool concerns_all = error.fault() == StoreError::Fault::unreachable;
      if (concerns_all && i == 0) throw;
      errors[i] = error;
    }
  }
  return errors;
}

void RemoteStore::append_events(const StudyWrite& write) {
  if (write.entries.empty()) return;
  call([&] {
    const std::optional<Names> names = names_of(write.study);
    if (!names) throw gone();
    Document::List events;
    for (const JournalEntry& entry : write.entries) {
      events.push_back(event_document(*names, entry.event));
    }
    const HttpClient::Request request{
        .method = "POST",
        .target = path_of(write.study, "/tuner-events"),
        .body = Document::Table{{"tuner", tuner_of(write.study)},
                                {"after", write.entries.front().number - 1},
                                {"events", std::move(events)}}};
    try {
      http_.send(request);
    } catch (const ServerProblem& problem) {
      const auto lease = cached(write.study).lease.lock();
      if (problem.code() != "moved_on" || !lease) throw;
      lease->renew(http_);  // throws if another tuner has the study
      throw StoreError(StoreError::Fault::moved_on, name_ + ": " + problem.what());
    }
  });
}

void RemoteStore::read(StudyId study, const EntryRange& range,
                       const std::function<void(const JournalEntry&)>& visit) {
  std::uint64_t after = range.after;
  for (std::uint64_t left = range.limit; left > 0;) {
    const std::uint64_t page = std::min(kEventsAPage, left);
    const std::vector<JournalEntry> entries = call([&] {
      std::vector<JournalEntry> read;
      try {
        const std::optional<Names> names = names_of(study);
        if (!names) return read;
        const Document answer =
            http_.get(path_of(study, fmt::format("/events?after={}&limit={}", after, page)));
        for (const Document& each : list_in(answer, "events", name_)) {
          read.push_back(entry_from(each, *names, name_));
        }
      } catch (const ServerProblem& problem) {
        if (problem.status() != kNotFound) throw;
      }
      return read;
    });
    for (const JournalEntry& entry : entries) visit(entry);
    if (entries.size() < page) return;
    after = entries.back().number;
    left -= entries.size();
  }
}

std::optional<Snapshot> RemoteStore::snapshot(StudyId study) {
  return call([&]() -> std::optional<Snapshot> {
    try {
      const Document answer = http_.get(path_of(study, "/snapshot"));
      Snapshot snapshot;
      DocumentReader reader(name_);
      for (const auto& key : {"events", "optimizer", "tuner"}) {
        (void)reader.require(answer, "", key);
      }
      reader.read(answer, "", "events", snapshot.events);
      reader.read(answer, "", "optimizer", snapshot.optimizer);
      reader.read(answer, "", "tuner", snapshot.tuner);
      reader.throw_if_any();
      return snapshot;
    } catch (const ServerProblem& problem) {
      if (problem.status() == kNotFound) return std::nullopt;
      throw;
    }
  });
}

/// The server has the same state; this asks it to save its own snapshot.
void RemoteStore::set_snapshot(StudyId study, const Snapshot& snapshot) {
  call([&] {
    http_.send({.method = "PUT",
                .target = path_of(study, "/snapshot"),
                .body = Document::Table{{"events", snapshot.events}, {"tuner_id", tuner_of(study)}},
                .patience = milliseconds(0)});
  });
}

// --- commands --------------------------------------------------------------------------------

std::uint64_t RemoteStore::post_command(StudyId study, double /*at*/, const std::string& text) {
  return call([&] {
    const WantedCommand wanted = command_from(text);
    Document body = Document::Table{{"command", name_of(wanted.command)}};
    if (wanted.pulls != 0) body.set("pulls", wanted.pulls);
    const Document answer = http_.send({.method = "POST",
                                        .target = path_of(study, "/commands"),
                                        .body = std::move(body),
                                        .key = wanted.key.empty() ? random_id() : wanted.key});
    return number_in(answer, "number", name_);
  });
}

std::vector<PostedCommand> RemoteStore::commands(StudyId study, std::uint64_t after) {
  return call([&] {
    std::vector<PostedCommand> commands;
    const Document answer =
        http_.send({.target = path_of(study, fmt::format("/commands?after={}", after)),
                    .patience = milliseconds(0)});
    for (const Document& each : list_in(answer, "commands", name_)) {
      PostedCommand posted;
      DocumentReader reader(name_);
      if (reader.require(each, "", "number")) reader.read(each, "", "number", posted.number);
      reader.read(each, "", "at", posted.at);
      reader.throw_if_any();
      Document text = each;
      for (const auto& key : {"number", "at"}) text.erase(key);
      posted.text = json_text(text);
      commands.push_back(std::move(posted));
    }
    return commands;
  });
}

// --- ownership -------------------------------------------------------------------------------

std::string RemoteStore::tuner_of(StudyId study) {
  const auto lease = cached(study).lease.lock();
  return lease ? lease->id() : "none";
}

void RemoteStore::set_holder(StudyId study, const std::string& holder) {
  const auto lease = cached(study).lease.lock();
  if (lease) call([&] { lease->set_holder(holder, http_); });
}

std::unique_ptr<StudyLock> RemoteStore::try_lock(StudyId study, milliseconds patience) {
  class Lock final : public StudyLock {
   public:
    explicit Lock(std::shared_ptr<Lease> lease) : lease_(std::move(lease)) {}

   private:
    std::shared_ptr<Lease> lease_;
  };
  const auto end = SteadyClock::now() + patience + options_.lease;
  auto lease = std::make_shared<Lease>(options_.http, path_of(study, "/tuner"), random_id());
  for (bool waits = false;; waits = true) {
    const bool is_held = call([&] {
      try {
        lease->acquire(http_);
        return true;
      } catch (const ServerProblem& problem) {
        if (problem.code() != "open_elsewhere") throw;
        if (!waits && options_.http.on_trouble) options_.http.on_trouble(problem.what());
        return false;
      }
    });
    if (is_held) break;
    const bool is_stopped = options_.http.stop != nullptr && *options_.http.stop;
    if (is_stopped || SteadyClock::now() >= end) return nullptr;
    std::this_thread::sleep_for(kBetweenTries);
  }
  cached(study).lease = lease;
  return std::make_unique<Lock>(std::move(lease));
}

bool RemoteStore::is_locked(StudyId study) {
  CachedStudy& cached_study = cached(study);
  if (SteadyClock::now() - cached_study.asked > kOpenStateAge) (void)find(cached_study.name);
  return cached_study.is_open;
}

}  // namespace canopy
