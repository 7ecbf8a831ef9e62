#pragma once

#include "canopy/store.hpp"

#include "files/document.hpp"
#include "service/message.hpp"
#include "service/metrics.hpp"
#include "service/study_host.hpp"
#include "service/tokens.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace canopy::service {

class Service;

/// One way to ask for something. Methods and patterns are those of openapi.json.
struct Route {
  std::string_view method;
  std::string_view pattern;  ///< `/v1/studies/{name}/asks`
  std::optional<Role> role;  ///< that is needed; none: anybody may
  void (Service::*serve)(const Request& request, StudyHost::Done done);
  bool is_stream = false;  ///< the answer is only the beginning
};

/// All of them.
[[nodiscard]] std::span<const Route> routes();

/// What the service answers, without the network: routes, who may do what, the studies.
class Service {
 public:
  struct Options {
    std::string openapi;                     ///< the document, as JSON
    std::shared_ptr<Guard> guard = nullptr;  ///< none: everybody may do everything
  };

  Service(std::shared_ptr<Store> store, StudyHost& host, Metrics& metrics, Options options);

  /// A request that may be served.
  struct Admitted {
    const Route* route = nullptr;
    std::string by = {};  ///< the name of the token
    std::optional<Token> token = {};
  };
  /// Who asks, and whether they may. Only the method and the path of the request are needed, so
  /// that nobody else's body is read. `secret`: the token that came with it, if any. Throws
  /// Problem.
  [[nodiscard]] Admitted admit(const Request& request, std::optional<std::string_view> secret);

  /// Serves it, and notes in it who asks; `done` is called once, by some thread, or before this
  /// returns.
  void serve(const Admitted& admitted, Request& request, const StudyHost::Done& done);

  /// Other tokens from now on.
  void set_guard(std::shared_ptr<Guard> guard);

  /// Whether nothing more should be sent here.
  void set_stopping() { stopping_ = true; }

  // --- the routes

  void list(const Request& request, StudyHost::Done done);
  void create(const Request& request, StudyHost::Done done);
  void show(const Request& request, StudyHost::Done done);
  void erase(const Request& request, StudyHost::Done done);
  void set_specification(const Request& request, StudyHost::Done done);
  void ask(const Request& request, StudyHost::Done done);
  void in_flight(const Request& request, StudyHost::Done done);
  void tell(const Request& request, StudyHost::Done done);
  void drop(const Request& request, StudyHost::Done done);
  void observe(const Request& request, StudyHost::Done done);
  void bar(const Request& request, StudyHost::Done done);
  void best(const Request& request, StudyHost::Done done);
  void summary(const Request& request, StudyHost::Done done);
  void tree(const Request& request, StudyHost::Done done);
  void estimate(const Request& request, StudyHost::Done done);
  void events(const Request& request, StudyHost::Done done);
  void stream(const Request& request, StudyHost::Done done);
  void act(const Request& request, StudyHost::Done done);
  void acts(const Request& request, StudyHost::Done done);
  void take_tuner(const Request& request, StudyHost::Done done);
  void release_tuner(const Request& request, StudyHost::Done done);
  void tuner_events(const Request& request, StudyHost::Done done);
  void snapshot(const Request& request, StudyHost::Done done);
  void set_snapshot(const Request& request, StudyHost::Done done);
  void health(const Request& request, StudyHost::Done done);
  void ready(const Request& request, StudyHost::Done done);
  void metrics(const Request& request, StudyHost::Done done);
  void openapi(const Request& request, StudyHost::Done done);

 private:
  [[nodiscard]] std::shared_ptr<Guard> guard() const;
  [[nodiscard]] Document item(const StudyRecord& record, Store& store) const;
  [[nodiscard]] Document full_item(const StudyRecord& record, Store& store) const;

  std::shared_ptr<Store> store_;
  StudyHost& host_;
  Metrics& metrics_;
  Options options_;
  mutable std::mutex guard_mutex_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace canopy::service
