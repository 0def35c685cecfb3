// killpoint: number every file-mutating system call that a command tree makes below one folder, and let
// something happen at the K-th of them.
//
//   killpoint --root DIR [--class C] [--fsync] [--log FILE] [--timeout S]
//             [--at K --do kill|kill-one|torn|errno|run|pause|signal|power-cut [--errno NAME] [--sticky] [--run CMD] [--signal NAME]
//              [--mount DIR] [--journal]]
//             -- COMMAND ARGS...
//
// How: a seccomp filter stops the tree (all processes and threads, children included) only at the calls of the
// table below, before they are carried out; ptrace looks at their arguments. A call is a point when one of the
// paths it works on is below --root, after `/proc/self/fd/N/name`, relative directory descriptors and symlinked
// parents have been followed. Points are numbered from 1 over the whole tree.
//
//   kill      the whole tree dies (SIGKILL) and the call is not carried out
//   kill-one  only the process that makes the call dies
//   torn      half of the bytes are written (any other call: it is carried out), then the whole tree dies
//   errno     the call is not carried out and fails; --sticky: so do all points after it
//   run       the caller is held while /bin/sh runs CMD outside the tracer, then goes on
//   pause     the same, and every other task of the tree is held meanwhile, as by SIGSTOP and SIGCONT
//   signal    every process of the tree gets the signal, as by Ctrl+C, and goes on
//   power-cut the file system at --mount loses everything that was not synced, and the whole tree dies; with --journal its
//             journal is committed just before, so that new names are there and their content may not be. A K beyond the last
//             point cuts right after the command has ended.
//
// Classes: all (default: every mutating call), space (those that can need room on the disk), name (those that work
// by name), open (every open, reading ones too), read (calls that read). --fsync adds fsync to class all.
// The last line on stderr is `points=N`, the one before it `killpoint: fired=F status=exit:C|signal:S|killed|timeout call=NAME:PATH`.
// Exit code: that of the command, 128+N for a signal, 137 killed by us, 124 time-out, 125 the tracer itself failed.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(__linux__) || !defined(__x86_64__)
#error "killpoint knows the system calls of Linux on x86-64 only"
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

// ---------------------------------------------------------------------------------------------- the table of calls

enum { NONE = -1, CWD = -2 };                       // argument positions; CWD: the path has no directory descriptor
enum { SPACE = 1, NAME = 2, OPEN = 4, SYNC = 8, READ = 16 };
typedef struct {
  int nr;
  const char *name;
  signed char fd;                                   // the descriptor that the call changes
  signed char dir1, path1, dir2, path2;             // the names that it works on
  signed char length;                               // the byte count that a torn write halves
  int kind;
} Call;

#define ON_FD(n, fd, length, kind) {SYS_##n, #n, fd, NONE, NONE, NONE, NONE, length, kind}
#define ON_PATH(n, dir, path, kind) {SYS_##n, #n, NONE, dir, path, NONE, NONE, NONE, (kind) | NAME}
#define ON_TWO(n, dir1, path1, dir2, path2) {SYS_##n, #n, NONE, dir1, path1, dir2, path2, NONE, SPACE | NAME}

static const Call calls[] = {
  ON_FD(write, 0, 2, SPACE), ON_FD(pwrite64, 0, 2, SPACE), ON_FD(writev, 0, 2, SPACE),
  ON_FD(pwritev, 0, 2, SPACE), ON_FD(pwritev2, 0, 2, SPACE),
  ON_FD(sendfile, 0, 3, SPACE), ON_FD(copy_file_range, 2, 4, SPACE), ON_FD(splice, 2, 4, SPACE),
  ON_FD(ftruncate, 0, NONE, 0), ON_FD(fallocate, 0, NONE, SPACE), ON_FD(fchmod, 0, NONE, 0),
  ON_FD(fchown, 0, NONE, 0), ON_FD(fsetxattr, 0, NONE, SPACE), ON_FD(fremovexattr, 0, NONE, 0),
  ON_PATH(truncate, CWD, 0, 0), ON_PATH(chmod, CWD, 0, 0), ON_PATH(fchmodat, 0, 1, 0), ON_PATH(fchmodat2, 0, 1, 0),
  ON_PATH(chown, CWD, 0, 0), ON_PATH(lchown, CWD, 0, 0), ON_PATH(fchownat, 0, 1, 0),
  ON_PATH(utime, CWD, 0, 0), ON_PATH(utimes, CWD, 0, 0), ON_PATH(futimesat, 0, 1, 0), ON_PATH(utimensat, 0, 1, 0),
  ON_PATH(setxattr, CWD, 0, SPACE), ON_PATH(lsetxattr, CWD, 0, SPACE),
  ON_PATH(unlink, CWD, 0, 0), ON_PATH(unlinkat, 0, 1, 0), ON_PATH(rmdir, CWD, 0, 0),
  ON_PATH(mkdir, CWD, 0, SPACE), ON_PATH(mkdirat, 0, 1, SPACE),
  ON_PATH(mknod, CWD, 0, SPACE), ON_PATH(mknodat, 0, 1, SPACE),
  ON_PATH(symlink, CWD, 1, SPACE), ON_PATH(symlinkat, 1, 2, SPACE),
  ON_TWO(rename, CWD, 0, CWD, 1), ON_TWO(renameat, 0, 1, 2, 3), ON_TWO(renameat2, 0, 1, 2, 3),
  ON_TWO(link, CWD, 0, CWD, 1), ON_TWO(linkat, 0, 1, 2, 3),
  ON_PATH(creat, CWD, 0, SPACE | OPEN), ON_PATH(open, CWD, 0, SPACE | OPEN),
  ON_PATH(openat, 0, 1, SPACE | OPEN), ON_PATH(openat2, 0, 1, SPACE | OPEN),
  ON_FD(fsync, 0, NONE, SYNC), ON_FD(fdatasync, 0, NONE, SYNC), ON_FD(sync_file_range, 0, NONE, SYNC), ON_FD(syncfs, 0, NONE, SYNC),
  ON_FD(read, 0, NONE, READ), ON_FD(pread64, 0, NONE, READ), ON_FD(readv, 0, NONE, READ), ON_FD(preadv, 0, NONE, READ),
  ON_FD(getdents64, 0, NONE, READ), ON_PATH(readlink, CWD, 0, READ), ON_PATH(readlinkat, 0, 1, READ),
};
enum { CALLS = sizeof calls / sizeof *calls };

// An open changes something only when it may create, truncate or make an unnamed file.
#define CHANGING_OPEN (O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))

// ---------------------------------------------------------------------------------------------- options

typedef enum { ALL, ONLY_SPACE, ONLY_NAME, ONLY_OPEN, ONLY_READ } Class;
typedef enum { COUNT, KILL, KILL_ONE, TORN, ERRNO, RUN, PAUSE, SIGNAL, POWER_CUT } Action;
static const char *const class_names[] = {"all", "space", "name", "open", "read", NULL};
static const char *const action_names[] = {"count", "kill", "kill-one", "torn", "errno", "run", "pause", "signal", "power-cut", NULL};
static const struct { const char *name; int value; } errnos[] = {
  {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EACCES", EACCES}, {"EROFS", EROFS}, {"EMFILE", EMFILE}, {"EDQUOT", EDQUOT}, {"EPERM", EPERM}, {"EINTR", EINTR}};
static const struct { const char *name; int value; } signals[] = {{"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}, {"QUIT", SIGQUIT}};

static char root[PATH_MAX];
static size_t root_length;
static Class wanted_class = ALL;
static Action action = COUNT;
static int with_sync, sticky, journal, failing_errno = EIO, sent_signal = SIGINT;
static long target;
static unsigned timeout_s = 120;
static const char *held_command, *mount_point;
static FILE *log_file;

static void fail(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fputs("killpoint: ", stderr);
  vfprintf(stderr, format, rest);
  fputc('\n', stderr);
  va_end(rest);
  exit(125);
}

static int pick(const char *what, const char *word, const char *const *names) {
  for (int i = 0; names[i]; i++) if (!strcmp(word, names[i])) return i;
  fail("no such %s: %s", what, word);
  return 0;
}

static int parse_options(int argc, char **argv) {
  int i = 1;
  for (; i < argc; i++) {
    const char *option = argv[i];
    if (!strcmp(option, "--")) { i++; break; }
    if (!strcmp(option, "--fsync")) { with_sync = 1; continue; }
    if (!strcmp(option, "--sticky")) { sticky = 1; continue; }
    if (!strcmp(option, "--journal")) { journal = 1; continue; }
    if (i + 1 >= argc) fail("%s wants a value", option);
    const char *value = argv[++i];
    if (!strcmp(option, "--root")) { if (!realpath(value, root)) fail("--root %s: %s", value, strerror(errno)); }
    else if (!strcmp(option, "--log")) { if (!(log_file = fopen(value, "we"))) fail("--log %s: %s", value, strerror(errno)); }
    else if (!strcmp(option, "--class")) wanted_class = pick("class", value, class_names);
    else if (!strcmp(option, "--do")) action = pick("action", value, action_names);
    else if (!strcmp(option, "--at")) target = atol(value);
    else if (!strcmp(option, "--timeout")) timeout_s = (unsigned)atol(value);
    else if (!strcmp(option, "--run")) held_command = value;
    else if (!strcmp(option, "--mount")) mount_point = value;
    else if (!strcmp(option, "--errno")) {
      failing_errno = 0;
      for (size_t n = 0; n < sizeof errnos / sizeof *errnos; n++) if (!strcmp(errnos[n].name, value)) failing_errno = errnos[n].value;
      if (!failing_errno) fail("no such errno: %s", value);
    } else if (!strcmp(option, "--signal")) {
      sent_signal = 0;
      for (size_t n = 0; n < sizeof signals / sizeof *signals; n++) if (!strcmp(signals[n].name, value)) sent_signal = signals[n].value;
      if (!sent_signal) fail("no such signal: %s", value);
    } else fail("no such option: %s", option);
  }
  if (!root[0]) fail("--root is missing");
  if (i >= argc) fail("no command");
  if (action != COUNT && target < 1) fail("--do %s wants --at K", action_names[action]);
  if ((action == RUN || action == PAUSE) && !held_command) fail("--do %s wants --run CMD", action_names[action]);
  if (action == POWER_CUT && !mount_point) fail("--do power-cut wants --mount DIR");
  root_length = strcmp(root, "/") ? strlen(root) : 0;
  return i;
}

// ---------------------------------------------------------------------------------------------- which calls stop

static int in_class(const Call *call) {
  switch (wanted_class) {
    case ONLY_READ: return call->kind & READ;
    case ONLY_OPEN: return call->kind & OPEN;
    case ONLY_SPACE: return (call->kind & SPACE) != 0;
    case ONLY_NAME: return (call->kind & NAME) && !(call->kind & READ);
    default: return !(call->kind & READ) && (with_sync || !(call->kind & SYNC));
  }
}

static int open_flags_argument(int nr) { return nr == SYS_open ? 1 : nr == SYS_openat ? 2 : NONE; }

static void install_filter(void) {
  struct sock_filter code[CALLS * 5 + 8];
  unsigned n = 0;
#define EMIT(...) code[n++] = (struct sock_filter)__VA_ARGS__
  EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
  EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
  // Requests that go through a ring are no system calls: without it libuv falls back to ordinary ones.
  EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1));
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
  for (int c = 0; c < CALLS; c++) {
    if (!in_class(&calls[c])) continue;
    int flags = open_flags_argument(calls[c].nr);
    if (flags != NONE && wanted_class != ONLY_OPEN) {
      EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[c].nr, 0, 4));
      EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (unsigned)flags));
      EMIT(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CHANGING_OPEN, 0, 1));
      EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
      EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    } else {
      EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[c].nr, 0, 1));
      EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    }
  }
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef EMIT
  struct sock_fprog program = {(unsigned short)n, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    fail("seccomp filters are not permitted here: %s", strerror(errno));
}

// ---------------------------------------------------------------------------------------------- the tree

static pid_t *tasks;
static size_t task_count, task_room;

static void remember(pid_t task) {
  for (size_t i = 0; i < task_count; i++) if (tasks[i] == task) return;
  if (task_count == task_room) {
    task_room = task_room ? task_room * 2 : 64;
    if (!(tasks = realloc(tasks, task_room * sizeof *tasks))) fail("out of memory");
  }
  tasks[task_count++] = task;
}

static void forget(pid_t task) {
  for (size_t i = 0; i < task_count; i++) if (tasks[i] == task) { tasks[i] = tasks[--task_count]; return; }
}

static pid_t process_of(pid_t task) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", task);
  FILE *status = fopen(path, "re");
  int process = task;
  while (status && fgets(line, sizeof line, status)) if (sscanf(line, "Tgid: %d", &process) == 1) break;
  if (status) fclose(status);
  return process;
}

static void signal_tree(int signal) {
  for (size_t i = 0; i < task_count; i++)
    if (signal == SIGKILL || process_of(tasks[i]) == tasks[i]) kill(tasks[i], signal);
}

// ---------------------------------------------------------------------------------------------- which paths count

static int read_string(pid_t task, unsigned long address, char *out, size_t room) {
  size_t done = 0;
  while (done < room) {
    size_t step = 4096 - (address + done) % 4096;   // never read over the end of a page that may be the last
    if (step > room - done) step = room - done;
    struct iovec here = {out + done, step}, there = {(void *)(address + done), step};
    ssize_t got = process_vm_readv(task, &here, 1, &there, 1, 0);
    if (got <= 0) return 0;
    if (memchr(out + done, 0, (size_t)got)) return 1;
    done += (size_t)got;
  }
  return 0;
}

static int link_target(char *out, const char *format, ...) {
  char link[PATH_MAX];
  va_list rest;
  va_start(rest, format);
  vsnprintf(link, sizeof link, format, rest);
  va_end(rest);
  ssize_t length = readlink(link, out, PATH_MAX - 1);
  out[length > 0 ? length : 0] = 0;
  return length > 0;
}

static int descriptor_path(pid_t task, int fd, char *out) {
  return fd == AT_FDCWD ? link_target(out, "/proc/%d/cwd", task) : link_target(out, "/proc/%d/fd/%d", task, fd);
}

// `/proc/self/...` means the tracee, so it is replaced before this process looks at the path. Returns the rest of the
// path behind `/proc/WHO/fd/N`, `/proc/WHO/cwd` or `/dev/fd/N`, and in `out` what that link points at.
static const char *proc_prefix(pid_t task, const char *path, char *out) {
  pid_t owner = task;
  const char *at = path;
  if (!strncmp(at, "/dev/fd/", 8)) at += 5;
  else {
    if (strncmp(at, "/proc/", 6)) return NULL;
    at += 6;
    if (!strncmp(at, "self/", 5)) { at += 5; owner = process_of(task); }
    else if (!strncmp(at, "thread-self/", 12)) at += 12;
    else if (isdigit((unsigned char)*at)) {
      owner = (pid_t)strtol(at, (char **)&at, 10);
      if (*at++ != '/') return NULL;
    } else return NULL;
    if (!strncmp(at, "task/", 5)) {
      owner = (pid_t)strtol(at + 5, (char **)&at, 10);
      if (*at++ != '/') return NULL;
    }
  }
  if (!strncmp(at, "cwd", 3) && (at[3] == '/' || !at[3])) return link_target(out, "/proc/%d/cwd", owner) ? at + 3 : NULL;
  if (strncmp(at, "fd/", 3) || !isdigit((unsigned char)at[3])) return NULL;
  long fd = strtol(at + 3, (char **)&at, 10);
  if (*at && *at != '/') return NULL;
  return link_target(out, "/proc/%d/fd/%ld", owner, fd) ? at : NULL;
}

static void named_path(pid_t task, int dir, unsigned long address, char *out) {
  char given[PATH_MAX], base[PATH_MAX], parent[PATH_MAX];
  out[0] = 0;
  if (!read_string(task, address, given, sizeof given)) return;
  if (given[0] != '/') {
    if (!descriptor_path(task, dir, base)) return;
    if (snprintf(out, PATH_MAX, "%s%s%s", base, given[0] ? "/" : "", given) >= PATH_MAX) { out[0] = 0; return; }
  } else {
    const char *rest = proc_prefix(task, given, base);
    if (rest) { if (snprintf(out, PATH_MAX, "%s%s", base, rest) >= PATH_MAX) { out[0] = 0; return; } }
    else strcpy(out, given);
  }
  // Follow the parents, never the last name: that is what the call works on.
  size_t length = strlen(out);
  while (length > 1 && out[length - 1] == '/') out[--length] = 0;
  char *slash = strrchr(out, '/');
  if (!slash || !slash[1]) return;
  if (!strcmp(slash, "/.") || !strcmp(slash, "/..")) { if (realpath(out, parent)) strcpy(out, parent); return; }
  char name[NAME_MAX + 1];
  if (strlen(slash + 1) > NAME_MAX) return;
  strcpy(name, slash + 1);
  *slash = 0;
  int known = realpath(out[0] ? out : "/", parent) != NULL;
  *slash = '/';
  if (known && strlen(parent) + strlen(name) + 2 < PATH_MAX) {
    strcpy(out, strcmp(parent, "/") ? parent : "");
    strcat(strcat(out, "/"), name);
  }
}

static int below_root(const char *path) {
  return path[0] == '/' && !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

// openat2 hides its flags in memory, where a filter cannot look.
static int changes_by_flags(pid_t task, const Call *call, const unsigned long *args) {
  if (call->nr != SYS_openat2 || wanted_class == ONLY_OPEN) return 1;
  unsigned long flags = 0;
  struct iovec here = {&flags, sizeof flags}, there = {(void *)args[2], sizeof flags};
  return process_vm_readv(task, &here, 1, &there, 1, 0) != sizeof flags || (flags & CHANGING_OPEN);
}

static int is_point(pid_t task, const Call *call, const unsigned long *args, char *first, char *second) {
  first[0] = second[0] = 0;
  if (!changes_by_flags(task, call, args)) return 0;
  if (call->fd != NONE) descriptor_path(task, (int)args[(int)call->fd], first);
  // utimensat(fd, NULL, …) works on the descriptor itself.
  else if (!args[(int)call->path1] && call->dir1 != CWD) descriptor_path(task, (int)args[(int)call->dir1], first);
  else named_path(task, call->dir1 == CWD ? AT_FDCWD : (int)args[(int)call->dir1], args[(int)call->path1], first);
  if (call->path2 != NONE) named_path(task, call->dir2 == CWD ? AT_FDCWD : (int)args[(int)call->dir2], args[(int)call->path2], second);
  return below_root(first) || below_root(second);
}

// ---------------------------------------------------------------------------------------------- what happens at a point

static long points;
static int fired, killed, timed_out;
static pid_t torn_task;
static char fired_call[2 * PATH_MAX + 64];

static void print_path(FILE *out, const char *path) {
  for (; *path; path++) {
    unsigned char c = (unsigned char)*path;
    if (c < 32 || c == 127 || c == '\\') fprintf(out, "\\%03o", c); else fputc(c, out);
  }
}

static void log_point(pid_t task, const Call *call, const char *first, const char *second) {
  char path[64], name[64] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", task);
  FILE *comm = fopen(path, "re");
  if (comm) { if (fgets(name, sizeof name, comm)) name[strcspn(name, "\n")] = 0; fclose(comm); }
  fprintf(log_file, "%ld\t%d\t%s\t%s\t", points, task, name, call->name);
  print_path(log_file, first);
  if (second[0]) { fputs(" -> ", log_file); print_path(log_file, second); }
  fputc('\n', log_file);
  fflush(log_file);
}

static void kill_tree(void) {
  killed = 1;
  signal_tree(SIGKILL);
}

// The tracee is held in its call all the while; nothing it holds (locks, descriptors) is let go.
static void run_held_command(void) {
  pid_t shell = fork();
  if (shell < 0) fail("fork: %s", strerror(errno));
  if (!shell) {
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) dup2(null, 0);
    dup2(2, 1);                                     // stdout belongs to the traced command
    execl("/bin/sh", "sh", "-c", held_command, (char *)NULL);
    _exit(127);
  }
  int status;
  while (waitpid(shell, &status, 0) < 0 && errno == EINTR && !timed_out) {}
  if (timed_out) kill(shell, SIGKILL);
}

static char state_of(pid_t task) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%d/stat", task);
  FILE *stat = fopen(path, "re");
  if (!stat) return 'X';
  char *name_end = fgets(line, sizeof line, stat) ? strrchr(line, ')') : NULL;
  fclose(stat);
  return name_end && name_end[1] ? name_end[2] : 'X';
}

// A task that is interrupted stays where it is until the tracer has read its stop and lets it go on. One that waits for a
// child of vfork (D) cannot stop, and goes nowhere either.
static void hold_others(pid_t caller) {
  for (size_t i = 0; i < task_count; i++) if (tasks[i] != caller) ptrace(PTRACE_INTERRUPT, tasks[i], 0, 0);
  for (size_t i = 0; i < task_count; i++)
    while (tasks[i] != caller && !timed_out && !strchr("tTZXD", state_of(tasks[i]))) usleep(500);
}

// FS_IOC_SHUTDOWN of the kernel's fs/ext4: no header that programs may include has it.
#define SHUTDOWN _IOR('X', 125, uint32_t)
enum { NO_LOG_FLUSH = 2 };

static void cut_power(void) {
  if (journal) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/.committed", mount_point);
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0 || write(file, "x", 1) != 1 || fsync(file)) fail("%s: %s", path, strerror(errno));
    close(file);
  }
  uint32_t how = NO_LOG_FLUSH;
  int file = open(mount_point, O_RDONLY | O_CLOEXEC);
  if (file < 0 || ioctl(file, SHUTDOWN, &how)) fail("--mount %s: %s", mount_point, strerror(errno));
  close(file);
}

static void set_registers(pid_t task, const struct user_regs_struct *registers) {
  if (ptrace(PTRACE_SETREGS, task, 0, registers)) fail("PTRACE_SETREGS: %s", strerror(errno));
}

static unsigned long long *argument(struct user_regs_struct *r, int position) {
  unsigned long long *const arguments[] = {&r->rdi, &r->rsi, &r->rdx, &r->r10, &r->r8, &r->r9};
  return arguments[position];
}

// Halves what a write hands over. A vector of one buffer is left whole: it is then carried out and the tree dies after it.
static void halve(pid_t task, const Call *call, struct user_regs_struct *registers) {
  if (call->length == NONE) return;
  unsigned long long *length = argument(registers, call->length);
  if (*length > 1) { *length /= 2; set_registers(task, registers); }
}

// Returns how to let the task go on: PTRACE_CONT, PTRACE_SYSCALL (stop again when the call is done), or 0 (it was killed).
static int act(pid_t task, const Call *call) {
  struct user_regs_struct registers;
  switch (action) {
    case KILL: kill_tree(); return 0;
    case KILL_ONE: kill(process_of(task), SIGKILL); return 0;
    case SIGNAL: signal_tree(sent_signal); return PTRACE_CONT;
    case PAUSE: hold_others(task); run_held_command(); return PTRACE_CONT;
    case RUN: run_held_command(); return PTRACE_CONT;
    case POWER_CUT: cut_power(); kill_tree(); return 0;
    case TORN:
      if (ptrace(PTRACE_GETREGS, task, 0, &registers)) return PTRACE_CONT;
      halve(task, call, &registers);
      torn_task = task;
      return PTRACE_SYSCALL;
    case ERRNO:
      if (ptrace(PTRACE_GETREGS, task, 0, &registers)) return PTRACE_CONT;
      registers.orig_rax = (unsigned long long)-1;
      registers.rax = (unsigned long long)(long long)-failing_errno;
      set_registers(task, &registers);
      return PTRACE_CONT;
    default: return PTRACE_CONT;
  }
}

static int at_call(pid_t task) {
  struct __ptrace_syscall_info info;
  char first[PATH_MAX], second[PATH_MAX];
  if (ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof info, &info) <= 0) return PTRACE_CONT;
  const Call *call = NULL;
  for (int c = 0; c < CALLS && !call; c++) if (calls[c].nr == (int)info.seccomp.nr) call = &calls[c];
  unsigned long args[6];
  for (int a = 0; a < 6; a++) args[a] = info.seccomp.args[a];
  if (!call || !is_point(task, call, args, first, second)) return PTRACE_CONT;
  points++;
  if (log_file) log_point(task, call, first, second);
  if (action == COUNT || (sticky ? points < target : points != target)) return PTRACE_CONT;
  if (!fired++) snprintf(fired_call, sizeof fired_call, "%s:%s%s%s", call->name, first, second[0] ? "->" : "", second);
  return act(task, call);
}

// ---------------------------------------------------------------------------------------------- the tracer

static void on_alarm(int signal) { (void)signal; timed_out = 1; }

static pid_t start(char **command) {
  int gate[2];
  if (pipe2(gate, O_CLOEXEC)) fail("pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child < 0) fail("fork: %s", strerror(errno));
  if (!child) {
    char go;
    close(gate[1]);
    if (read(gate[0], &go, 1) != 1) _exit(125);
    install_filter();
    execvp(command[0], command);
    fail("%s: %s", command[0], strerror(errno));
  }
  close(gate[0]);
  long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
                 PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, child, 0, options)) {
    int reason = errno;
    kill(child, SIGKILL);
    fail("ptrace is not permitted here: %s", strerror(reason));
  }
  remember(child);
  if (write(gate[1], "!", 1) != 1) fail("pipe: %s", strerror(errno));
  close(gate[1]);
  return child;
}

static void on_stop(pid_t task, int status) {
  int signal = WSTOPSIG(status), event = status >> 16;
  remember(task);
  if (killed) { kill(task, SIGKILL); return; }
  if (event == PTRACE_EVENT_SECCOMP) {
    int how = at_call(task);
    if (how) ptrace(how, task, 0, 0);
  } else if (signal == (SIGTRAP | 0x80)) {
    if (task == torn_task) kill_tree(); else ptrace(PTRACE_CONT, task, 0, 0);
  } else if (event == PTRACE_EVENT_STOP) {
    int stopping = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    ptrace(stopping ? PTRACE_LISTEN : PTRACE_CONT, task, 0, 0);
  } else {
    ptrace(PTRACE_CONT, task, 0, event ? 0 : signal);
  }
}

int main(int argc, char **argv) {
  int first = parse_options(argc, argv);
  // Orphans of the tree become our children, so that they can be reaped and the tree really is gone when we end.
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  struct sigaction alarm_action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &alarm_action, NULL);
  alarm(timeout_s);
  pid_t child = start(argv + first);
  int child_status = 0, status;
  for (;;) {
    pid_t task = waitpid(-1, &status, __WALL);
    if (timed_out && !killed) kill_tree();
    if (task < 0) { if (errno == EINTR) continue; break; }
    if (WIFSTOPPED(status)) { on_stop(task, status); continue; }
    forget(task);
    if (task == child) child_status = status;
  }
  if (action == POWER_CUT && !fired) { cut_power(); fired = 1; strcpy(fired_call, "the end"); }
  int exit_code = timed_out ? 124 : killed ? 137 : WIFSIGNALED(child_status) ? 128 + WTERMSIG(child_status) : WEXITSTATUS(child_status);
  // Node leaves the pipe that it shares with us non-blocking: with a reader that is late, part of the report would be lost.
  fcntl(STDERR_FILENO, F_SETFL, fcntl(STDERR_FILENO, F_GETFL) & ~O_NONBLOCK);
  fprintf(stderr, "\nkillpoint: fired=%d status=", fired);
  if (timed_out) fputs("timeout", stderr);
  else if (killed) fputs("killed", stderr);
  else if (WIFSIGNALED(child_status)) fprintf(stderr, "signal:%d", WTERMSIG(child_status));
  else fprintf(stderr, "exit:%d", WEXITSTATUS(child_status));
  fputs(" call=", stderr);
  print_path(stderr, fired_call);
  fprintf(stderr, "\npoints=%ld\n", points);
  return exit_code;
}
