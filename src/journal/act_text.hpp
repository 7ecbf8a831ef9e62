#pragma once

#include "canopy/event.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace canopy {

/// What somebody wants from whoever runs a study.
struct WantedAct {
  Act act = Act::pause;
  std::string by = "somebody";
  std::uint64_t pulls = 0;  ///< for a comparison; 0: as many as are usual

  friend bool operator==(const WantedAct&, const WantedAct&) = default;
};

/// The same as Store::post_act takes it: {"act":"confirm","by":"alice","pulls":40}.
[[nodiscard]] std::string act_text(const WantedAct& wanted);

/// Reads it back. Throws SpecificationError, which says what is wrong with it.
[[nodiscard]] WantedAct act_from(std::string_view text);

}  // namespace canopy
