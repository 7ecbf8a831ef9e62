#include "files/replace_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace canopy {
namespace {

/// Owns a file descriptor and closes it.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : number_(::open(path.c_str(), flags, 0666)) {}
  ~OpenFile() {
    if (number_ >= 0) (void)::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] bool is_open() const { return number_ >= 0; }

  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(number_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  [[nodiscard]] bool sync_to_disk() const { return ::fsync(number_) == 0; }

 private:
  int number_;
};

bool write_whole(const std::string& path, const std::string& text) {
  const OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
  return file.is_open() && file.write(text) && file.sync_to_disk();
}

}  // namespace

void replace_file(const std::string& path, const std::string& text) {
  const std::string unfinished = path + ".part";
  if (!write_whole(unfinished, text) || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    const int error = errno;
    (void)std::remove(unfinished.c_str());
    throw OutputError(path + ": cannot be written: " + std::generic_category().message(error));
  }
  // The new name is durable only once the folder is synced. A failure is ignored, because some file
  // systems do not support this.
  const std::string folder = std::filesystem::path(path).parent_path();
  const OpenFile names(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (names.is_open()) (void)names.sync_to_disk();
}

}  // namespace canopy
