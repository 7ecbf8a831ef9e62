#include "canopy/clock.hpp"

#include <chrono>
#include <thread>

namespace canopy {
namespace {

template <class Of>
double seconds_of() {
  return std::chrono::duration<double>(Of::now().time_since_epoch()).count();
}

class MachineClock final : public Clock {
 public:
  [[nodiscard]] double wall_time() const override {
    return seconds_of<std::chrono::system_clock>();
  }
  [[nodiscard]] double steady_time() const override {
    return seconds_of<std::chrono::steady_clock>();
  }
  void sleep(double seconds) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
};

}  // namespace

Clock& machine_clock() {
  static MachineClock clock;
  return clock;
}

}  // namespace canopy
