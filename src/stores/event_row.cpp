#include "stores/event_row.hpp"

#include "canopy/study_error.hpp"

#include <string_view>

#include <boost/crc.hpp>
#include <fmt/format.h>

namespace canopy {
namespace {

std::uint32_t checksum_of(std::uint64_t number, double at, std::string_view event) {
  boost::crc_32_type sum;
  sum.process_bytes(&number, sizeof number);
  sum.process_bytes(&at, sizeof at);
  sum.process_bytes(event.data(), event.size());
  return sum.checksum();
}

}  // namespace

EventRow row_of(const JournalEntry& entry) {
  const double at = entry.at + 0.0;  // some databases do not store the sign of zero
  std::string event = encode(entry.event);
  const std::uint32_t checksum = checksum_of(entry.number, at, event);
  return {entry.number, at, checksum, std::move(event)};
}

JournalEntry EventRow::entry() const {
  const auto refuse = [this](std::string_view why) {
    throw StudyError(StudyError::Fault::damaged,
                     fmt::format("event {} of its journal is damaged: {}", number, why));
  };
  if (checksum != checksum_of(number, at, event)) refuse("its checksum differs");
  try {
    return {number, at, decode(event)};
  } catch (const StudyError& error) {
    refuse(error.what());
    throw;
  }
}

}  // namespace canopy
