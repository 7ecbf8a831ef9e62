#include "canopy/state.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <boost/crc.hpp>

namespace canopy {
namespace {

constexpr std::string_view kKind = "canopy-state";
// From version 4 on, the checksum covers everything before it, including the version: a state with
// a valid checksum but a newer version is not damaged.
constexpr std::uint64_t kVersion = 5;

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
  const std::string formats = " version of canopy (format " + std::to_string(*version) +
                              ", this one reads " + std::to_string(kVersion) + ")";
  if (*version < kVersion) throw StateError("the state was saved by an older" + formats);
  const std::size_t end = saved.rfind(' ');
  if (checksum_of(saved.substr(0, end)) != saved.substr(end + 1)) damaged();
  if (*version > kVersion) throw NewerStateError("the state was saved by a newer" + formats);
  saved_.remove_suffix(std::min(saved_.size(), saved.size() - end));
}

std::string State::text() const {
  const std::string text = std::string(kKind) + ' ' + std::to_string(kVersion) + ' ' + text_;
  return text + ' ' + checksum_of(text);
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

void State::nested(std::string& saved) {
  std::uint64_t size = saved.size();
  transfer(size);
  if (!restoring_) {
    text_ += ' ' + saved;
    return;
  }
  require(size <= saved_.size());
  saved = saved_.substr(0, static_cast<std::size_t>(size));
  saved_.remove_prefix(static_cast<std::size_t>(size));
  require(next_word().empty());
}

void State::require(bool makes_sense) {
  if (!makes_sense) damaged();
}

bool State::are_counts(std::initializer_list<double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return value >= 0.0 && value < 0x1p64; });
}

bool State::are_sizes(std::initializer_list<double> values) {
  return are_finite(values) &&
         std::all_of(values.begin(), values.end(), [](double value) { return value >= 0.0; });
}

bool State::are_finite(std::initializer_list<double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

bool State::are_rewards(std::initializer_list<double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::abs(value) <= 1e101; });
}

bool State::are_ends(double least, double largest) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool of_none = least == kInfinity && largest == -kInfinity;
  return of_none || (are_finite({least, largest}) && least <= largest);
}

std::string_view State::next_word() {
  const std::size_t end = saved_.find(' ');
  const std::string_view word = saved_.substr(0, end);
  saved_.remove_prefix(end == std::string_view::npos ? saved_.size() : end + 1);
  return word;
}

/// Stored with its length, since it may contain spaces.
void State::transfer(std::string& text) {
  std::vector<unsigned char> bytes(text.begin(), text.end());
  transfer(bytes);
  text.assign(bytes.begin(), bytes.end());
}

void State::transfer(double& value) {
  if (!restoring_) {
    text_ += ' ' + to_text(value);
  } else if (const auto number = number_in<double>(next_word()); number && !std::isnan(*number)) {
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
