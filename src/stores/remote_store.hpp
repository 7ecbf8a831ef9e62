#pragma once

#include "canopy/context.hpp"
#include "canopy/space.hpp"
#include "canopy/store.hpp"

#include "files/names.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace canopy {

/// The studies of a server. Whoever has the right to write to a study tells the server so every few
/// seconds; a process that was killed has lost it some seconds later. What is written the server
/// does again and compares, so only what an optimizer like its own would do is kept. A server that
/// cannot be reached is waited for, as long as the client has patience.
class RemoteStore final : public Store {
 public:
  struct Options {
    HttpClient::Options http;
    /// How long a killed holder may have a study, beyond the patience of whoever wants it.
    std::chrono::milliseconds lease{11'000};
  };

  /// Asks nothing yet. Throws StoreError when the certificates to trust cannot be read.
  explicit RemoteStore(Options options);

  /// For how long a server that cannot be reached is waited for, from now on.
  void set_patience(std::chrono::milliseconds patience) { http_.set_patience(patience); }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::vector<StudyRecord> list(const StudyRange& range) override;
  [[nodiscard]] std::optional<StudyRecord> find(const std::string& name) override;
  [[nodiscard]] std::optional<StudyRecord> create(const NewStudy& study) override;
  [[nodiscard]] std::optional<StudyRecord> fork(const StudyRecord& original,
                                                const NewStudy& fork) override;
  void erase(StudyId study) override;
  void set_specification(StudyId study, const std::string& specification) override;
  void set_holder(StudyId study, const std::string& holder) override;
  [[nodiscard]] std::vector<std::optional<StoreError>> write(
      std::span<const StudyWrite> writes) override;
  void read(StudyId study, const EntryRange& range,
            const std::function<void(const JournalEntry&)>& visit) override;
  std::uint64_t post_command(StudyId study, double at, const std::string& text) override;
  /// Asks once and has no patience: it is asked for often.
  [[nodiscard]] std::vector<PostedCommand> commands(StudyId study, std::uint64_t after) override;
  [[nodiscard]] std::optional<Snapshot> snapshot(StudyId study) override;
  void set_snapshot(StudyId study, const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<StudyLock> try_lock(StudyId study,
                                                    std::chrono::milliseconds patience) override;
  [[nodiscard]] bool is_locked(StudyId study) override;

 private:
  class Tenure;

  /// What is known of a study that the server has told of.
  struct KnownStudy {
    std::string name;
    std::optional<Space> space = std::nullopt;
    ContextSpace contexts = {};
    std::weak_ptr<Tenure> tenure = {};
    bool is_open = false;  // by somebody, when the server was last asked
    std::chrono::steady_clock::time_point asked{};
  };

  template <class Ask>
  auto asked(Ask&& ask);
  [[nodiscard]] StudyRecord record_of(const Document& document);
  [[nodiscard]] KnownStudy& known(StudyId study);
  [[nodiscard]] StoreError gone() const;
  [[nodiscard]] std::optional<Names> names_of(StudyId study);
  [[nodiscard]] std::string path_of(StudyId study, const std::string& more = "");
  [[nodiscard]] std::string tuner_of(StudyId study);
  void append_events(const StudyWrite& write);

  Options options_;
  std::string name_;
  std::unique_ptr<HttpClient> client_;
  HttpClient& http_;
  std::map<StudyId, KnownStudy> known_;
  std::map<std::string, StudyId> ids_;  // ours: only names mean anything to the server
};

}  // namespace canopy
