#include "service/log.hpp"

#include "files/json.hpp"

#include <chrono>
#include <ctime>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace canopy::service {
namespace {

/// `2026-11-16T12:00:00.123Z`
std::string time_text() {
  using namespace std::chrono;
  const auto now = time_point_cast<milliseconds>(system_clock::now());
  return fmt::format("{:%FT%T}Z", now);
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    default:
      return spdlog::level::err;
  }
}

}  // namespace

Log::Log(LogFormat format, LogLevel least)
    : format_(format),
      least_(least),
      logger_(std::make_shared<spdlog::logger>("canopy",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_pattern("%v");
  logger_->set_level(level_of(least));
  logger_->flush_on(spdlog::level::debug);
}

void Log::write(LogLevel level, std::string_view event, const Document::Table& fields) {
  if (!shows(level)) return;
  std::string line;
  if (format_ == LogFormat::json) {
    Document::Table table{{"time", time_text()}, {"level", name_of(level)}, {"event", event}};
    table.insert(table.end(), fields.begin(), fields.end());
    line = json_text(table);
  } else {
    line = fmt::format("{} {:<7} {}", time_text(), name_of(level), event);
    for (const auto& field : fields)
      line += fmt::format(" {}={}", field.first, json_text(field.second));
  }
  logger_->log(level_of(level), "{}", line);
}

}  // namespace canopy::service
