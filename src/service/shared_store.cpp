#include "service/shared_store.hpp"

#include <chrono>
#include <thread>
#include <type_traits>
#include <utility>

namespace canopy::service {

/// A lock that is released through the connection for writing.
class SharedStore::SharedLock final : public StudyLock {
 public:
  SharedLock(SharedStore& store, std::unique_ptr<StudyLock> lock)
      : store_(store), lock_(std::move(lock)) {}
  ~SharedLock() override {
    const std::lock_guard access(store_.writer_mutex_);
    lock_.reset();
  }
  [[nodiscard]] bool is_held() override { return lock_->is_held(); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  SharedStore& store_;
  std::unique_ptr<StudyLock> lock_;
};

SharedStore::SharedStore(Open open) : open_(std::move(open)), writer_(open_()) {
  name_ = writer_->name();
}

template <class Work>
auto SharedStore::reading(Work&& work) {
  std::unique_ptr<FullStore> reader;
  {
    const std::lock_guard access(readers_mutex_);
    if (!readers_.empty()) {
      reader = std::move(readers_.back());
      readers_.pop_back();
    }
  }
  if (!reader) reader = open_();
  // A connection that failed is closed.
  const auto give_back = [&] {
    const std::lock_guard access(readers_mutex_);
    readers_.push_back(std::move(reader));
  };
  if constexpr (std::is_void_v<decltype(work(*reader))>) {
    work(*reader);
    give_back();
  } else {
    auto result = work(*reader);
    give_back();
    return result;
  }
}

template <class Work>
auto SharedStore::writing(Work&& work) {
  const std::lock_guard access(writer_mutex_);
  return work(*writer_);
}

std::vector<StudyRecord> SharedStore::list(const StudyRange& range) {
  return reading([&](FullStore& store) { return store.list(range); });
}

std::optional<StudyRecord> SharedStore::find(const std::string& name) {
  return reading([&](FullStore& store) { return store.find(name); });
}

std::optional<StudyRecord> SharedStore::create(const NewStudy& study) {
  return writing([&](FullStore& store) { return store.create(study); });
}

void SharedStore::erase(StudyId study) {
  writing([&](FullStore& store) { store.erase(study); });
}

void SharedStore::set_specification(StudyId study, const std::string& specification) {
  writing([&](FullStore& store) { store.set_specification(study, specification); });
}

void SharedStore::set_holder(StudyId study, const std::string& holder) {
  writing([&](FullStore& store) { store.set_holder(study, holder); });
}

std::vector<std::optional<StoreError>> SharedStore::write(std::span<const StudyWrite> writes) {
  return writing([&](FullStore& store) { return store.write(writes); });
}

void SharedStore::read(StudyId study, const EntryRange& range,
                       const std::function<void(const JournalEntry&)>& visit) {
  reading([&](FullStore& store) { store.read(study, {range}, visit); });
}

std::vector<std::optional<KeptAnswer>> SharedStore::find_answers(std::span<const AnswerKey> keys) {
  return reading([&](FullStore& store) { return store.find_answers(keys); });
}

std::uint64_t SharedStore::forget_answers(double before) {
  return writing([&](FullStore& store) { return store.forget_answers(before); });
}

std::uint64_t SharedStore::post_command(StudyId study, double at, const std::string& text) {
  return writing([&](FullStore& store) { return store.post_command(study, at, text); });
}

std::vector<PostedCommand> SharedStore::commands(StudyId study, std::uint64_t after) {
  return reading([&](FullStore& store) { return store.commands(study, after); });
}

std::optional<Snapshot> SharedStore::snapshot(StudyId study) {
  return reading([&](FullStore& store) { return store.snapshot(study); });
}

void SharedStore::set_snapshot(StudyId study, const Snapshot& snapshot) {
  writing([&](FullStore& store) { store.set_snapshot(study, snapshot); });
}

/// Tries repeatedly instead of blocking the connection while it waits.
std::unique_ptr<StudyLock> SharedStore::try_lock(StudyId study,
                                                 std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kBetweenTries{50};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    auto lock = writing(
        [&](FullStore& store) { return store.try_lock(study, std::chrono::milliseconds(0)); });
    if (lock) return std::make_unique<SharedLock>(*this, std::move(lock));
    if (std::chrono::steady_clock::now() >= deadline) return nullptr;
    std::this_thread::sleep_for(kBetweenTries);
  }
}

bool SharedStore::is_locked(StudyId study) {
  return reading([&](FullStore& store) { return store.is_locked(study); });
}

}  // namespace canopy::service
