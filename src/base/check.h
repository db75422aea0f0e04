// CHECK tests a condition that can only be false because of a bug in Trestle. If it is false, the program stops and
// prints the location and the condition. Errors that input, a client or a disk can cause are returned as a Result
// instead.
#pragma once

#include <string_view>

namespace trestle {
[[noreturn]] void check_failed(const char* file, int line, const char* condition, std::string_view detail = {});
}

#define CHECK(condition, ...)                                                             \
  do {                                                                                    \
    if (!(condition)) [[unlikely]]                                                        \
      ::trestle::check_failed(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
