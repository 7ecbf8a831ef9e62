#include "stores/file_lock.hpp"

#include "canopy/store.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <pthread.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace canopy {
namespace {

/// Returns the same path for all paths by which a store can be opened.
std::string lock_path(const std::string& store_path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(store_path, error);
  return (error ? store_path : real.string()) + "-lock";
}

struct flock on_byte(std::int64_t byte, short kind) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

}  // namespace

/// All lock files that are open in this process. A child closes them after a fork, because it would
/// otherwise share the locks and keep them after its parent has ended.
class LockFile::OpenFiles {
 public:
  static OpenFiles& all() {
    // Never destroyed, since static objects may use it at exit.
    static auto* const files = new OpenFiles;
    return *files;
  }

  void add(LockFile* file) {
    const std::lock_guard lock(mutex_);
    files_.insert(file);
  }
  void remove(LockFile* file) {
    const std::lock_guard lock(mutex_);
    files_.erase(file);
  }

 private:
  OpenFiles() {
    (void)pthread_atfork([] { all().mutex_.lock(); }, [] { all().mutex_.unlock(); },
                         [] { all().begin_fork(); });
  }

  void begin_fork() {
    for (LockFile* file : files_) {
      close(file->file_);
      file->file_ = -1;
    }
    files_.clear();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::set<LockFile*> files_;
};

LockFile::LockFile(std::string store_path) : store_path_(std::move(store_path)) {}

LockFile::~LockFile() {
  OpenFiles::all().remove(this);
  if (file_ >= 0) close(file_);
}

void LockFile::open() {
  const std::string path = lock_path(store_path_);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ >= 0) {
    OpenFiles::all().add(this);
    return;
  }
  const auto fault = errno == EROFS || errno == EACCES ? StoreError::Fault::read_only
                                                       : StoreError::Fault::unreachable;
  throw StoreError(fault, store_path_ + ": cannot be written: " + path + ": " +
                              std::generic_category().message(errno));
}

std::unique_ptr<LockFile::Lock> LockFile::try_take(std::int64_t byte) {
  const std::lock_guard lock(mutex_);
  if (taken_.contains(byte)) return nullptr;
  if (file_ < 0) open();
  struct flock wanted = on_byte(byte, F_WRLCK);
  if (fcntl(file_, F_OFD_SETLK, &wanted) == 0) {
    taken_.insert(byte);
    return std::make_unique<Lock>(shared_from_this(), byte);
  }
  if (errno == EAGAIN || errno == EACCES) return nullptr;
  throw StoreError(StoreError::Fault::other, lock_path(store_path_) + ": cannot be locked: " +
                                                 std::generic_category().message(errno));
}

bool LockFile::is_taken(std::int64_t byte) const {
  // A separate descriptor, so that locks of this process are detected, too.
  const int file = ::open(lock_path(store_path_).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct flock wanted = on_byte(byte, F_WRLCK);
  const bool is_taken = fcntl(file, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
  close(file);
  return is_taken;
}

void LockFile::release(std::int64_t byte) {
  const std::lock_guard lock(mutex_);
  struct flock free = on_byte(byte, F_UNLCK);
  fcntl(file_, F_OFD_SETLK, &free);  // explicit, because children may have inherited the descriptor
  taken_.erase(byte);
}

LockFile::Lock::Lock(std::shared_ptr<LockFile> file, std::int64_t byte)
    : file_(std::move(file)), byte_(byte), owner_(getpid()) {}

LockFile::Lock::~Lock() {
  if (owner_ == getpid()) file_->release(byte_);
}

}  // namespace canopy
