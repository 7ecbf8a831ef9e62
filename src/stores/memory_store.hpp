#pragma once

#include "canopy/store.hpp"
#include "canopy/study.hpp"

#include "core/text.hpp"
#include "journal/command_text.hpp"

#include <algorithm>
#include <condition_variable>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy {

/// The studies shared by all memory stores of one name.
struct MemoryStudies {
  struct Study {
    StudyRecord record;
    std::vector<JournalEntry> journal;
    std::optional<Snapshot> snapshot;
    std::map<std::string, KeptAnswer> answers;
    std::vector<PostedCommand> commands;
  };

  std::map<StudyId, Study> studies;
  StudyId last_id = 0;

  // Several threads may wait for a lock, so locks are thread-safe, unlike everything else here.
  std::mutex mutex;
  std::condition_variable released;
  std::set<StudyId> locked;
};

/// A store in memory for simulations and tests: a minimal implementation of the interface.
class MemoryStore final : public FullStore {
 public:
  explicit MemoryStore(std::shared_ptr<MemoryStudies> studies = std::make_shared<MemoryStudies>())
      : all_(std::move(studies)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::vector<StudyRecord> list(const StudyRange& range) override {
    std::vector<StudyRecord> records;
    for (const auto& [id, study] : all_->studies) {
      if (study.record.name > range.after) records.push_back(study.record);
    }
    std::sort(records.begin(), records.end(),
              [](const StudyRecord& a, const StudyRecord& b) { return a.name < b.name; });
    if (records.size() > range.limit) records.resize(range.limit);
    return records;
  }

  [[nodiscard]] std::optional<StudyRecord> find(const std::string& name) override {
    for (const auto& [id, study] : all_->studies) {
      if (study.record.name == name) return study.record;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<StudyRecord> create(const NewStudy& given) override {
    check_study_name(given.name);
    check_texts({given.specification, given.forked_from});
    if (find(given.name)) return std::nullopt;
    MemoryStudies::Study study;
    if (given.copied) {
      const MemoryStudies::Study& original = all_->studies.at(*given.copied);
      study.record = original.record;
      study.journal = original.journal;
      study.commands = original.commands;
    } else {
      study.journal.assign(given.journal.begin(), given.journal.end());
      study.commands = commands_in(given.journal);
      study.record.events = study.journal.size();
      study.record.pulls = given.pulls;
      study.record.updated = study.journal.empty() ? given.created : study.journal.back().at;
    }
    study.record.id = ++all_->last_id;
    study.record.name = given.name;
    study.record.specification = given.specification;
    study.record.forked_from = given.forked_from;
    study.record.created = given.created;
    study.record.holder.clear();
    all_->studies[all_->last_id] = study;
    return study.record;
  }

  void erase(StudyId study) override { all_->studies.erase(study); }

  void set_specification(StudyId study, const std::string& specification) override {
    check_texts({specification});
    at(study).record.specification = specification;
  }
  void set_holder(StudyId study, const std::string& holder) override {
    check_texts({holder});
    at(study).record.holder = holder;
  }

  [[nodiscard]] std::vector<std::optional<StoreError>> write(
      std::span<const StudyWrite> writes) override {
    for (const StudyWrite& each : writes) check(each);
    std::vector<std::optional<StoreError>> errors(writes.size());
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const StudyWrite& each = writes[i];
      if (!all_->studies.contains(each.study)) {
        errors[i] = gone();
        continue;
      }
      MemoryStudies::Study& study = at(each.study);
      for (const KeptAnswer& answer : each.answers) study.answers[answer.key] = answer;
      if (each.entries.empty()) continue;
      study.journal.insert(study.journal.end(), each.entries.begin(), each.entries.end());
      study.record.events = each.entries.back().number;
      study.record.pulls = each.pulls;
      study.record.updated = each.entries.back().at;
    }
    return errors;
  }

  void read(StudyId id, const EntryRange& range,
            const std::function<void(const JournalEntry&)>& visit) override {
    if (!all_->studies.contains(id)) return;
    const std::vector<JournalEntry> journal = at(id).journal;  // a copy, because visit may append
    std::uint64_t left = range.limit;
    for (const JournalEntry& entry : journal) {
      if (entry.number <= range.after) continue;
      if (left-- == 0) return;
      visit(entry);
    }
  }

  [[nodiscard]] std::vector<std::optional<KeptAnswer>> find_answers(
      std::span<const AnswerKey> keys) override {
    std::vector<std::optional<KeptAnswer>> found;
    for (const AnswerKey& each : keys) {
      const auto study = all_->studies.find(each.study);
      found.emplace_back();
      if (study == all_->studies.end()) continue;
      const auto answer = study->second.answers.find(each.key);
      if (answer != study->second.answers.end()) found.back() = answer->second;
    }
    return found;
  }

  std::uint64_t forget_answers(double before) override {
    std::uint64_t forgotten = 0;
    for (auto& [id, study] : all_->studies) {
      forgotten += std::erase_if(study.answers,
                                 [&](const auto& answer) { return answer.second.at < before; });
    }
    return forgotten;
  }

  std::uint64_t post_command(StudyId study, double when, const std::string& text) override {
    check_texts({text});
    std::vector<PostedCommand>& commands = at(study).commands;
    for (const PostedCommand& before : commands) {
      if (before.text == text && has_key(text)) return before.number;
    }
    const std::uint64_t last = commands.empty() ? 0 : commands.back().number;
    commands.push_back({last + 1, when, text});
    return last + 1;
  }

  [[nodiscard]] std::vector<PostedCommand> commands(StudyId study, std::uint64_t after) override {
    std::vector<PostedCommand> commands;
    if (all_->studies.contains(study)) commands = at(study).commands;
    std::erase_if(commands, [&](const PostedCommand& command) { return command.number <= after; });
    return commands;
  }

  [[nodiscard]] std::optional<Snapshot> snapshot(StudyId study) override {
    return all_->studies.contains(study) ? at(study).snapshot : std::nullopt;
  }
  void set_snapshot(StudyId study, const Snapshot& snapshot) override {
    at(study).snapshot = snapshot;
  }

  [[nodiscard]] std::unique_ptr<StudyLock> try_lock(StudyId study,
                                                    std::chrono::milliseconds patience) override {
    std::unique_lock lock(all_->mutex);
    const auto is_free = [&] { return !all_->locked.contains(study); };
    if (!all_->released.wait_for(lock, patience, is_free)) return nullptr;
    all_->locked.insert(study);
    return std::make_unique<Lock>(all_, study);
  }

  [[nodiscard]] bool is_locked(StudyId study) override {
    const std::lock_guard lock(all_->mutex);
    return all_->locked.contains(study);
  }

 private:
  class Lock final : public StudyLock {
   public:
    Lock(std::shared_ptr<MemoryStudies> studies, StudyId study)
        : all_(std::move(studies)), study_(study) {}
    ~Lock() override {
      const std::lock_guard lock(all_->mutex);
      all_->locked.erase(study_);
      all_->released.notify_all();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    std::shared_ptr<MemoryStudies> all_;
    StudyId study_;
  };

  [[nodiscard]] MemoryStudies::Study& at(StudyId study) {
    const auto found = all_->studies.find(study);
    if (found != all_->studies.end()) return found->second;
    throw gone();
  }

  [[nodiscard]] StoreError gone() const {
    return {StoreError::Fault::other, name_ + ": the study has been deleted"};
  }

  void check_texts(std::initializer_list<std::string_view> texts) const {
    if (std::all_of(texts.begin(), texts.end(), is_text)) return;
    throw StoreError(StoreError::Fault::other, name_ + ": text is not UTF-8 or has a zero byte");
  }

  /// Like a database, rejects the whole write if an entry number or a key exists already.
  void check(const StudyWrite& write) const {
    const auto study = all_->studies.find(write.study);
    if (study == all_->studies.end()) return;
    bool taken =
        !write.entries.empty() && write.entries.front().number <= study->second.record.events;
    for (const KeptAnswer& answer : write.answers) {
      check_texts({answer.key, answer.request, answer.answer});
      taken = taken || study->second.answers.contains(answer.key);
    }
    if (taken) throw StoreError(StoreError::Fault::other, name_ + ": the entry exists already");
  }

  std::string name_ = "memory";
  std::shared_ptr<MemoryStudies> all_;
};

}  // namespace canopy
