#include "terminal/progress.hpp"

#include "terminal/say.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace canopy::terminal {
namespace {

constexpr int kWidth = 30;
constexpr std::chrono::milliseconds kBetweenDrawings{100};

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

/// The signals that end a process by default. SIGUSR1 is missing because it pauses.
constexpr std::array kSignals{SIGINT,    SIGTERM, SIGHUP,  SIGQUIT, SIGALRM, SIGUSR2,
                              SIGVTALRM, SIGPROF, SIGXCPU, SIGIO,   SIGPWR,  SIGSTKFLT};
/// Signals of a failed write, which write() also reports.
constexpr std::array kSignalsOfWrites{SIGPIPE, SIGXFSZ};

void set_handlers(void (*handler)(int)) {
  for (const int number : kSignals) (void)std::signal(number, handler);
}

extern "C" void request_stop(int /*signal*/) {
  stop_requested.store(true, std::memory_order_relaxed);
  set_handlers(SIG_DFL);
}

std::atomic<bool> pause_requested{false};

extern "C" void change_pause(int /*signal*/) {
  pause_requested.store(!pause_requested.load(std::memory_order_relaxed),
                        std::memory_order_relaxed);
}

/// The width of the terminal in columns.
std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

constexpr std::chrono::seconds kBetweenLines{60};  // between lines, without a terminal

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 60.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

ProgressBar::ProgressBar(std::uint64_t total, std::string unit)
    : total_(total),
      unit_(std::move(unit)),
      shown_(isatty(STDERR_FILENO) != 0),
      started_(SteadyClock::now()),
      drawn_(started_) {}

ProgressBar::~ProgressBar() {
  if (shown_) say("\r\033[K");
}

void ProgressBar::add(std::uint64_t done) {
  const std::uint64_t all = done_.fetch_add(done, std::memory_order_relaxed) + done;
  if (!shown_) return;
  const std::unique_lock lock(drawing_, std::try_to_lock);
  const auto now = SteadyClock::now();
  if (!lock.owns_lock() || now - drawn_ < kBetweenDrawings) return;
  drawn_ = now;
  draw(all, now);
}

void ProgressBar::draw(std::uint64_t done, SteadyClock::time_point now) const {
  const double fraction = static_cast<double>(done) / static_cast<double>(total_);
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const int filled = static_cast<int>(fraction * kWidth);
  say("\r[{:=<{}}{: <{}}] {:3.0f} %  {:.3g} {}/s  {} left\033[K", "", filled, "", kWidth - filled,
      100.0 * fraction, static_cast<double>(done) / elapsed, unit_,
      duration_text(elapsed / fraction - elapsed));
  (void)std::fflush(stderr);
}

StatusLine::StatusLine() : on_terminal_(isatty(STDERR_FILENO) != 0), next_(SteadyClock::now()) {
  if (!on_terminal_) next_ += kBetweenLines;
}

StatusLine::~StatusLine() {
  clear();
}

void StatusLine::clear() const {
  if (on_terminal_) say("\r\033[K");
}

bool StatusLine::due() const {
  return SteadyClock::now() >= next_;
}

void StatusLine::show(const std::string& line) {
  if (on_terminal_) {
    say("\r{}\033[K", line.substr(0, terminal_width() - 1));
    next_ = SteadyClock::now() + kBetweenDrawings;
  } else {
    say("{}\n", line);
    next_ = SteadyClock::now() + kBetweenLines;
  }
  (void)std::fflush(stderr);
}

StopOnSignal::StopOnSignal() {
  stop_requested = false;
  set_handlers(request_stop);
  for (const int number : kSignalsOfWrites) (void)std::signal(number, SIG_IGN);
}

StopOnSignal::~StopOnSignal() {
  set_handlers(SIG_DFL);
  for (const int number : kSignalsOfWrites) (void)std::signal(number, SIG_DFL);
}

const std::atomic<bool>& StopOnSignal::flag() {
  return stop_requested;
}

PauseOnSignal::PauseOnSignal() {
  pause_requested = false;
  (void)std::signal(SIGUSR1, change_pause);
}

PauseOnSignal::~PauseOnSignal() {
  (void)std::signal(SIGUSR1, SIG_DFL);
}

const std::atomic<bool>& PauseOnSignal::flag() {
  return pause_requested;
}

}  // namespace canopy::terminal
