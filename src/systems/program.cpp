#include "systems/program.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

void check_words(const std::vector<std::string>& words, const Variables& environment) {
  const auto holds = [](const std::string& text, char letter) {
    return text.find(letter) != std::string::npos;
  };
  bool valid = !words.empty();
  for (const std::string& word : words) valid = valid && !holds(word, '\0');
  for (const auto& [name, value] : environment) {
    valid =
        valid && !name.empty() && !holds(name, '=') && !holds(name, '\0') && !holds(value, '\0');
  }
  if (!valid) throw std::system_error(EINVAL, std::generic_category());
}

}  // namespace

Program::Program(const std::vector<std::string>& words, const Variables& environment,
                 std::string folder)
    : folder_(std::move(folder)) {
  check_words(words, environment);
  for (const std::string& word : words) arguments_.push_back(const_cast<char*>(word.c_str()));
  arguments_.push_back(nullptr);
  merge(environment);
  find(words.front());
}

StartFailure Program::execute() const {
  if (!folder_.empty() && chdir(folder_.c_str()) != 0) {
    return {.error = errno, .lacks_folder = true};
  }
  StartFailure failure{.error = ENOENT};
  for (const std::string& path : paths_) {
    (void)execve(path.c_str(), arguments_.data(), variables_.data());
    const int error = errno;
    if (error == ENOENT && access(path.c_str(), F_OK) == 0) failure.file_is_there = true;
    if (is_absent(path, error)) continue;
    failure.error = error;
    if (error != EACCES) break;  // otherwise the search continues, as in execvp
  }
  return failure;
}

/// Whether the error means that the file is missing or, when searching PATH, in a folder without
/// access.
bool Program::is_absent(const std::string& path, int error) const {
  if (error == EACCES && paths_.size() > 1) return access(path.c_str(), F_OK) != 0;
  return error == ENOENT || error == ENOTDIR;
}

void Program::merge(const Variables& environment) {
  for (const auto& [name, value] : environment) {
    added_.push_back(fmt::format("{}={}", name, value));
  }
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(environment.begin(), environment.end(),
                                      [&](const auto& other) { return other.first == name; });
    if (!replaced) variables_.push_back(*variable);
  }
  for (std::string& text : added_) variables_.push_back(text.data());
  variables_.push_back(nullptr);
}

void Program::find(const std::string& name) {
  if (name.empty()) return;
  if (name.find('/') != std::string::npos) {
    paths_.push_back(name);
    return;
  }
  std::string_view folders = search_path();
  for (;;) {
    const std::size_t end = folders.find(':');
    const std::string folder(folders.substr(0, end));
    paths_.push_back((folder.empty() ? "." : folder) + "/" + name);
    if (end == std::string_view::npos) return;
    folders.remove_prefix(end + 1);
  }
}

std::string_view Program::search_path() const {
  for (const char* variable : variables_) {
    if (variable == nullptr) break;
    const std::string_view text = variable;
    if (text.starts_with("PATH=")) return text.substr(5);
  }
  return "/bin:/usr/bin";
}

}  // namespace canopy
