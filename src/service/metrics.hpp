#pragma once

#include "service/study_host.hpp"
#include "studies/committer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace canopy::service {

/// A histogram of Prometheus: the number of values, their sum, and the number of values up to each
/// bound.
class Histogram {
 public:
  /// `bounds` must be in ascending order and outlive this object.
  explicit Histogram(std::span<const double> bounds);

  void observe(double value);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double sum() const { return sum_; }
  [[nodiscard]] std::span<const double> bounds() const { return bounds_; }
  [[nodiscard]] std::uint64_t up_to(std::size_t bound) const { return up_to_[bound]; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> up_to_;
  std::uint64_t count_ = 0;
  double sum_ = 0.0;
};

/// The metrics of the service for Prometheus. Thread-safe.
class Metrics {
 public:
  Metrics();

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
  struct Route {
    Route();

    std::map<unsigned, std::uint64_t> by_status;
    Histogram seconds;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string_view, std::string_view>, Route> routes_;  // by method and pattern
  std::uint64_t events_ = 0;
  Histogram commit_seconds_;
  Histogram commit_events_;
  Histogram commit_studies_;
  std::uint64_t connections_ = 0;
  std::uint64_t streams_ = 0;
  StudyHost::Counts studies_;
};

}  // namespace canopy::service
