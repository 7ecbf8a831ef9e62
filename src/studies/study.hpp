#pragma once

#include "canopy/optimizer.hpp"

#include "studies/event.hpp"
#include "studies/specification.hpp"
#include "studies/store.hpp"
#include "studies/study_lock.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// Thrown when a study cannot be opened: somebody else has it, or it is another one than the file
/// says.
class StudyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Which study is meant.
struct OpenOptions {
  std::string name;                 ///< of the study
  std::optional<std::string> fork;  ///< another one, which is made from it unless it was before
};

/// An optimizer that remembers: a specification, its journal in the store, and the state that
/// follows from them. It speaks the optimizer's protocol. What was asked and told is on the disk
/// once `commit` has returned; nobody should be told of it before.
class Study final : public Optimizer {
 public:
  /// Opens the study of that name to go on with it, or makes it. Refuses, with StudyError, one that
  /// somebody else has open, and one whose space, optimizer or objective are not those of the file
  /// (unless it is forked: the new study has them, and the journal as well if nothing differs).
  [[nodiscard]] static Study open(Store& store, const StudyFile& file, const OpenOptions& options);

  /// The same with the file that is in the store.
  [[nodiscard]] static Study reopen(Store& store, const std::string& name);

  Pull ask(std::uint64_t pulls = UINT64_MAX) override;
  Status tell(Ticket ticket, double reward) override;
  Status tell(Ticket ticket, std::span<const double> rewards) override;
  Status tell(Ticket ticket, const Rewards& rewards) override;
  Status drop(Ticket ticket) override;
  void finish() override;
  [[nodiscard]] std::optional<Best> best() const override { return live().best(); }
  [[nodiscard]] Summary summary() const override { return live().summary(); }
  [[nodiscard]] std::vector<NodeView> tree() override { return live().tree(); }
  [[nodiscard]] std::string path(NodeIndex node) const override { return live().path(node); }
  [[nodiscard]] std::vector<Pull> in_flight() const override { return live().in_flight(); }
  [[nodiscard]] std::string save() override { return live().save(); }
  /// A study is restored from its store: throws StateError.
  void restore(std::string_view saved) override;

  /// Notes something that does not concern the optimizer.
  void note(Event event);

  /// Puts everything since the last commit on the disk. When that fails, the study is as it was
  /// after the last one that did not, and StoreError is thrown; so it is by all others, should even
  /// the store be unreadable, until a commit finds it readable again.
  void commit();

  /// Keeps the state, so that the next opening is quick; where that fails, it is slower. Done now
  /// and then by commit, too.
  void snapshot();

  /// Seconds since 1970 by which events are dated: never going back.
  [[nodiscard]] double now() const;

  [[nodiscard]] const StudyRecord& record() const { return record_; }
  [[nodiscard]] const StudySpecification& specification() const { return specification_; }
  [[nodiscard]] Store& store() { return *store_; }

 private:
  Study(Store& store, StudyRecord record, StudySpecification specification, StudyLock lock);

  void load();
  [[nodiscard]] Optimizer& live() const;
  Status journaled(Status status, Event event);

  Store* store_;
  StudyRecord record_;
  StudySpecification specification_;
  StudyLock lock_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<Event> uncommitted_;
  std::uint64_t events_ = 0;           // committed
  std::uint64_t snapshot_events_ = 0;  // of which the snapshot knows so many
  double last_at_ = 0.0;
  double started_at_ = 0.0;      // by the clock on the wall, and
  double started_steady_ = 0.0;  // by one that never jumps
};

/// The optimizer of a study as it is after all of its events, to be looked at; needs no lock.
[[nodiscard]] std::unique_ptr<Optimizer> load_optimizer(Store& store, const StudyRecord& record,
                                                        const StudySpecification& specification);

/// Calls visit with every event from the first one on, and the arm of its ticket: none where the
/// event has none.
void replay(Store& store, const StudyRecord& record, const StudySpecification& specification,
            const std::function<void(const Event&, std::optional<Arm>)>& visit);

/// The rewards of a tell_list.
[[nodiscard]] std::vector<double> rewards_in(const Event& event);

/// The record of a study, or a StudyError that says which there are.
[[nodiscard]] StudyRecord find_study(Store& store, const std::string& name);

}  // namespace canopy
