#pragma once

#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace canopy::testing {

/// Reads or changes a store without canopy. Returns the values of the first column.
inline std::vector<std::string> execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  std::vector<std::string> values;
  const auto take = [](void* into, int columns, char** texts, char** /*names*/) {
    if (columns > 0) {
      static_cast<std::vector<std::string>*>(into)->emplace_back(texts[0] != nullptr ? texts[0]
                                                                                     : "");
    }
    return 0;
  };
  int result = sqlite3_open(path.c_str(), &database);
  if (result == SQLITE_OK) {
    result = sqlite3_exec(database, sql.c_str(), take, &values, nullptr);
  }
  const std::string complaint = sqlite3_errmsg(database);
  sqlite3_close(database);
  if (result != SQLITE_OK) throw std::runtime_error(path + ": " + complaint);
  return values;
}

}  // namespace canopy::testing
