#include "python/player.hpp"

#include "files/arm_document.hpp"
#include "python/options.hpp"
#include "python/pull.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace canopy::python {

PythonPlayer::PythonPlayer(const nb::object& algorithm, const PythonSpace& space)
    : space_(space),
      ask_(algorithm.attr("ask")),
      tell_(algorithm.attr("tell")),
      best_(algorithm.attr("best")) {}

std::vector<double> PythonPlayer::arm_from(const char* method, nb::handle answer) const {
  const nb::object arm =
      PyDict_Check(answer.ptr()) ? nb::borrow(answer) : nb::getattr(answer, "arm", nb::none());
  if (!PyDict_Check(arm.ptr())) {
    throw std::invalid_argument(std::string(method) + "() returned " + shown(answer) +
                                ": must be an arm, a dictionary of parameters");
  }
  return space_.coordinates(nb::borrow<nb::dict>(arm));
}

Pull PythonPlayer::ask(std::uint64_t pulls) {
  if (left_ == 0) {
    asked_ = ask_();
    std::vector<double> arm = arm_from("ask", asked_);
    if (arm != arm_) ++switches_;
    arm_ = std::move(arm);
    left_ = pulls_from(nb::getattr(asked_, "length", nb::int_(1)));
    ++asks_;
  }
  return {asks_, arm_, std::min(left_, pulls)};
}

Status PythonPlayer::tell(Ticket /*ticket*/, double reward) {
  tell_(asked_, reward);
  --left_;
  ++pulls_;
  return Status::ok;
}

std::optional<Best> PythonPlayer::best() const {
  const nb::object answer = best_();
  return Best{.arm = arm_from("best", answer)};
}

Summary PythonPlayer::summary() const {
  Summary summary;
  summary.t = pulls_ + 1;
  summary.switches = switches_;
  return summary;
}

}  // namespace canopy::python
