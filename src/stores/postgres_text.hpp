#pragma once

#include <string>
#include <string_view>

namespace canopy {

// PostgreSQL's text is UTF-8 without zero bytes; a store keeps any bytes. Those that cannot be in a
// text are kept as the last 256 characters of Unicode, which nobody else has a use for (they are
// private, U+10FF00 and so on): all other text is in the tables as it is.

[[nodiscard]] std::string to_postgres(std::string_view text);
[[nodiscard]] std::string from_postgres(std::string text);

/// A list of values as PostgreSQL reads an array: many rows travel as one parameter of one
/// statement.
class PostgresArray {
 public:
  void add(long long number);
  void add(double number);
  void add(std::string_view text);

  /// Ends it. Valid as long as this lives: SOCI reads a parameter only when all are given.
  [[nodiscard]] const std::string& text();

 private:
  void add_item(std::string_view item);

  std::string text_ = "{";
};

}  // namespace canopy
