#include "stores/read_only.hpp"

#include <cctype>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace canopy {
namespace {

bool is_writable(const std::filesystem::path& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char letter : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '/';
    uri += plain ? std::string(1, letter) : fmt::format("%{:02X}", letter & 0xFF);
  }
  return uri;
}

}  // namespace

std::optional<ReadOnly> read_only(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error || (is_writable(real) && is_writable(real.parent_path()))) return std::nullopt;
  const std::string uri = uri_of(real.string());
  // Data that was not checkpointed yet is only in the write-ahead log.
  const auto log = std::filesystem::file_size(real.string() + "-wal", error);
  if (error || log == 0) return ReadOnly{uri + "?immutable=1", false};
  if (std::filesystem::exists(real.string() + "-shm", error)) return ReadOnly{uri, false};
  return ReadOnly{uri + "?vfs=unix-none", true};
}

}  // namespace canopy
