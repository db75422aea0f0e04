#include "server/http/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

#include "base/no_threads_for_test.h"

namespace trestle {
namespace {

TEST(WorkerPool, a_full_queue_leaves_the_task_with_its_caller) {
  std::promise<void> release;
  std::atomic<int> ran = 0;
  WorkerPool pool("test", 1, 1);
  std::promise<void> begun;
  WorkerPool::Task first = [&] {
    begun.set_value();
    release.get_future().wait();
  };
  ASSERT_TRUE(pool.submit(first));
  begun.get_future().wait();
  WorkerPool::Task second = [&] { ++ran; };
  WorkerPool::Task third = [&] { ran += 10; };
  EXPECT_TRUE(pool.submit(second));
  EXPECT_FALSE(pool.submit(third));
  release.set_value();
  third();
  while (ran < 11) std::this_thread::yield();
  EXPECT_EQ(pool.queued(), 0U);
}

TEST(WorkerPool, stopping_finishes_the_tasks_that_run_and_destroys_the_others_unrun) {
  std::promise<void> release;
  std::promise<void> begun;
  std::atomic<int> ran = 0;
  WorkerPool pool("test", 1, 16);
  WorkerPool::Task first = [&] {
    begun.set_value();
    release.get_future().wait();
    ++ran;
  };
  ASSERT_TRUE(pool.submit(first));
  begun.get_future().wait();
  const auto captured = std::make_shared<int>();
  for (int i = 0; i < 8; ++i) {
    WorkerPool::Task task = [&, captured] { ++ran; };
    ASSERT_TRUE(pool.submit(task));
  }
  std::thread stopping([&] { pool.stop(); });
  for (int i = 0; i < 10'000 && captured.use_count() > 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(captured.use_count(), 1) << "they do not wait for the task that runs";
  release.set_value();
  stopping.join();
  EXPECT_EQ(ran, 1);
  WorkerPool::Task late = [&] { ++ran; };
  EXPECT_FALSE(pool.submit(late));
}

TEST(WorkerPool, without_threads_there_is_an_exception) {
  const NoThreads none;
  EXPECT_THROW(WorkerPool("test", 2, 1), std::system_error);
}

}  // namespace
}  // namespace trestle
