#pragma once

#include "canopy/options.hpp"

#include <string>
#include <string_view>

// run.sh copies what is in the namespace into canopy/event.hpp.
namespace canopy {

struct Remarked {
  static constexpr std::string_view kName = "remark";
  static constexpr std::string_view kLine = "A remark of a user about the study.";

  std::string text;

  friend bool operator==(const Remarked&, const Remarked&) = default;
};

template <class Visit>
void visit_fields(Remarked& event, Visit&& visit) {
  visit(Field{"text", "for people"}, event.text);
}

}  // namespace canopy
