#pragma once

namespace canopy {

/// The current time, and sleeping: on the machine's clock or a simulated one.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Seconds since 1970 by the system clock, which may jump.
  [[nodiscard]] virtual double wall_time() const = 0;

  /// Seconds since an arbitrary moment; never jumps.
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
