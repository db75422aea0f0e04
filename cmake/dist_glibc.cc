// Functions of glibc that are newer than the oldest glibc the self-contained program runs with, 2.35, and that archives of Debian 12
// refer to. The program's own are linked instead.
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

// libstdc++'s std::random_device calls it; glibc has it since 2.36.
extern "C" __attribute__((visibility("hidden"))) uint32_t arc4random() {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
    if (errno != EINTR) std::abort();
  }
  return value;
}
