#include "files/read_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace canopy {

std::string read_file(const std::string& path) {
  const auto unreadable = [&](const std::string& why) {
    return SpecificationError(path + ": cannot be read: " + why);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw unreadable("it is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable(std::generic_category().message(errno));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw unreadable(std::generic_category().message(errno));
  return text;
}

}  // namespace canopy
