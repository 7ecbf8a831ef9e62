#pragma once

#include "canopy/space.hpp"

#include "files/document.hpp"
#include "insight/reward_history.hpp"

namespace canopy {

/// A picture of a history in columns, one place for each part of it:
///
///   {"by":"pulls","extent":{"pulls":[0,9],"time":[1e9,1e9]},"range":[0,9],"raw":true,"number":[..],
///    "pull":[..],"at":[..],"count":[..],"mean":[..],...,"baseline":{..},"marks":[{..}]}
[[nodiscard]] Document history_document(const Space& space, const RewardHistory& history,
                                        const HistoryRange& range, const HistoryPicture& picture);

}  // namespace canopy
