#include "stores/file_lock.hpp"

#include "canopy/store.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace canopy {
namespace {

/// The same for every name of the same store.
std::string lock_path(const std::string& store_path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(store_path, error);
  return (error ? store_path : real.string()) + "-lock";
}

struct flock lock_on(std::int64_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

void unlock_all(int file) {
  struct flock everything {};
  everything.l_type = F_UNLCK;
  everything.l_whence = SEEK_SET;
  fcntl(file, F_OFD_SETLK, &everything);
}

}  // namespace

std::optional<FileLock> FileLock::try_take(const std::string& store_path, std::int64_t byte) {
  const std::string path = lock_path(store_path);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    const auto fault = errno == EROFS || errno == EACCES ? StoreError::Fault::read_only
                                                         : StoreError::Fault::unreachable;
    throw StoreError(fault, store_path + ": cannot be written: " + path + ": " +
                                std::generic_category().message(errno));
  }
  FileLock taken(file);
  struct flock lock = lock_on(byte);
  if (fcntl(file, F_OFD_SETLK, &lock) == 0) return taken;
  if (errno == EAGAIN || errno == EACCES) return std::nullopt;
  throw StoreError(StoreError::Fault::other,
                   path + ": cannot be locked: " + std::generic_category().message(errno));
}

bool FileLock::is_taken(const std::string& store_path, std::int64_t byte) {
  const int file = open(lock_path(store_path).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const FileLock closed_at_the_end(file);
  struct flock lock = lock_on(byte);
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

FileLock::FileLock(int file) : file_(file), owner_(getpid()) {}

FileLock::FileLock(FileLock&& other) noexcept
    : file_(std::exchange(other.file_, -1)), owner_(other.owner_) {}

FileLock::~FileLock() {
  if (file_ < 0) return;
  if (owner_ == getpid()) unlock_all(file_);  // although children may still have the file
  close(file_);
}

}  // namespace canopy
