#pragma once

#include "stores/libpq.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace canopy {

/// The rows returned by a statement. Throws StoreError (damaged) if a numeric column does not
/// contain a number.
class PostgresRows {
 public:
  /// `store` is used in messages and must outlive this object.
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
