#pragma once

#include "canopy/study.hpp"

#include "files/document.hpp"
#include "tuning/tuner.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace canopy::cli {

/// Shows the state of a running tuner: on the terminal and in status files.
class TuneStatus {
 public:
  /// Paths of the status files: JSON, and the text format of Prometheus.
  struct Files {
    std::optional<std::string> status;
    std::optional<std::string> metrics;
  };

  /// The study must outlive it.
  TuneStatus(const Study& study, Files files) : study_(study), files_(std::move(files)) {}

  /// One line for a terminal.
  [[nodiscard]] std::string line(const TuneProgress& progress);

  /// To be called with every progress report. Rewrites the files every few seconds. If a file
  /// cannot be written, this is reported once and tuning continues.
  void follow(const TuneProgress& progress);
  /// Writes the files at the end.
  void write_end(const TuneEnd& end);

 private:
  /// Pulls per second since the start of this run (0: not known), and estimated seconds until the
  /// budget is used up (none: not known).
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
