#include "simulation/concurrent_clients.h"

#include <atomic>
#include <latch>
#include <thread>

namespace trestle {

void send_concurrently(Engine& engine, const FaultyDisk& disk, std::vector<ClientRequests>& clients,
                       const std::function<void()>& background_work) {
  std::atomic<uint64_t> numbers = 0;
  std::latch start(static_cast<std::ptrdiff_t>(clients.size() + 1));
  std::vector<std::thread> threads;
  for (ClientRequests& requests : clients) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      for (ClientRequest& client_request : requests) {
        client_request.began = ++numbers;
        client_request.outcome = client_request.request.send(engine);
        client_request.ended = ++numbers;
        if (disk.has_ended()) client_request.outcome = Outcome::kUnknown;  // the client received no response
        if (client_request.outcome == Outcome::kUnknown) return;
      }
    });
  }
  start.arrive_and_wait();
  background_work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace trestle
