#pragma once

#include "canopy/study.hpp"

#include "files/document.hpp"
#include "tuning/tuner.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace canopy::cli {

/// What a tuner is doing, for people and programs who look at it while it runs.
class TuneStatus {
 public:
  /// Where to write it, as JSON and in the text format of Prometheus.
  struct Files {
    std::optional<std::string> status;
    std::optional<std::string> metrics;
  };

  /// The study must outlive it.
  TuneStatus(const Study& study, Files files) : study_(study), files_(std::move(files)) {}

  /// One line for a terminal.
  [[nodiscard]] std::string line(const TuneProgress& progress);

  /// To be told every progress. Writes the files if the last time was some seconds ago. A file that
  /// cannot be written is complained about once; tuning goes on.
  void follow(const TuneProgress& progress);
  /// Writes them at the end.
  void write_end(const TuneEnd& end);

 private:
  /// Pulls a second since this run began, and seconds until the budget is used; 0: not known.
  struct Pace {
    double rate = 0.0;
    std::optional<double> seconds_left;
  };
  [[nodiscard]] Pace pace(const TuneProgress& progress);
  [[nodiscard]] Document document(const TuneProgress& progress);
  [[nodiscard]] std::string metrics_text(const TuneProgress& progress);
  void write(const Document& document, const std::string& metrics);

  const Study& study_;
  Files files_;
  std::optional<TuneProgress> first_;
  std::optional<TuneProgress> last_;
  std::chrono::steady_clock::time_point next_{};
  bool complained_ = false;
};

}  // namespace canopy::cli
