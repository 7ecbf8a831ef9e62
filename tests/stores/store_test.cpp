// Tests that every store has to pass, for all stores of this room and of the tests.

#include "canopy/stores.hpp"

#include "stores/memory_store.hpp"
#include "support/faulty_store.hpp"
#include "support/postgres_server.hpp"
#include "support/store_suite.hpp"
#include "support/temporary_folder.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace canopy::testing {
namespace {

Opener<FullStore> in_a_file() {
  return [folder = std::make_shared<TemporaryFolder>()] {
    return open_store(folder->path("a \"store\".db"), Store::Mode::create);
  };
}

Opener<FullStore> in_a_database() {
  return [address = PostgresServer::shared().new_database()] {
    return open_store(address, Store::Mode::create);
  };
}

Opener<FullStore> in_memory() {
  return [studies = std::make_shared<MemoryStudies>()] {
    return std::make_unique<MemoryStore>(studies);
  };
}

Opener<FullStore> without_faults() {
  return [open = in_memory()] {
    return std::make_unique<FaultyStore>(open(), [](std::string_view /*operation*/) {});
  };
}

template <class AnyStore>
std::vector<Implementation<AnyStore>> implementations() {
  return {{"Sqlite", in_a_file},
          {"Postgres", in_a_database, PostgresServer::is_installed()},
          {"Memory", in_memory},
          {"Faulty", without_faults}};
}

INSTANTIATE_TEST_SUITE_P(Every, StoreTest, ::testing::ValuesIn(implementations<Store>()),
                         name_of_implementation);
INSTANTIATE_TEST_SUITE_P(Every, FullStoreTest, ::testing::ValuesIn(implementations<FullStore>()),
                         name_of_full_implementation);

}  // namespace
}  // namespace canopy::testing
