#pragma once

#include <chrono>
#include <string>

namespace canopy {

/// The address of a PostgreSQL database, in any form that libpq accepts:
/// `postgresql://user@host/database`, `postgresql:///database?host=/a/folder`, and so on.
class PostgresAddress {
 public:
  /// Throws StoreError.
  explicit PostgresAddress(const std::string& address);

  /// The address without a password, for messages.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The address for libpq, including the password and canopy's connection parameters: these ensure
  /// that network failures are detected within seconds and that no statement takes longer than
  /// `longest_statement`.
  [[nodiscard]] std::string connection(std::chrono::milliseconds longest_statement) const;

 private:
  std::string name_;
  std::string given_;    // all parameters except `options`, as a URL query
  std::string options_;  // command-line options for the server
};

}  // namespace canopy
