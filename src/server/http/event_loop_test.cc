#include "server/http/event_loop.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace trestle {
namespace {

class EventLoopTest : public testing::Test {
 protected:
  EventLoopTest() : thread_([this] { loop_.run(); }) {}
  ~EventLoopTest() override {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
  }
  EventLoop loop_;
  std::thread thread_;
};

TEST_F(EventLoopTest, tasks_posted_from_many_threads_run_once_each_on_the_loop) {
  int ran = 0;  // accessed only by the loop's thread
  std::promise<void> all;
  std::vector<std::thread> posters;
  for (int t = 0; t < 4; ++t) {
    posters.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        loop_.post([&] {
          EXPECT_TRUE(loop_.in_loop_thread());
          if (++ran == 4000) all.set_value();
        });
      }
    });
  }
  for (std::thread& poster : posters) poster.join();
  all.get_future().wait();
  EXPECT_FALSE(loop_.in_loop_thread());
}

TEST_F(EventLoopTest, deferred_tasks_run_after_the_task_that_deferred_them) {
  std::promise<std::vector<int>> done;
  loop_.post([&, order = std::make_shared<std::vector<int>>()] {
    loop_.defer([&, order] {
      order->push_back(2);
      loop_.defer([&, order] {
        order->push_back(3);
        done.set_value(*order);
      });
    });
    order->push_back(1);
  });
  EXPECT_EQ(done.get_future().get(), (std::vector{1, 2, 3}));
}

TEST_F(EventLoopTest, timers_repeat) {
  std::promise<void> third;
  loop_.post([&] {
    loop_.every(1, [&, count = 0]() mutable {
      if (++count == 3) third.set_value();
    });
  });
  third.get_future().wait();
}

TEST_F(EventLoopTest, a_task_posted_after_the_end_is_refused) {
  loop_.stop();
  thread_.join();
  EXPECT_FALSE(loop_.post([] { FAIL(); }));
}

}  // namespace
}  // namespace trestle
