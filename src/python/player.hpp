#pragma once

#include "canopy/simulation.hpp"

#include "files/arm_document.hpp"
#include "python/space.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// An algorithm written in Python: an object with `ask`, `tell` and `best`. `ask` returns an arm,
/// or an object with an arm and optionally a length, such as the pull of another optimizer. Needs
/// the interpreter's lock.
class PythonPlayer final : public Player {
 public:
  PythonPlayer(const nb::object& algorithm, const PythonSpace& space);

  [[nodiscard]] Pull ask(std::uint64_t pulls) override;
  [[nodiscard]] Status tell(Ticket ticket, double reward) override;
  [[nodiscard]] std::optional<Best> best() const override;
  [[nodiscard]] Summary summary() const override;

 private:
  [[nodiscard]] std::vector<double> arm_from(const char* method, nb::handle answer) const;

  const PythonSpace& space_;
  nb::object ask_;
  nb::object tell_;
  nb::object best_;
  nb::object asked_;  // the last result of `ask`
  std::vector<double> arm_;
  std::uint64_t left_ = 0;  // its remaining pulls
  std::uint64_t asks_ = 0;
  std::uint64_t pulls_ = 0;
  std::uint64_t switches_ = 0;
};

}  // namespace canopy::python
