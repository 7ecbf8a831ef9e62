#pragma once

#include "canopy/store.hpp"
#include "canopy/study.hpp"
#include "canopy/study_session.hpp"

#include "service/histories.hpp"
#include "service/message.hpp"
#include "service/problem.hpp"
#include "studies/committer.hpp"
#include "tuning/tuner_state.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/thread_pool.hpp>

namespace canopy::service {

/// A tuner in another process that runs a study. It holds the study exclusively while it sends
/// heartbeats.
struct Runner {
  using SteadyClock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLease{10};

  std::string id = {};
  std::string holder = {};  ///< a readable name
  SteadyClock::time_point until = {};

  [[nodiscard]] bool is_alive() const { return !id.empty() && SteadyClock::now() < until; }
};

/// Throws Problem if a tuner other than `tuner` runs the study.
void require_no_other_tuner(const Runner& runner, const std::string& tuner = "");

/// Returns the record of a study. Throws StudyError. Its message names no other study, because the
/// client may not be allowed to see others.
[[nodiscard]] StudyRecord record_of(Store& store, const std::string& study);

/// The states of a study that is open in this server.
inline constexpr std::array<std::string_view, 6> kStudyStates{"running", "idle",        "paused",
                                                              "held",    "at_baseline", "ended"};

/// The state of a study that is open in this server.
struct StudyState {
  std::string text = "idle";    ///< one of kStudyStates
  std::string runner = {};      ///< readable name of the tuner that runs it; empty: none
  std::uint64_t in_flight = 0;  ///< open tickets
  bool tuner_began = false;     ///< according to the journal, a tuner began and has not stopped
  std::optional<RunnerCommand> order = {};  ///< the last command that is still in force
  std::string ordered_by = {};
};

/// A study as read-only requests see it, wherever it is open.
struct StudyView {
  const StudyRecord& record;
  const StudySpecification& specification;
  Optimizer& optimizer;
  const TunerState& tuner;
  const TicketLeases& tickets;
  std::string open_by = {};  ///< readable name of the process that has it open; empty: none
  std::optional<StudyState> here = {};  ///< set if it is open in this server
  std::string warning = {};             ///< see LoadedOptimizer
};

/// The studies that are open in this server. A study is opened when a request needs it and closed
/// after it was idle for a while, so that another server can open it. Callbacks run on worker
/// threads. Thread-safe.
class StudyHost {
 public:
  struct Options {
    std::string address =
        {};  ///< URL to which other servers redirect requests for studies that are open here
    std::chrono::milliseconds idle{
        60'000};  ///< time without requests after which a study is closed
    std::size_t threads = 16;
    Committer* committer = nullptr;  ///< null: each study commits by itself
    /// Stores the answers to requests with a key, in the same store; null: they are not kept.
    KeptAnswers* answers = nullptr;
    std::function<void(const std::string& study)> changed =
        {};  ///< called when a study has new events
    std::function<void(const std::string& what)> failed = {};  ///< called with errors for the log
  };

  using Done = std::function<void(Response)>;
  using Read = std::function<Response(StudyView&)>;
  using Write = std::function<Response(Study&, Runner&)>;
  using Work = std::function<Response(Store&)>;

  StudyHost(std::shared_ptr<Store> store, Options options);
  ~StudyHost();
  StudyHost(const StudyHost&) = delete;
  StudyHost& operator=(const StudyHost&) = delete;

  /// Runs `work` on a study, which is opened if necessary. A request whose key was used before gets
  /// the stored answer instead.
  void write(const std::string& study, const Request& request, Write work, Done done);
  /// As `write`, but if `work` throws, all of its changes are discarded.
  void write_all_or_nothing(const std::string& study, const Request& request, Write work,
                            Done done);
  /// Runs `work` on the study as it is in the store.
  void read(const std::string& study, const Request& request, Read work, Done done);
  /// Runs `work` on the store itself.
  void run(const Request& request, Work work, Done done);
  /// Runs `work` on the store while the study is closed. Fails if another process has the study
  /// open, or if a tuner other than `tuner` runs it.
  void run_alone(const std::string& study, const Request& request, const std::string& tuner,
                 Work work, Done done);

  /// Opens a study again with a changed specification, which must not change what was learnt. Fails
  /// if a tuner other than `tuner` runs the study.
  void reopen(const std::string& study, const Request& request,
              const StudySpecification& specification, const std::string& tuner, Done done);

  /// Reads new commands of a study now, if it is open in this server.
  void tick_soon(const std::string& study);

  /// To be called about once a second: drops tickets whose leases have expired, reads new commands,
  /// and closes idle studies.
  void tick();

  /// Answers all requests that have arrived and closes all studies. No request may follow.
  void close();

  /// Drops everything that is cached of a deleted study.
  void forget(StudyId study);

  /// Runs a function on a worker thread.
  void post(std::function<void()> work);

  /// The number of open studies by state, and of their open tickets.
  struct Counts {
    std::map<std::string, std::size_t> states = {};
    std::uint64_t in_flight = 0;
  };
  [[nodiscard]] Counts counts() const;

  /// The state of a study, if it is open in this server.
  [[nodiscard]] std::optional<StudyState> state_of(const std::string& study) const;

  /// The reward histories of the studies that clients view.
  [[nodiscard]] Histories& histories() { return histories_; }

 private:
  struct Pending {
    StudySession::Task task = {};
    Read read = {};  // does not need an open study
  };

  /// Work that needs the study closed.
  struct Change {
    std::function<void()> work = {};
    std::function<void(std::exception_ptr)> failed = {};  // called if the study cannot be closed
  };

  struct Hosted {
    std::string name;
    std::shared_ptr<StudySession> session = {};  // null: not open
    Runner runner = {};                          // used by the session's tasks, or by a change
    int entering = 0;          // number of requests that are about to be submitted
    bool is_changing = false;  // being opened or closed; requests wait
    std::vector<Pending> waiting = {};
    std::deque<Change> changes = {};
    Runner::SteadyClock::time_point used = {};
    bool has_leases = false;
    StudyState state = {};
  };
  using HostedPointer = std::shared_ptr<Hosted>;

  /// A cached copy of a study that is not open in this server.
  struct Looked {
    std::mutex mutex = {};
    StudyRecord record = {};
    std::optional<StudySpecification> specification = {};
    LoadedOptimizer loaded = {};
    Runner::SteadyClock::time_point used = {};
  };

  [[nodiscard]] HostedPointer hosted(const std::string& study);
  [[nodiscard]] StudySession::Task task_of(const HostedPointer& hosted, const Request& request,
                                           Write work, Done done) const;
  [[nodiscard]] std::function<void(StudySession::Outcome)> answering(const std::string& study,
                                                                     const Request& request,
                                                                     Done done) const;
  [[nodiscard]] bool enter(Hosted& hosted);
  void submit(const HostedPointer& hosted, Pending pending);
  void change(const HostedPointer& hosted, Change change);
  void begin_change(const HostedPointer& hosted);
  void close_idle(const HostedPointer& hosted);
  void drop_if_unused(Hosted& hosted);
  void run_changes(const HostedPointer& hosted);
  void open(const HostedPointer& hosted);
  void open_with(const HostedPointer& hosted, const std::function<Study(Store&)>& open);
  void refuse_all(Hosted& hosted, const std::exception_ptr& error);
  void note_state(Hosted& hosted, const Study& study);
  void push_tick(Hosted& hosted) const;
  [[nodiscard]] OpenOptions opening(const std::string& study) const;
  [[nodiscard]] Response look(const std::string& study, const Read& work);
  void drop_unused_views();
  [[nodiscard]] Problem problem_with(const std::string& study, const std::string& target,
                                     const std::exception_ptr& error) const;

  std::shared_ptr<Store> store_;
  Options options_;
  Histories histories_;

  mutable std::mutex mutex_;  // guards everything below, and Hosted except what tasks use
  std::condition_variable changed_;
  std::map<std::string, HostedPointer> hosted_;
  std::map<StudyId, std::shared_ptr<Looked>> looked_;
  bool closing_ = false;

  boost::asio::thread_pool pool_;
};

}  // namespace canopy::service
