#pragma once

#include "stores/libpq.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace canopy {

/// The rows that a statement of PostgreSQL returned. A value that is no number where one is asked
/// for is damage: throws StoreError.
class PostgresRows {
 public:
  /// `store` is for messages, and outlives this.
  PostgresRows(PGresult* result, const std::string& store) : result_(result), store_(&store) {}

  [[nodiscard]] PGresult* result() const { return result_.get(); }
  [[nodiscard]] int size() const { return libpq().ntuples(result_.get()); }
  [[nodiscard]] bool empty() const { return size() == 0; }

  [[nodiscard]] std::int64_t integer(int row, int column) const;
  [[nodiscard]] std::uint64_t count(int row, int column) const {
    return static_cast<std::uint64_t>(integer(row, column));
  }
  [[nodiscard]] double real(int row, int column) const;
  [[nodiscard]] std::string text(int row, int column) const;

 private:
  struct Clear {
    void operator()(PGresult* result) const { libpq().clear(result); }
  };

  template <class Number>
  [[nodiscard]] Number number(int row, int column) const;

  std::unique_ptr<PGresult, Clear> result_;
  const std::string* store_;
};

}  // namespace canopy
