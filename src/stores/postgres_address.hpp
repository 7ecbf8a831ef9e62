#pragma once

#include <chrono>
#include <string>

namespace canopy {

/// Where a database of PostgreSQL is and how it is reached, from an address as libpq reads it:
/// `postgresql://user@host/database`, `postgresql:///database?host=/a/folder`, and so on.
class PostgresAddress {
 public:
  /// Throws StoreError.
  explicit PostgresAddress(const std::string& address);

  /// For messages: never with a password.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The same for libpq, with what canopy needs beside it: whatever the network does, an error
  /// comes after seconds. No statement takes longer than this. Holds the password.
  [[nodiscard]] std::string connection(std::chrono::milliseconds longest_statement) const;

 private:
  std::string name_;
  std::string given_;    // all parameters but `options`, as the query of an address
  std::string options_;  // for the server
};

}  // namespace canopy
