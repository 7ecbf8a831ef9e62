#pragma once

#include "canopy/store.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy::testing {

/// A store that calls a hook before every operation. If the hook throws, nothing is done. An
/// exception of `after_append` is thrown after the events were written.
class FaultyStore final : public FullStore {
 public:
  using Before = std::function<void(std::string_view operation)>;

  FaultyStore(
      std::unique_ptr<FullStore> store, Before before, std::function<void()> after_append = [] {})
      : store_(std::move(store)),
        before_(std::move(before)),
        after_append_(std::move(after_append)) {}

  [[nodiscard]] const std::string& name() const override { return store_->name(); }
  [[nodiscard]] std::vector<StudyRecord> list(const StudyRange& range) override {
    before_("list");
    return store_->list(range);
  }
  [[nodiscard]] std::optional<StudyRecord> find(const std::string& name) override {
    before_("find");
    return store_->find(name);
  }
  [[nodiscard]] std::optional<StudyRecord> create(const NewStudy& study) override {
    before_("create");
    return store_->create(study);
  }
  void erase(StudyId study) override {
    before_("erase");
    store_->erase(study);
  }
  void set_specification(StudyId study, const std::string& specification) override {
    before_("set_specification");
    store_->set_specification(study, specification);
  }
  void set_holder(StudyId study, const std::string& holder) override {
    before_("set_holder");
    store_->set_holder(study, holder);
  }
  [[nodiscard]] std::vector<std::optional<StoreError>> write(
      std::span<const StudyWrite> writes) override {
    before_("append");
    auto errors = store_->write(writes);
    after_append_();
    return errors;
  }
  /// Calls the hook within the operation, too.
  void read(StudyId study, const EntryRange& range,
            const std::function<void(const JournalEntry&)>& visit) override {
    before_("read");
    store_->read(study, {range}, visit);
    before_("read to the end");
  }
  [[nodiscard]] std::vector<std::optional<KeptAnswer>> find_answers(
      std::span<const AnswerKey> keys) override {
    before_("find_answers");
    return store_->find_answers(keys);
  }
  std::uint64_t forget_answers(double before) override {
    before_("forget_answers");
    return store_->forget_answers(before);
  }
  std::uint64_t post_command(StudyId study, double at, const std::string& text) override {
    before_("post_command");
    return store_->post_command(study, at, text);
  }
  [[nodiscard]] std::vector<PostedCommand> commands(StudyId study, std::uint64_t after) override {
    before_("commands");
    return store_->commands(study, after);
  }
  [[nodiscard]] std::optional<Snapshot> snapshot(StudyId study) override {
    before_("snapshot");
    return store_->snapshot(study);
  }
  void set_snapshot(StudyId study, const Snapshot& snapshot) override {
    before_("set_snapshot");
    store_->set_snapshot(study, snapshot);
  }
  [[nodiscard]] std::unique_ptr<StudyLock> try_lock(StudyId study,
                                                    std::chrono::milliseconds patience) override {
    before_("try_lock");
    return store_->try_lock(study, patience);
  }
  [[nodiscard]] bool is_locked(StudyId study) override {
    before_("is_locked");
    return store_->is_locked(study);
  }

 private:
  std::unique_ptr<FullStore> store_;
  Before before_;
  std::function<void()> after_append_;
};

[[noreturn]] inline void fail_as_if_full() {
  throw StoreError(StoreError::Fault::full, "there is no room");
}

}  // namespace canopy::testing
