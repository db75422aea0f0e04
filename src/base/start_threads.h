// Starts several threads, or none: destroying a std::thread that was not joined would end the program.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace trestle {

// Adds `count` threads, which call run(0), run(1) and so on. If the system has no more threads, calls stop(), which
// must make run() return, joins those that were started, and throws std::system_error.
template <class Run, class Stop>
void start_threads(std::vector<std::thread>& threads, size_t count, const Run& run, const Stop& stop) {
  try {
    for (size_t i = 0; i < count; ++i) threads.emplace_back([run, i] { run(i); });
  } catch (const std::system_error&) {
    stop();
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    throw;
  }
}

}  // namespace trestle
