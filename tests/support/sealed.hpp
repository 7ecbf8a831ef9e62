#pragma once

#include <string>
#include <string_view>

#include <boost/crc.hpp>

namespace canopy::testing {

/// Saved state without its checksum.
inline std::string unsealed(std::string_view saved) {
  return std::string(saved.substr(0, saved.rfind(' ')));
}

/// Adds a valid checksum to any text.
inline std::string sealed(const std::string& text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return text + ' ' + std::to_string(crc.checksum());
}

}  // namespace canopy::testing
