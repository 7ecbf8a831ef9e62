#pragma once

#include "canopy/store.hpp"

#include "files/document.hpp"
#include "insight/study_phase.hpp"
#include "service/look_cache.hpp"
#include "service/message.hpp"
#include "service/metrics.hpp"
#include "service/routes.hpp"
#include "service/study_host.hpp"
#include "service/tokens.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace canopy::service {

/// The service without the network: routes, access control, and the studies.
class Service {
 public:
  struct Options {
    std::string openapi;                              ///< the OpenAPI document, as JSON
    std::shared_ptr<AccessControl> access = nullptr;  ///< null: every client has all rights
    bool read_only = false;  ///< only requests that change nothing are served
  };

  Service(std::shared_ptr<Store> store, StudyHost& host, Metrics& metrics, Options options);

  /// The result of access control: the matching route and the client's token.
  struct Admitted {
    const Route* route = nullptr;
    std::string by = {};  ///< the name of the token
    std::optional<Token> token = {};
  };
  /// Checks whether a client may send a request. Needs only its method and path, so that the body
  /// of a refused request is never read. `secret` is the token that came with the request, if any.
  /// Throws Problem.
  [[nodiscard]] Admitted admit(const Request& request, std::optional<std::string_view> secret);

  /// Serves a request and stores the client's token name in it. `done` is called exactly once, by
  /// any thread, possibly before this returns.
  void serve(const Admitted& admitted, Request& request, const Done& done);

  /// Counts the bytes of a request and its answer against the limit of the token.
  void count_bytes(const Admitted& admitted, std::size_t bytes);

  /// Replaces the tokens.
  void set_access(std::shared_ptr<AccessControl> access);

  /// Checks whether the store can be read, for `/readyz`; to be called about once a second.
  void look_for_store();

  /// From now on `/readyz` answers that the server is stopping.
  void set_stopping() { stopping_ = true; }

  // --- the routes

  void list(const Request& request, Done done);
  void create(const Request& request, Done done);
  void check(const Request& request, Done done);
  void catalogue(const Request& request, Done done);
  void show(const Request& request, Done done);
  void glance(const Request& request, Done done);
  void erase(const Request& request, Done done);
  void specification(const Request& request, Done done);
  void set_specification(const Request& request, Done done);
  void ask(const Request& request, Done done);
  void in_flight(const Request& request, Done done);
  void tell(const Request& request, Done done);
  void drop(const Request& request, Done done);
  void observe(const Request& request, Done done);
  void bar(const Request& request, Done done);
  void best(const Request& request, Done done);
  void policy(const Request& request, Done done);
  void summary(const Request& request, Done done);
  void tree(const Request& request, Done done);
  void arms(const Request& request, Done done);
  void knobs(const Request& request, Done done);
  void estimate(const Request& request, Done done);
  void history(const Request& request, Done done);
  void events(const Request& request, Done done);
  void stream(const Request& request, Done done);
  /// The events after a number, formatted as server-sent events.
  void frames(const Request& request, Done done);
  void command(const Request& request, Done done);
  void commands(const Request& request, Done done);
  void take_tuner(const Request& request, Done done);
  void release_tuner(const Request& request, Done done);
  void tuner_events(const Request& request, Done done);
  void snapshot(const Request& request, Done done);
  void set_snapshot(const Request& request, Done done);
  void health(const Request& request, Done done);
  void ready(const Request& request, Done done);
  void metrics(const Request& request, Done done);
  void openapi(const Request& request, Done done);
  void me(const Request& request, Done done);
  void page(const Request& request, Done done);
  void page_file(const Request& request, Done done);

 private:
  using SteadyClock = std::chrono::steady_clock;

  [[nodiscard]] std::shared_ptr<AccessControl> access() const;
  /// The phase of a study and its last event, as lists and summaries show them.
  struct Standing {
    std::optional<JournalEntry> last = {};
    std::string state = {};
    PhaseReport report = {};
    bool is_open = false;
  };
  [[nodiscard]] Standing standing_of(const StudyRecord& record, const Document& specification,
                                     const std::optional<StudyState>& here, Store& store) const;
  [[nodiscard]] Document item(const StudyRecord& record, Store& store) const;
  void look(const Request& request, StudyHost::Read make, Done done);
  [[nodiscard]] std::optional<Document> kept_glance(const StudyRecord& record);
  void keep_glance(const StudyRecord& record, const Document& glance);
  [[nodiscard]] Document full_item(const StudyRecord& record, Store& store) const;

  std::shared_ptr<Store> store_;
  StudyHost& host_;
  Metrics& metrics_;
  Options options_;
  mutable std::mutex access_mutex_;
  std::mutex commands_mutex_;  // one command is posted at a time
  LookCache looks_;
  std::atomic<bool> stopping_ = false;
  std::atomic<SteadyClock::time_point> store_seen_ = SteadyClock::now();
  std::atomic<bool> is_looking_ = false;
};

}  // namespace canopy::service
