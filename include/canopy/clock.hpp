#pragma once

namespace canopy {

/// What time it is, and waiting: by the machine, or by a simulation.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Seconds since 1970, by the clock on the wall, which may jump.
  [[nodiscard]] virtual double wall_time() const = 0;

  /// Seconds since some moment; never jumps.
  [[nodiscard]] virtual double steady_time() const = 0;

  virtual void sleep(double seconds) = 0;
};

/// The clock of the machine. Thread-safe.
[[nodiscard]] Clock& machine_clock();

/// A clock whose time passes only while a caller sleeps.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(double seconds_since_1970 = 0.0) : now_(seconds_since_1970) {}

  [[nodiscard]] double wall_time() const override { return now_; }
  [[nodiscard]] double steady_time() const override { return now_; }
  void sleep(double seconds) override { now_ += seconds; }

 private:
  double now_;
};

}  // namespace canopy
