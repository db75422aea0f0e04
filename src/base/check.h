// CHECK: what cannot be false unless Trestle itself is wrong. It stops the program with the place and the condition;
// an error that input, a client or a disk can cause is a Result instead.
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
