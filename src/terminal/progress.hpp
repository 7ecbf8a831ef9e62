#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace canopy::terminal {

/// A progress bar on standard error with the rate and the remaining time, shown only on a terminal.
/// `add` is thread-safe.
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

/// A status line on standard error. On a terminal it is updated in place; otherwise a new line is
/// printed from time to time.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether the line should be updated.
  [[nodiscard]] bool due() const;
  void show(const std::string& line);
  /// Clears the line, so that other output can be printed.
  void clear() const;

 private:
  using SteadyClock = std::chrono::steady_clock;

  bool on_terminal_;
  SteadyClock::time_point next_;
};

/// `12 s`, `3 min`, `1.5 h`.
[[nodiscard]] std::string duration_text(double seconds);

/// While an object of this class exists, Ctrl-C, SIGTERM, SIGHUP and other signals that would end
/// the process set a flag instead; a second one ends it. A closed pipe does not end it either.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  [[nodiscard]] static const std::atomic<bool>& flag();
};

/// While an object of this class exists, SIGUSR1 sets a flag, and the next SIGUSR1 clears it.
class PauseOnSignal {
 public:
  PauseOnSignal();
  ~PauseOnSignal();
  PauseOnSignal(const PauseOnSignal&) = delete;
  PauseOnSignal& operator=(const PauseOnSignal&) = delete;

  [[nodiscard]] static const std::atomic<bool>& flag();
};

}  // namespace canopy::terminal
