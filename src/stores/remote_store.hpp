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

/// The studies of a server. The owner of a study sends heartbeats every few seconds; the lease of a
/// killed process expires some seconds later. The server replays the events that a client writes
/// and rejects those that differ from what its own optimizer would do. Requests are retried while
/// the server cannot be reached, for the client's patience.
class RemoteStore final : public Store {
 public:
  struct Options {
    HttpClient::Options http;
    /// How long to wait for the lease of a killed owner to expire, in addition to the patience.
    std::chrono::milliseconds lease{11'000};
  };

  /// Sends no request yet. Throws StoreError if the trusted certificates cannot be read.
  explicit RemoteStore(Options options);

  /// Sets how long requests are retried while the server cannot be reached.
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
  /// Sends one request without retries, since it is called often.
  [[nodiscard]] std::vector<PostedCommand> commands(StudyId study, std::uint64_t after) override;
  [[nodiscard]] std::optional<Snapshot> snapshot(StudyId study) override;
  void set_snapshot(StudyId study, const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<StudyLock> try_lock(StudyId study,
                                                    std::chrono::milliseconds patience) override;
  [[nodiscard]] bool is_locked(StudyId study) override;

 private:
  class Lease;

  /// Cached data of a study.
  struct CachedStudy {
    std::string name;
    std::optional<Space> space = std::nullopt;
    ContextSpace contexts = {};
    std::weak_ptr<Lease> lease = {};
    bool is_open = false;  // as of the last request
    std::chrono::steady_clock::time_point asked{};
  };

  template <class Ask>
  auto call(Ask&& ask);
  [[nodiscard]] StudyRecord record_of(const Document& document);
  [[nodiscard]] CachedStudy& cached(StudyId study);
  [[nodiscard]] StoreError gone() const;
  [[nodiscard]] std::optional<Names> names_of(StudyId study);
  [[nodiscard]] std::string path_of(StudyId study, const std::string& more = "");
  [[nodiscard]] std::string tuner_of(StudyId study);
  void append_events(const StudyWrite& write);

  Options options_;
  std::string name_;
  std::unique_ptr<HttpClient> client_;
  HttpClient& http_;
  std::map<StudyId, CachedStudy> cached_;
  std::map<std::string, StudyId> ids_;  // local ids; the server identifies studies by name
};

}  // namespace canopy
