#include "systems/find_program.hpp"

#include "core/excerpt.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

namespace canopy {
namespace {

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

bool can_be_run(const std::string& file) {
  return is_file(file) && access(file.c_str(), X_OK) == 0;
}

/// For an unquoted path with spaces: the words that together form the path of a file.
std::string words_of_a_path(const std::string& word, const std::string& folder,
                            const std::string& rest) {
  std::string path = word;
  std::istringstream more(rest);
  for (std::string next; more >> next;) {
    path += " " + next;
    if (is_file(seen_from(folder, path))) return path;
  }
  return {};
}

}  // namespace

std::string seen_from(const std::string& folder, const std::string& path) {
  const std::filesystem::path given(path);
  if (folder.empty() || given.is_absolute()) return path;
  return (std::filesystem::path(folder) / given).lexically_normal().string();
}

std::optional<std::string> find_program(const std::string& word, const std::string& folder) {
  if (word.find('/') != std::string::npos) {
    const std::string file = seen_from(folder, word);
    return can_be_run(file) ? std::optional(file) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/bin:/usr/bin");
  for (std::string each; std::getline(folders, each, ':');) {
    std::string file = (each.empty() ? "." : each) + "/" + word;
    if (can_be_run(file)) return file;
  }
  return std::nullopt;
}

std::string no_program_text(const std::string& word, const std::string& folder,
                            const std::string& rest) {
  const std::string path = words_of_a_path(word, folder, rest);
  if (!path.empty()) {
    return fmt::format("there is no program {}; to run {}, quote it: \"'{}' ...\"", excerpt(word),
                       excerpt(path), excerpt(path));
  }
  const std::string file = seen_from(folder, word);
  const bool is_path = word.find('/') != std::string::npos;
  if (is_file(file)) {
    return is_path ? fmt::format("{} is not executable: chmod +x {}", excerpt(word), excerpt(file))
                   : fmt::format(
                         "there is no program {0} in PATH; for the file {0} in {1}, write "
                         "./{0}",
                         excerpt(word), folder.empty() ? "this folder" : excerpt(folder));
  }
  if (!is_path) return fmt::format("there is no program {} in PATH", excerpt(word));
  return folder.empty()
             ? "there is no program " + excerpt(word)
             : fmt::format("there is no program {} in {}", excerpt(word), excerpt(folder));
}

}  // namespace canopy
