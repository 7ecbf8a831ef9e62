#pragma once

#include "canopy/store.hpp"

#include "service/message.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace canopy::service {

/// Answers that follow from the journal and the specification of a study alone: whoever looks
/// again, or after somebody else, gets the same one until something happens. Thread-safe.
class KeptLooks {
 public:
  /// The answer to `target`, made if there is none for the study as it is.
  [[nodiscard]] Response get(const StudyRecord& study, const std::string& target,
                             const std::function<Response()>& make);

 private:
  struct Kept {
    double created = 0.0;
    double updated = 0.0;
    std::uint64_t events = 0;
    std::string specification = {};
    Response answer = {};
  };

  std::mutex mutex_;
  std::map<std::pair<StudyId, std::string>, Kept> kept_;
  std::size_t bytes_ = 0;
};

}  // namespace canopy::service
