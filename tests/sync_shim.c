// Intercepts a server's file syncs (LD_PRELOAD), so that a test can simulate power loss or a failed sync.
//
// SYNC_JOURNAL  a file that gets a line "SIZE INODE PATH" after every successful fsync or fdatasync: this much of the
//               file is safe. Power loss removes everything after the last such size of a file.
// SYNC_FAILS    while a file of this name exists, fsync and fdatasync of regular files fail with EIO and do nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int (*sync_function)(int);

static void note(int fd, const struct stat* file) {
  const char* journal = getenv("SYNC_JOURNAL");
  if (!journal) return;
  char link[64], path[PATH_MAX], line[PATH_MAX + 64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = 0;
  const int bytes = snprintf(line, sizeof line, "%lld %llu %s\n", (long long)file->st_size,
                             (unsigned long long)file->st_ino, path);
  const int out = open(journal, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (out < 0 || write(out, line, bytes) != bytes) abort();  // a journal with gaps would invalidate the test
  close(out);
}

static int sync_by(const char* name, int fd) {
  struct stat before;
  const int regular = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
  const char* fails = getenv("SYNC_FAILS");
  if (regular && fails && access(fails, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  const int result = ((sync_function)dlsym(RTLD_NEXT, name))(fd);
  if (result == 0 && regular) note(fd, &before);
  return result;
}

int fsync(int fd) { return sync_by("fsync", fd); }
int fdatasync(int fd) { return sync_by("fdatasync", fd); }
