#include "service/look_cache.hpp"

#include <functional>

namespace canopy::service {

bool LookCache::Kept::is_of(const StudyRecord& study) const {
  return created == study.created && updated == study.updated && events == study.events &&
         specification == std::hash<std::string>{}(study.specification);
}

/// Includes the overhead of the map and the list; keys are stored twice.
std::size_t LookCache::size_of(const Key& key, const Kept& kept) {
  constexpr std::size_t kNodes = 128;
  return sizeof(Kept) + 2 * (sizeof(Key) + key.second.capacity()) + kept.answer.capacity() + kNodes;
}

LookCache::Looks::iterator LookCache::drop(Looks::iterator look) {
  bytes_ -= size_of(look->first, look->second);
  uses_.erase(look->second.use);
  return looks_.erase(look);
}

std::optional<std::string> LookCache::find(const StudyRecord& study, const std::string& what) {
  const std::lock_guard lock(mutex_);
  const auto found = looks_.find({study.id, what});
  if (found == looks_.end()) return std::nullopt;
  if (!found->second.is_of(study)) {
    drop(found);
    return std::nullopt;
  }
  uses_.splice(uses_.end(), uses_, found->second.use);
  return found->second.answer;
}

void LookCache::keep(const StudyRecord& study, const std::string& what, const std::string& answer) {
  const Key key(study.id, what);
  Kept kept{study.created, study.updated, study.events,
            std::hash<std::string>{}(study.specification), answer};
  const std::size_t bytes = size_of(key, kept);
  const std::lock_guard lock(mutex_);
  if (const auto before = looks_.find(key); before != looks_.end()) drop(before);
  if (bytes > most_bytes_) return;
  while (bytes_ + bytes > most_bytes_) drop(looks_.find(uses_.front()));
  kept.use = uses_.insert(uses_.end(), key);
  const auto place = looks_.emplace(key, std::move(kept)).first;
  bytes_ += size_of(place->first, place->second);
}

void LookCache::forget(StudyId study) {
  const std::lock_guard lock(mutex_);
  auto look = looks_.lower_bound({study, ""});
  while (look != looks_.end() && look->first.first == study) look = drop(look);
}

std::size_t LookCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace canopy::service
