#include "service/metrics.hpp"

#include <array>
#include <iterator>

#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::array kSeconds{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
                              0.1,    0.2,   0.5,   1.0,   2.0,  5.0,  10.0};
constexpr std::array kSizes{1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 5000.0};

/// The text format of Prometheus. Labels are `name="value",name="value"`. The values are chosen by
/// canopy and need no escapes.
class Writer {
 public:
  void begin(std::string_view name, std::string_view type, std::string_view help) {
    append("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }

  void value(std::string_view name, std::string_view labels, double value) {
    append("{}{} {}\n", name, labels.empty() ? "" : fmt::format("{{{}}}", labels), value);
  }

  void histogram(std::string_view name, std::string_view labels, const Histogram& histogram) {
    value(fmt::format("{}_count", name), labels, static_cast<double>(histogram.count()));
    value(fmt::format("{}_sum", name), labels, histogram.sum());
    const std::string prefix = labels.empty() ? "" : fmt::format("{},", labels);
    for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
      append("{}_bucket{{{}le=\"{}\"}} {}\n", name, prefix, histogram.bounds()[i],
             histogram.up_to(i));
    }
    append("{}_bucket{{{}le=\"+Inf\"}} {}\n", name, prefix, histogram.count());
  }

  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  template <class... Arguments>
  void append(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  std::string text_;
};

}  // namespace

Histogram::Histogram(std::span<const double> bounds) : bounds_(bounds), up_to_(bounds.size()) {}

void Histogram::observe(double value) {
  ++count_;
  sum_ += value;
  for (std::size_t i = bounds_.size(); i > 0 && value <= bounds_[i - 1]; --i) ++up_to_[i - 1];
}

Metrics::Route::Route() : seconds(kSeconds) {}

Metrics::Metrics() : commit_seconds_(kSeconds), commit_events_(kSizes), commit_studies_(kSizes) {}

void Metrics::count_request(std::string_view method, std::string_view route, unsigned status,
                            double seconds) {
  const std::lock_guard lock(mutex_);
  Route& of_route = routes_[{method, route}];
  ++of_route.by_status[status];
  of_route.seconds.observe(seconds);
}

void Metrics::count_commit(const Committer::Commit& commit) {
  const std::lock_guard lock(mutex_);
  events_ += commit.events;
  commit_seconds_.observe(commit.seconds);
  commit_events_.observe(static_cast<double>(commit.events));
  commit_studies_.observe(static_cast<double>(commit.studies));
}

void Metrics::set_connections(std::size_t connections) {
  const std::lock_guard lock(mutex_);
  connections_ = connections;
}

void Metrics::set_streams(std::size_t streams) {
  const std::lock_guard lock(mutex_);
  streams_ = streams;
}

void Metrics::set_studies(const StudyHost::Counts& counts) {
  const std::lock_guard lock(mutex_);
  studies_ = counts;
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  Writer out;
  const auto whole = [&](std::string_view name, std::string_view type, std::string_view help,
                         std::uint64_t value) {
    out.begin(name, type, help);
    out.value(name, "", static_cast<double>(value));
  };
  const auto histogram = [&](std::string_view name, std::string_view help,
                             const Histogram& values) {
    out.begin(name, "histogram", help);
    out.histogram(name, "", values);
  };
  const auto labels = [](const auto& route) {
    return fmt::format(R"(method="{}",route="{}")", route.first.first, route.first.second);
  };

  out.begin("canopy_requests_total", "counter", "Requests that were answered.");
  for (const auto& route : routes_) {
    for (const auto& [status, requests] : route.second.by_status) {
      out.value("canopy_requests_total", fmt::format("{},status=\"{}\"", labels(route), status),
                static_cast<double>(requests));
    }
  }
  out.begin("canopy_request_duration_seconds", "histogram",
            "From the first byte of a request to its answer.");
  for (const auto& route : routes_)
    out.histogram("canopy_request_duration_seconds", labels(route), route.second.seconds);

  whole("canopy_commits_total", "counter", "Transactions of the store.", commit_seconds_.count());
  whole("canopy_events_total", "counter", "Events that were written to journals.", events_);
  histogram("canopy_commit_duration_seconds", "Duration of a transaction.", commit_seconds_);
  histogram("canopy_commit_events", "Events in a transaction.", commit_events_);
  histogram("canopy_commit_studies", "Studies in a transaction.", commit_studies_);
  whole("canopy_connections", "gauge", "Open connections.", connections_);
  whole("canopy_streams", "gauge", "Open event streams.", streams_);
  whole("canopy_tickets_in_flight", "gauge",
        "Open tickets of the studies that this server has open.", studies_.in_flight);
  out.begin("canopy_open_studies", "gauge", "Studies that this server has open, by state.");
  for (const std::string_view state : kStudyStates) {
    const auto found = studies_.states.find(std::string(state));
    const std::size_t studies = found != studies_.states.end() ? found->second : 0;
    out.value("canopy_open_studies", fmt::format(R"(state="{}")", state),
              static_cast<double>(studies));
  }
  return std::move(out).text();
}

}  // namespace canopy::service
