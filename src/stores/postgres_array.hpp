#pragma once

#include "core/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace canopy {

/// A list of values in PostgreSQL's array syntax, so that many rows can be passed as one parameter.
class PostgresArray {
 public:
  void add(std::int64_t number) { add_item(std::to_string(number)); }
  void add(std::uint64_t number) { add_item(std::to_string(number)); }
  void add(std::uint32_t number) { add_item(std::to_string(number)); }
  void add(double number) { add_item(to_text(number)); }
  void add(std::string_view text) {
    if (!text_.empty()) text_ += ',';
    text_ += '"';
    for (const char letter : text) {
      if (letter == '"' || letter == '\\') text_ += '\\';
      text_ += letter;
    }
    text_ += '"';
  }

  [[nodiscard]] std::string text() const { return '{' + text_ + '}'; }

 private:
  void add_item(std::string_view item) {
    if (!text_.empty()) text_ += ',';
    text_ += item;
  }

  std::string text_;
};

}  // namespace canopy
