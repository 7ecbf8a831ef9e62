#include "canopy/state.hpp"

#include "core/text.hpp"

#include <array>
#include <charconv>

#include <boost/crc.hpp>

namespace canopy {
namespace {

constexpr std::string_view kKind = "canopy-state";
constexpr std::uint64_t kVersion = 3;

std::string checksum_of(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return std::to_string(crc.checksum());
}

[[noreturn]] void damaged() {
  throw StateError("the saved state is damaged");
}

}  // namespace

State::State(std::string_view saved) : restoring_(true), saved_(saved) {
  if (next_word() != kKind) damaged();
  const auto version = number_in<std::uint64_t>(next_word());
  if (!version) damaged();
  if (*version > kVersion) {
    throw NewerStateError("the state was saved by a newer version of canopy (format " +
                          std::to_string(*version) + ", this one reads " +
                          std::to_string(kVersion) + ")");
  }
  if (*version < kVersion) {
    throw StateError("the state was saved by an older version of canopy (format " +
                     std::to_string(*version) + ", this one reads " + std::to_string(kVersion) +
                     ")");
  }
  const std::size_t end = saved_.rfind(' ');
  if (end == std::string_view::npos || checksum_of(saved_.substr(0, end)) != saved_.substr(end + 1))
    damaged();
  saved_ = saved_.substr(0, end);
}

std::string State::text() const {
  return std::string(kKind) + ' ' + std::to_string(kVersion) + ' ' + text_ + ' ' +
         checksum_of(text_);
}

void State::end() const {
  if (!saved_.empty()) damaged();
}

void State::mark(std::string_view word) {
  if (!restoring_) {
    text_ += text_.empty() ? "" : " ";
    text_ += word;
  } else if (const std::string_view saved = next_word(); saved != word) {
    throw StateError("the saved state is that of another optimizer or space (\"" +
                     std::string(saved) + "\" where \"" + std::string(word) + "\" is expected)");
  }
}

void State::require(bool makes_sense) {
  if (!makes_sense) damaged();
}

std::string_view State::next_word() {
  const std::size_t end = saved_.find(' ');
  const std::string_view word = saved_.substr(0, end);
  saved_.remove_prefix(end == std::string_view::npos ? saved_.size() : end + 1);
  return word;
}

void State::transfer(double& value) {
  if (!restoring_) {
    text_ += ' ' + to_text(value);
  } else if (const auto number = number_in<double>(next_word())) {
    value = *number;
  } else {
    damaged();
  }
}

void State::transfer(std::uint64_t& value) {
  if (!restoring_) {
    text_ += ' ' + std::to_string(value);
  } else if (const auto number = number_in<std::uint64_t>(next_word())) {
    value = *number;
  } else {
    damaged();
  }
}

}  // namespace canopy
