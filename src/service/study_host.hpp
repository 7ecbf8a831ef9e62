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

/// A tuner that runs a study from elsewhere: nobody else may, as long as it tells that it lives.
struct Runner {
  using SteadyClock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLease{10};

  std::string id = {};
  std::string holder = {};  ///< for people
  SteadyClock::time_point until = {};

  [[nodiscard]] bool is_alive() const { return !id.empty() && SteadyClock::now() < until; }
};

/// Throws Problem while a tuner runs the study, unless it is that one who asks.
void refuse_beside(const Runner& runner, const std::string& tuner = "");

/// The record of a study. Throws StudyError, which names no other: whoever asks may not be meant to
/// know of them.
[[nodiscard]] StudyRecord record_of(Store& store, const std::string& study);

/// What a study that is open here can be doing.
inline constexpr std::array<std::string_view, 6> kStudyStates{"running", "idle",        "paused",
                                                              "held",    "at_baseline", "ended"};

/// A study that is open here.
struct StudyState {
  std::string text = "idle";    ///< what it is doing
  std::string runner = {};      ///< the tuner that runs it, for people; empty: there is none
  std::uint64_t in_flight = 0;  ///< tickets
  bool tuner_began = false;     ///< and has not stopped, as far as the journal tells
  std::optional<RunnerCommand> order = {};  ///< that people gave and did not take back,
  std::string ordered_by = {};
};

/// A study to look at, wherever it is open.
struct StudyView {
  const StudyRecord& record;
  const StudySpecification& specification;
  Optimizer& optimizer;
  const TunerState& tuner;
  const TicketLeases& tickets;
  std::string open_by = {};             ///< the runner, if there is one
  std::optional<StudyState> here = {};  ///< if it is open here
  std::string warning = {};             ///< see LoadedOptimizer
};

/// The studies that are open in this server: opens them when somebody asks for them, and closes
/// what nobody has used for a while, so that others can open it. Thread-safe. What is called back
/// is called by a worker.
class StudyHost {
 public:
  struct Options {
    std::string address = {};  ///< where other servers send requests for the studies open here
    std::chrono::milliseconds idle{60'000};  ///< after which a study is closed
    std::size_t threads = 16;
    Committer* committer = nullptr;  ///< null: each study commits for itself
    /// Of the same store: where answers to requests with a key are kept; null: nowhere.
    KeptAnswers* answers = nullptr;
    std::function<void(const std::string& study)> changed = {};  ///< has new events
    std::function<void(const std::string& what)> failed = {};    ///< for the log
  };

  using Done = std::function<void(Response)>;
  using Read = std::function<Response(StudyView&)>;
  using Write = std::function<Response(Study&, Runner&)>;
  using Work = std::function<Response(Store&)>;

  StudyHost(std::shared_ptr<Store> store, Options options);
  ~StudyHost();
  StudyHost(const StudyHost&) = delete;
  StudyHost& operator=(const StudyHost&) = delete;

  /// Does something to a study, which is opened if need be. A request that comes with a key gets
  /// the answer that it got before, if it did.
  void write(const std::string& study, const Request& request, Write work, Done done);
  /// The same, and if it throws then nothing that it did stays.
  void write_all_or_nothing(const std::string& study, const Request& request, Write work,
                            Done done);
  /// Looks at a study as it is on the disk.
  void read(const std::string& study, const Request& request, Read work, Done done);
  /// Works on the store itself.
  void run(const Request& request, Work work, Done done);
  /// The same with a study that is closed here, and that nobody has open elsewhere, nor any tuner
  /// but the one that asks.
  void run_alone(const std::string& study, const Request& request, const std::string& tuner,
                 Work work, Done done);

  /// Opens a study anew with another specification, which must not change what was learnt. Only the
  /// tuner that runs it may, if there is one.
  void reopen(const std::string& study, const Request& request,
              const StudySpecification& specification, const std::string& tuner, Done done);

  /// Takes note of commands now, if the study is open here.
  void tick_soon(const std::string& study);

  /// To be called about once a second: drops tickets whose time is over, takes note of commands,
  /// closes what nobody uses.
  void tick();

  /// Answers all that has come, closes all studies. Nothing may be asked for any more.
  void close();

  /// Drops what was kept of a study that is deleted.
  void forget(StudyId study);

  /// Calls something on a worker's thread.
  void post(std::function<void()> work);

  /// How many are open, by what they are doing; and their tickets in flight.
  struct Counts {
    std::map<std::string, std::size_t> states = {};
    std::uint64_t in_flight = 0;
  };
  [[nodiscard]] Counts counts() const;

  /// None if it is not open here.
  [[nodiscard]] std::optional<StudyState> state_of(const std::string& study) const;

  /// Of studies that somebody looks at, wherever they are open.
  [[nodiscard]] Histories& histories() { return histories_; }

 private:
  struct Pending {
    StudySession::Task task = {};
    Read read = {};  // need not have the study open
  };

  /// Something to do while the study is closed here.
  struct Change {
    std::function<void()> work = {};
    std::function<void(std::exception_ptr)> failed = {};  // it cannot be closed
  };

  struct Hosted {
    std::string name;
    std::shared_ptr<StudySession> session = {};  // null: it is not open
    Runner runner = {};                          // of the session's tasks, or of a change
    int entering = 0;                            // requests that are about to come
    bool is_changing = false;                    // it is being opened or closed: what comes waits
    std::vector<Pending> waiting = {};
    std::deque<Change> changes = {};
    Runner::SteadyClock::time_point used = {};
    bool has_leases = false;
    StudyState state = {};
  };
  using HostedPointer = std::shared_ptr<Hosted>;

  /// A study that is open elsewhere or nowhere, as it was when somebody looked.
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

  mutable std::mutex mutex_;  // of all that is below, and of what is not the tasks' above
  std::condition_variable changed_;
  std::map<std::string, HostedPointer> hosted_;
  std::map<StudyId, std::shared_ptr<Looked>> looked_;
  bool closing_ = false;

  boost::asio::thread_pool pool_;
};

}  // namespace canopy::service
