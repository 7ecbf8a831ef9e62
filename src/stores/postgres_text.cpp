#include "stores/postgres_text.hpp"

#include "core/text.hpp"

#include <cstddef>
#include <utility>

namespace canopy {
namespace {

constexpr std::string_view kStandIns = "\xF4\x8F";  // how the characters begin that stand for bytes
constexpr unsigned kFirstThird = 0xBC;              // their third byte is this one or above

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

bool is_within(unsigned byte, unsigned low, unsigned high) {
  return byte >= low && byte <= high;
}

bool is_stand_in(std::string_view text) {
  return text.starts_with(kStandIns) && byte_at(text, 2) >= kFirstThird;
}

/// How many bytes the character at the beginning of a text has; 0 when PostgreSQL would refuse it.
std::size_t bytes_of_valid(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  const unsigned second = byte_at(text, 1);
  const auto continues = [&](std::size_t i) { return is_within(byte_at(text, i), 0x80, 0xBF); };
  if (is_within(first, 0x01, 0x7F)) return 1;
  if (is_within(first, 0xC2, 0xDF)) return continues(1) ? 2 : 0;
  if (is_within(first, 0xE0, 0xEF)) {
    const bool fits = is_within(second, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return fits && continues(2) ? 3 : 0;
  }
  if (is_within(first, 0xF0, 0xF4)) {
    const bool fits = is_within(second, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return fits && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string to_postgres(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = is_stand_in(text) ? 0 : bytes_of_valid(text);
    if (bytes > 0) {
      kept += text.substr(0, bytes);
    } else {
      const unsigned byte = byte_at(text, 0);
      kept += kStandIns;
      kept += static_cast<char>(kFirstThird + (byte >> 6U));
      kept += static_cast<char>(0x80U + (byte & 0x3FU));
    }
    text.remove_prefix(bytes > 0 ? bytes : 1);
  }
  return kept;
}

std::string from_postgres(std::string text) {
  if (text.find(kStandIns) == std::string::npos) return text;
  std::string given;
  for (std::string_view rest = text; !rest.empty();) {
    if (rest.size() >= 4 && is_stand_in(rest)) {
      const unsigned high = (byte_at(rest, 2) - kFirstThird) << 6U;
      given += static_cast<char>(high | (byte_at(rest, 3) & 0x3FU));
      rest.remove_prefix(4);
    } else {
      given += rest.front();
      rest.remove_prefix(1);
    }
  }
  return given;
}

void PostgresArray::add(long long number) {
  add_item(std::to_string(number));
}

void PostgresArray::add(double number) {
  add_item(to_text(number));
}

void PostgresArray::add(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : to_postgres(text)) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  add_item(quoted + '"');
}

void PostgresArray::add_item(std::string_view item) {
  if (text_.size() > 1) text_ += ',';
  text_ += item;
}

const std::string& PostgresArray::text() {
  if (text_.back() != '}') text_ += '}';
  return text_;
}

}  // namespace canopy
