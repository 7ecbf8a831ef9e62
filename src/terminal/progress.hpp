#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace canopy::terminal {

/// A progress bar on the standard error, with the rate and the time left. Shows nothing when that
/// is not a terminal. Progress may be reported from any thread.
class ProgressBar {
 public:
  ProgressBar(std::uint64_t total, std::string unit);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void add(std::uint64_t done);

 private:
  using SteadyClock = std::chrono::steady_clock;

  void draw(std::uint64_t done, SteadyClock::time_point now) const;

  std::uint64_t total_;
  std::string unit_;
  bool shown_;
  SteadyClock::time_point started_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex drawing_;
  SteadyClock::time_point drawn_;
};

/// One line on the standard error that tells where something is: always up to date on a terminal,
/// a new line now and then where there is none.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether it is time for another one.
  [[nodiscard]] bool due() const;
  void show(const std::string& line);
  /// Makes room for something else.
  void clear() const;

 private:
  using SteadyClock = std::chrono::steady_clock;

  bool on_terminal_;
  SteadyClock::time_point next_;
};

/// `12 s`, `3 min`, `1.5 h`.
[[nodiscard]] std::string duration_text(double seconds);

/// While one of these exists, Ctrl-C, SIGTERM, a lost terminal and every other signal that would
/// end the process raise a flag instead; a second one ends it. Output that nobody reads any more
/// does not end it either.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  [[nodiscard]] static const std::atomic<bool>& flag();
};

/// While it lives, SIGUSR1 raises a flag, and the next one lowers it again.
class PauseOnSignal {
 public:
  PauseOnSignal();
  ~PauseOnSignal();
  PauseOnSignal(const PauseOnSignal&) = delete;
  PauseOnSignal& operator=(const PauseOnSignal&) = delete;

  [[nodiscard]] static const std::atomic<bool>& flag();
};

}  // namespace canopy::terminal
