#pragma once

#include "canopy/optimizer.hpp"

#include "core/enum_names.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace canopy {

/// What may happen in a study. The numbers are those of the store: never reorder, only add.
enum class EventKind {
  ask,        ///< ticket, count: the pulls asked for, 0 for as many as there are
  tell,       ///< ticket, value: one reward
  tell_list,  ///< ticket, count, text: the rewards, with a space between them
  tell_sums,  ///< ticket, count, value: their sum, squares: their sum of squares
  drop,       ///< ticket
  finish,     ///<
  // What follows is of no concern to the optimizer.
  start,     ///< value: the seconds that earlier runs of the tuner took
  stop,      ///< text: why
  apply,     ///< ticket (0: nobody asked for it), text: the setting that the system was given
  warm_up,   ///< ticket (0: the baseline), value: measured too soon after a change to be learnt
  hold,      ///< ticket, value: measured, and told when the arm may change again
  baseline,  ///< value: measured at the baseline
  failure,   ///< ticket (0: the baseline), text: what went wrong
};

template <>
struct EnumNames<EventKind> {
  static constexpr std::array<std::string_view, 13> names{
      "ask",  "tell",  "tell_list", "tell_sums", "drop",     "finish", "start",
      "stop", "apply", "warm_up",   "hold",      "baseline", "failure"};
};

/// One line of a study's journal.
struct Event {
  EventKind kind = EventKind::ask;
  Ticket ticket = 0;
  std::uint64_t count = 0;
  double value = 0.0;
  double squares = 0.0;
  std::string text = {};
  std::uint64_t number = 0;  ///< 1, 2, 3, ... in a study; given by the study
  double at = 0.0;           ///< seconds since 1970, never less than that of the event before
};

}  // namespace canopy
