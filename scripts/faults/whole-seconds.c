// whole-seconds: preloaded (LD_PRELOAD), it makes every time stamp that stat reports a whole second, as ext4 with 128-byte inodes, old NFS,
// sshfs and HFS+ do. The file system itself keeps what it has.
//
// WHOLE_SECONDS_FROM=S and WHOLE_SECONDS_SLOWER=F slow the clock of the whole tree down from second S on: F seconds become one. Then everything
// that a test does fits into one second, however busy the machine is. Timers and sleeps are not slowed.
//
// Node asks by syscall(SYS_statx), git by stat64 and its like; both ask for the time by clock_gettime, gettimeofday and time.
#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static long long from_ns, slower = 1;

__attribute__((constructor)) static void read_settings(void) {
  const char *from = getenv("WHOLE_SECONDS_FROM"), *factor = getenv("WHOLE_SECONDS_SLOWER");
  if (!from || !factor) return;
  from_ns = atoll(from) * 1000000000LL;
  slower = atoll(factor) > 1 ? atoll(factor) : 1;
}

static long long slowed(long long ns) { return ns <= from_ns ? ns : from_ns + (ns - from_ns) / slower; }
static long long real(long long ns) { return ns <= from_ns ? ns : from_ns + (ns - from_ns) * slower; }
static long long ns_of(struct timespec t) { return t.tv_sec * 1000000000LL + t.tv_nsec; }
static struct timespec spec_of(long long ns) { return (struct timespec){ns / 1000000000LL, ns % 1000000000LL}; }

// ---------------------------------------------------------------------------------------------- what stat says

static void whole(struct timespec *t) { *t = (struct timespec){slowed(ns_of(*t)) / 1000000000LL, 0}; }

static int whole_stat(int result, struct stat *s) {
  if (result == 0) { whole(&s->st_atim); whole(&s->st_mtim); whole(&s->st_ctim); }
  return result;
}

static int whole_stat64(int result, struct stat64 *s) {
  if (result == 0) { whole(&s->st_atim); whole(&s->st_mtim); whole(&s->st_ctim); }
  return result;
}

static void whole_statx(struct statx_timestamp *t) {
  t->tv_sec = slowed(t->tv_sec * 1000000000LL + t->tv_nsec) / 1000000000LL;
  t->tv_nsec = 0;
}

static long whole_all(long result, struct statx *s) {
  if (result == 0 && s) {
    whole_statx(&s->stx_atime); whole_statx(&s->stx_btime); whole_statx(&s->stx_ctime); whole_statx(&s->stx_mtime);
  }
  return result;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int stat(const char *path, struct stat *s) { return whole_stat(NEXT(stat)(path, s), s); }
int lstat(const char *path, struct stat *s) { return whole_stat(NEXT(lstat)(path, s), s); }
int fstat(int fd, struct stat *s) { return whole_stat(NEXT(fstat)(fd, s), s); }
int fstatat(int dir, const char *path, struct stat *s, int flags) { return whole_stat(NEXT(fstatat)(dir, path, s, flags), s); }
int stat64(const char *path, struct stat64 *s) { return whole_stat64(NEXT(stat64)(path, s), s); }
int lstat64(const char *path, struct stat64 *s) { return whole_stat64(NEXT(lstat64)(path, s), s); }
int fstat64(int fd, struct stat64 *s) { return whole_stat64(NEXT(fstat64)(fd, s), s); }
int fstatat64(int dir, const char *path, struct stat64 *s, int flags) { return whole_stat64(NEXT(fstatat64)(dir, path, s, flags), s); }
int statx(int dir, const char *restrict path, int flags, unsigned mask, struct statx *restrict s) {
  return (int)whole_all(NEXT(statx)(dir, path, flags, mask, s), s);
}

// Programs that were linked with a glibc before 2.33.
int __xstat(int version, const char *path, struct stat *s) { (void)version; return stat(path, s); }
int __lxstat(int version, const char *path, struct stat *s) { (void)version; return lstat(path, s); }
int __fxstat(int version, int fd, struct stat *s) { (void)version; return fstat(fd, s); }
int __xstat64(int version, const char *path, struct stat64 *s) { (void)version; return stat64(path, s); }
int __lxstat64(int version, const char *path, struct stat64 *s) { (void)version; return lstat64(path, s); }
int __fxstat64(int version, int fd, struct stat64 *s) { (void)version; return fstat64(fd, s); }

long syscall(long number, ...) {
  static long (*next)(long, ...);
  if (!next) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  long result = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return number == SYS_statx ? whole_all(result, (struct statx *)a[4]) : result;
}

// ---------------------------------------------------------------------------------------------- what time it is

int clock_gettime(clockid_t clock, struct timespec *t) {
  static int (*next)(clockid_t, struct timespec *);
  if (!next) next = NEXT(clock_gettime);
  int result = next(clock, t);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) *t = spec_of(slowed(ns_of(*t)));
  return result;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *t) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}

// ---------------------------------------------------------------------------------------------- times that are set

static const struct timespec *as_real(const struct timespec given[2], struct timespec changed[2]) {
  if (!given) return NULL;
  for (int i = 0; i < 2; i++)
    changed[i] = given[i].tv_nsec == UTIME_NOW || given[i].tv_nsec == UTIME_OMIT ? given[i] : spec_of(real(ns_of(given[i])));
  return changed;
}

int utimensat(int dir, const char *path, const struct timespec times[2], int flags) {
  struct timespec changed[2];
  return NEXT(utimensat)(dir, path, as_real(times, changed), flags);
}

int futimens(int fd, const struct timespec times[2]) {
  struct timespec changed[2];
  return NEXT(futimens)(fd, as_real(times, changed));
}

int utime(const char *path, const struct utimbuf *times) {
  if (!times) return utimensat(AT_FDCWD, path, NULL, 0);
  const struct timespec both[2] = {{times->actime, 0}, {times->modtime, 0}};
  return utimensat(AT_FDCWD, path, both, 0);
}
