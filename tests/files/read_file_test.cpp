#include "files/read_file.hpp"

#include "support/temporary_folder.hpp"

#include <string>

#include <gtest/gtest.h>

namespace canopy {
namespace {

TEST(ReadFile, GivesEveryByte) {
  const testing::TemporaryFolder folder;
  const std::string bytes("a\0\r\n\xff", 5);
  folder.write("file", bytes);
  EXPECT_EQ(read_file(folder.path("file")), bytes);
}

TEST(ReadFile, SaysWhyAFileCannotBeRead) {
  const auto refusal = [](const std::string& path) -> std::string {
    try {
      return read_file(path);
    } catch (const SpecificationError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal("no/such/file"), "no/such/file: cannot be read: No such file or directory");
  EXPECT_EQ(refusal("/"), "/: cannot be read: it is a directory");
}

}  // namespace
}  // namespace canopy
