#pragma once

#include "service/study_host.hpp"
#include "studies/committer.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace canopy::service {

/// The metrics of the service for Prometheus. Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Counts a request. `route` is its pattern, or `unknown`. Both texts must live as long as this
  /// object.
  void count_request(std::string_view method, std::string_view route, unsigned status,
                     double seconds);
  void count_commit(const Committer::Commit& commit);
  void set_connections(std::size_t connections);
  void set_streams(std::size_t streams);
  void set_studies(const StudyHost::Counts& counts);

  /// All metrics in the text format of Prometheus.
  [[nodiscard]] std::string text() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace canopy::service
