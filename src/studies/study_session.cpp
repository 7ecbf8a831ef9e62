#include "canopy/study_session.hpp"

#include <exception>

namespace canopy {

StudySession::StudySession(std::shared_ptr<Store> store, const std::function<Study(Store&)>& open)
    : store_(std::move(store)),
      study_(open(*store_)),
      name_(study_->record().name),
      kept_(study_->record().events) {}

StudySession::~StudySession() = default;

void StudySession::begin() {
  if (!study_ || closing_) {
    throw StudyError(StudyError::Fault::closed, "the study " + name_ + " is closed");
  }
  if (!committing_) study_->recover();
}

/// Everything that the caller did or saw is on the disk when this returns.
void StudySession::wait_until_kept(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t events = study_->events();
  const auto batch = batches_.find(std::this_thread::get_id());
  if (batch != batches_.end()) {
    batch->second.claim.events = events;
  } else {
    wait_for(lock, events);
  }
}

void StudySession::wait_for(std::unique_lock<std::mutex>& lock, std::uint64_t events) {
  Claim claim{events};
  waiting_.insert(&claim);
  while (kept_ < events && !claim.lost) {
    if (committing_) {
      changed_.wait(lock);
    } else {
      commit(lock);
    }
  }
  waiting_.erase(&claim);
  if (closing_) changed_.notify_all();
  if (claim.lost) throw StoreError(claim.lost->fault, claim.lost->why);
}

/// Writes all that has happened so far. The mutex is free meanwhile: others go on, and wait for the
/// next commit.
void StudySession::commit(std::unique_lock<std::mutex>& lock) {
  const Study::Batch batch = study_->take_batch();
  committing_ = true;
  std::optional<Loss> failure;
  lock.unlock();
  try {
    study_->write(batch);
  } catch (const StoreError& error) {
    failure = {error.fault(), error.what()};
  } catch (const std::exception& error) {
    failure = {StoreError::Fault::other, error.what()};
  }
  lock.lock();
  if (!failure) {
    study_->keep(batch);
    kept_ = study_->record().events;
  } else {
    tell_of_loss(*failure);
    try {
      study_->take_back();
    } catch (const std::exception&) {
      // The next one to come tries again.
    }
  }
  committing_ = false;
  changed_.notify_all();
}

/// Nothing is left of what is not on the disk. Whoever has only to do with what was written before
/// is not concerned, although he may not have woken up since.
void StudySession::tell_of_loss(const Loss& loss) {
  const auto tell = [&](Claim& claim) {
    if (claim.events > kept_) claim.lost = loss;
  };
  for (Claim* claim : waiting_) tell(*claim);
  for (auto& [thread, batch] : batches_) tell(batch.claim);
}

void StudySession::begin_batch() {
  std::unique_lock lock(mutex_);
  begin();
  ++batches_[std::this_thread::get_id()].depth;
}

void StudySession::end_batch() {
  std::unique_lock lock(mutex_);
  const auto batch = batches_.find(std::this_thread::get_id());
  if (batch == batches_.end() || --batch->second.depth > 0) return;
  const Claim claim = batch->second.claim;
  batches_.erase(batch);
  if (claim.lost) throw StoreError(claim.lost->fault, claim.lost->why);
  if (study_) wait_for(lock, claim.events);
}

void StudySession::close() {
  std::unique_lock lock(mutex_);
  if (!study_ || closing_) return;
  closing_ = true;  // nobody new is let in
  batches_.erase(std::this_thread::get_id());
  try {
    if (!committing_) study_->recover();  // or it would wait for events that are lost
    wait_for(lock, study_->events());
  } catch (...) {
    closing_ = false;
    throw;
  }
  changed_.wait(lock, [this] { return !committing_ && waiting_.empty(); });
  study_->snapshot();
  study_.reset();
  store_.reset();
}

bool StudySession::is_open() const {
  const std::lock_guard lock(mutex_);
  return study_.has_value() && !closing_;
}

}  // namespace canopy
