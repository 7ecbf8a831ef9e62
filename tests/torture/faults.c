// A library that is preloaded into servers and simulates a full or slow disk and a wrong wall clock.
//
// The file named by CANOPY_FAULTS has three 64-bit numbers, which another process may change at any time:
// the offset of the wall clock in seconds; the delay of each fsync in microseconds; the number of bytes
// that still fit on the disk (negative: no limit). The limit applies to regular files only, and never to
// the standard streams.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

struct Faults {
  _Atomic int64_t clock_seconds;
  _Atomic int64_t sync_microseconds;
  _Atomic int64_t bytes_left;
};

static struct Faults none = {0, 0, -1};
static struct Faults* faults = &none;

__attribute__((constructor)) static void begin(void) {
  const char* path = getenv("CANOPY_FAULTS");
  if (!path) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* memory = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) faults = memory;
  close(file);
}

#define REAL(type, name, ...)                  \
  static type (*real)(__VA_ARGS__) = NULL;     \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

int clock_gettime(clockid_t clock, struct timespec* time) {
  REAL(int, "clock_gettime", clockid_t, struct timespec*);
  const int result = real(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += faults->clock_seconds;
  return result;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  REAL(int, "gettimeofday", struct timeval*, void*);
  const int result = real(time, zone);
  if (result == 0) time->tv_sec += faults->clock_seconds;
  return result;
}

time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

static void wait_for_disk(void) {
  const int64_t microseconds = faults->sync_microseconds;
  if (microseconds > 0) usleep((useconds_t)microseconds);
}

int fsync(int file) {
  REAL(int, "fsync", int);
  wait_for_disk();
  return real(file);
}

int fdatasync(int file) {
  REAL(int, "fdatasync", int);
  wait_for_disk();
  return real(file);
}

// Returns how many bytes of a write fit on the disk: all, some (a short write), or -1 with ENOSPC.
static ssize_t fitting(int file, size_t size) {
  if (faults->bytes_left < 0 || file <= 2 || size == 0) return (ssize_t)size;
  struct stat about;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return (ssize_t)size;
  const int64_t left = faults->bytes_left;
  if (left < 0) return (ssize_t)size;
  const ssize_t taken = (int64_t)size < left ? (ssize_t)size : (ssize_t)left;
  if (taken == 0) {
    errno = ENOSPC;
    return -1;
  }
  int64_t expected = left;
  __atomic_compare_exchange_n((int64_t*)&faults->bytes_left, &expected, left - taken, 0,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return taken;
}

ssize_t write(int file, const void* data, size_t size) {
  REAL(ssize_t, "write", int, const void*, size_t);
  const ssize_t taken = fitting(file, size);
  return taken < 0 ? -1 : real(file, data, (size_t)taken);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  REAL(ssize_t, "pwrite64", int, const void*, size_t, off64_t);
  const ssize_t taken = fitting(file, size);
  return taken < 0 ? -1 : real(file, data, (size_t)taken, at);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  return pwrite64(file, data, size, at);
}
