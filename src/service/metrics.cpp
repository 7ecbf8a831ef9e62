#include "service/metrics.hpp"

#include <map>
#include <mutex>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <tuple>
#include <utility>

namespace canopy::service {
namespace {

using Buckets = prometheus::Histogram::BucketBoundaries;

Buckets seconds_buckets() {
  return {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0};
}

Buckets size_buckets() {
  return {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000};
}

template <class Build>
auto& family(prometheus::Registry& registry, Build build, const char* name, const char* help) {
  return build().Name(name).Help(help).Register(registry);
}

}  // namespace

struct Metrics::Parts {
  using Counter = prometheus::Family<prometheus::Counter>;
  using Gauge = prometheus::Family<prometheus::Gauge>;
  using Histogram = prometheus::Family<prometheus::Histogram>;

  prometheus::Registry registry;
  Counter& requests =
      family(registry, prometheus::BuildCounter, "canopy_requests_total", "Requests answered.");
  Histogram& latencies = family(registry, prometheus::BuildHistogram, "canopy_request_seconds",
                                "Time from the first byte of a request to its answer.");
  Counter& commits_family = family(registry, prometheus::BuildCounter, "canopy_commits_total",
                                   "Transactions of the store.");
  prometheus::Counter& commits = commits_family.Add({});
  Counter& events_family = family(registry, prometheus::BuildCounter, "canopy_events_total",
                                  "Events written to journals.");
  prometheus::Counter& events = events_family.Add({});
  Histogram& commit_seconds_family = family(registry, prometheus::BuildHistogram,
                                            "canopy_commit_seconds", "Duration of a transaction.");
  prometheus::Histogram& commit_seconds = commit_seconds_family.Add({}, seconds_buckets());
  Histogram& group_family = family(registry, prometheus::BuildHistogram, "canopy_commit_events",
                                   "Events in one transaction.");
  prometheus::Histogram& group = group_family.Add({}, size_buckets());
  Histogram& group_studies_family = family(registry, prometheus::BuildHistogram,
                                           "canopy_commit_studies", "Studies in one transaction.");
  prometheus::Histogram& group_studies = group_studies_family.Add({}, size_buckets());
  Gauge& connections_family =
      family(registry, prometheus::BuildGauge, "canopy_connections", "Open connections.");
  prometheus::Gauge& connections = connections_family.Add({});
  Gauge& streams_family =
      family(registry, prometheus::BuildGauge, "canopy_streams", "Open event streams.");
  prometheus::Gauge& streams = streams_family.Add({});
  Gauge& in_flight_family = family(registry, prometheus::BuildGauge, "canopy_tickets_in_flight",
                                   "Open tickets of the studies that are open in this server.");
  prometheus::Gauge& in_flight = in_flight_family.Add({});
  Gauge& studies = family(registry, prometheus::BuildGauge, "canopy_open_studies",
                          "Studies that are open in this server, by state.");

  // Looking up labels is slow.
  struct OfRoute {
    prometheus::Counter* requests;
    prometheus::Histogram* latencies;
  };
  std::mutex mutex;
  /// By method and route pattern; both texts outlive this object.
  std::map<std::tuple<std::string_view, std::string_view, unsigned>, OfRoute> by_route;
};

Metrics::Metrics() : parts_(std::make_unique<Parts>()) {
  for (const std::string_view state : kStudyStates) {
    parts_->studies.Add({{"state", std::string(state)}}).Set(0.0);
  }
}

Metrics::~Metrics() = default;

void Metrics::count_request(std::string_view method, std::string_view route, unsigned status,
                            double seconds) {
  const std::lock_guard lock(parts_->mutex);
  const auto key = std::tuple(method, route, status);
  auto found = parts_->by_route.find(key);
  if (found == parts_->by_route.end()) {
    const prometheus::Labels of_route{{"method", std::string(method)},
                                      {"route", std::string(route)}};
    prometheus::Labels with_status = of_route;
    with_status["status"] = std::to_string(status);
    found = parts_->by_route
                .emplace(key, Parts::OfRoute{&parts_->requests.Add(with_status),
                                             &parts_->latencies.Add(of_route, seconds_buckets())})
                .first;
  }
  found->second.requests->Increment();
  found->second.latencies->Observe(seconds);
}

void Metrics::count_commit(const Committer::Commit& commit) {
  parts_->commits.Increment();
  parts_->events.Increment(static_cast<double>(commit.events));
  parts_->commit_seconds.Observe(commit.seconds);
  parts_->group.Observe(static_cast<double>(commit.events));
  parts_->group_studies.Observe(static_cast<double>(commit.studies));
}

void Metrics::set_connections(std::size_t connections) {
  parts_->connections.Set(static_cast<double>(connections));
}

void Metrics::set_streams(std::size_t streams) {
  parts_->streams.Set(static_cast<double>(streams));
}

void Metrics::set_studies(const StudyHost::Counts& counts) {
  parts_->in_flight.Set(static_cast<double>(counts.in_flight));
  for (const std::string_view state : kStudyStates) {
    const auto found = counts.states.find(std::string(state));
    const std::size_t studies = found != counts.states.end() ? found->second : 0;
    parts_->studies.Add({{"state", std::string(state)}}).Set(static_cast<double>(studies));
  }
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(parts_->registry.Collect());
}

}  // namespace canopy::service
