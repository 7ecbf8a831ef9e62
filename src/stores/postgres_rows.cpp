#include "stores/postgres_rows.hpp"

#include "core/text.hpp"
#include "stores/postgres_error.hpp"

#include <string_view>

namespace canopy {

template <class Number>
Number PostgresRows::number(int row, int column) const {
  const std::string_view value = libpq().getvalue(result_.get(), row, column);
  if (const auto number = number_in<Number>(value)) return *number;
  throw postgres_error(StoreError::Fault::damaged, *store_,
                       "a table has a column of an unexpected type");
}

std::int64_t PostgresRows::integer(int row, int column) const {
  return number<std::int64_t>(row, column);
}

double PostgresRows::real(int row, int column) const {
  return number<double>(row, column);
}

std::string PostgresRows::text(int row, int column) const {
  const auto bytes = static_cast<std::size_t>(libpq().getlength(result_.get(), row, column));
  return {libpq().getvalue(result_.get(), row, column), bytes};
}

}  // namespace canopy
