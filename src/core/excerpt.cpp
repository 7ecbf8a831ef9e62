#include "core/excerpt.hpp"

#include <cstdint>

namespace canopy {
namespace {

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// The length in bytes of the UTF-8 character at the beginning of a text; 0 if there is none.
std::size_t bytes_of_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80U) return 1;
  const std::size_t bytes = first < 0xC2U   ? 0
                            : first < 0xE0U ? 2
                            : first < 0xF0U ? 3
                            : first < 0xF5U ? 4
                                            : 0;
  if (bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text[i])) return 0;
  }
  return bytes;
}

std::uint32_t code_of(std::string_view character) {
  if (character.size() == 1) return static_cast<unsigned char>(character.front());
  std::uint32_t code = static_cast<unsigned char>(character.front()) & (0x7FU >> character.size());
  for (const char byte : character.substr(1)) {
    code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return code;
}

/// False for control characters, line ends, characters that change the direction of text, and
/// invalid or overlong UTF-8.
bool can_be_shown(std::uint32_t code, std::size_t bytes) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  if ((code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E)) return false;
  if ((code >= 0x2066 && code <= 0x2069) || (code >= 0xD800 && code <= 0xDFFF)) return false;
  if (bytes == 3) return code >= 0x800;
  if (bytes == 4) return code >= 0x10000 && code <= 0x10FFFF;
  return true;
}

/// The character at the beginning of a text, as shown, and its length in bytes.
struct Character {
  std::string_view shown;
  std::size_t bytes;
};

Character first_character(std::string_view text) {
  if (text.front() == '\n' || text.front() == '\r' || text.front() == '\t') return {" ", 1};
  const std::size_t bytes = bytes_of_character(text);
  if (bytes == 0) return {"?", 1};
  const std::string_view character = text.substr(0, bytes);
  return {can_be_shown(code_of(character), bytes) ? character : "?", bytes};
}

std::string_view without_blanks_around(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::string excerpt(std::string_view text, std::size_t longest) {
  constexpr std::string_view kCut = "...";
  text = without_blanks_around(text);
  std::string result;
  std::size_t bytes_before_cut = 0;
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters + kCut.size() <= longest) bytes_before_cut = result.size();
    if (characters == longest) return result.substr(0, bytes_before_cut).append(kCut);
    const auto [shown, bytes] = first_character(text);
    result += shown;
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace canopy
