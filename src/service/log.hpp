#pragma once

#include "canopy/enum_names.hpp"

#include "files/document.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace canopy::service {

enum class LogFormat : std::uint8_t { text, json };
enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// The server's log: one line for each event with its fields, on standard error, as text or JSON.
class Log {
 public:
  Log(LogFormat format, LogLevel least);

  [[nodiscard]] bool shows(LogLevel level) const { return level >= least_; }
  void write(LogLevel level, std::string_view event, const Document::Table& fields = {});

 private:
  LogFormat format_;
  LogLevel least_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace canopy::service

namespace canopy {

template <>
struct EnumNames<service::LogFormat> {
  static constexpr std::array<std::string_view, 2> names{"text", "json"};
};

template <>
struct EnumNames<service::LogLevel> {
  static constexpr std::array<std::string_view, 4> names{"debug", "info", "warning", "error"};
};

}  // namespace canopy
