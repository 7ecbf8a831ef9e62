#include "systems/find_program.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace canopy {
namespace {

bool can_be_run(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> find_program(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    return can_be_run(word) ? std::optional(word) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = (folder.empty() ? "." : folder) + "/" + word;
    if (can_be_run(file)) return file;
  }
  return std::nullopt;
}

}  // namespace canopy
