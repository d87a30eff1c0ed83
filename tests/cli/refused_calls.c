// What file systems refuse, by names of calls in $REFUSED: "flock" (ENOLCK, NFS without lockd), "shared" (mappings that
// are shared, FUSE with direct_io), "mappings" (all of files), "rmdir" (folders that hold a checkpoint: on NFS a file
// that another process has open stays in them).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int refused(const char *call) {
  const char *all = getenv("REFUSED");
  return all && strstr(all, call);
}

static int is_checkpoint(const char *path) {
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  return strncmp(name, "step-", 5) == 0 || strncmp(name, "best-", 5) == 0;
}

#define REAL(type, name) static type (*real)(); if (!real) real = (type (*)())dlsym(RTLD_NEXT, name)

int flock(int file, int operation) {
  REAL(int, "flock");
  if (refused("flock")) return errno = ENOLCK, -1;
  return real(file, operation);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  REAL(void *, "mmap");
  if (!(flags & MAP_ANONYMOUS) && (refused("mappings") || (refused("shared") && flags & MAP_SHARED))) return errno = ENODEV, MAP_FAILED;
  return real(at, size, protection, flags, file, offset);
}

int rmdir(const char *path) {
  REAL(int, "rmdir");
  if (refused("rmdir") && is_checkpoint(path)) return errno = ENOTEMPTY, -1;
  return real(path);
}

int remove(const char *path) {
  REAL(int, "remove");
  if (refused("rmdir") && is_checkpoint(path)) return errno = ENOTEMPTY, -1;
  return real(path);
}

int unlinkat(int folder, const char *path, int flags) {
  REAL(int, "unlinkat");
  if (refused("rmdir") && flags & AT_REMOVEDIR && is_checkpoint(path)) return errno = ENOTEMPTY, -1;
  return real(folder, path, flags);
}
