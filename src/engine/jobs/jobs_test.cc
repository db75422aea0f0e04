#include "engine/jobs/jobs.h"

#include <gtest/gtest.h>

#include <atomic>

#include "engine/jobs/background.h"

namespace trestle {
namespace {

TEST(Jobs, nothing_runs_before_start_and_nothing_after_stop) {
  std::atomic<int> steps{0};
  Jobs jobs;
  Job& job = jobs.add({.name = "test"}, [&](JobRun&) {
    ++steps;
    return JobOutcome::idle();
  });
  job.wake();
  EXPECT_EQ(steps, 0);
  jobs.start();
  job.wait_idle();
  EXPECT_GE(steps, 1);
  jobs.stop();
  const int before = steps;
  job.wake();
  EXPECT_EQ(steps, before);
}

TEST(Jobs, a_step_that_worked_is_followed_by_another_and_a_failed_step_is_retried) {
  std::atomic<int> steps{0};
  Jobs jobs;
  Job& job = jobs.add({.name = "test"}, [&](JobRun&) {
    switch (++steps) {
      case 1:
        return JobOutcome::worked();
      case 2:
        return JobOutcome::failed();
      case 3:
        return JobOutcome::later(1000);
      default:
        return JobOutcome::idle();
    }
  });
  jobs.start();
  job.wait_idle();
  EXPECT_EQ(steps, 4);
}

TEST(Jobs, the_pause_after_failures_doubles_up_to_a_maximum) {
  EXPECT_EQ(retry_pause_us(1), 50'000);
  EXPECT_EQ(retry_pause_us(2), 100'000);
  EXPECT_EQ(retry_pause_us(100), 5'000'000);
}

TEST(Jobs, a_pause_ends_when_the_jobs_stop) {
  std::atomic<bool> began{false};
  Jobs jobs;
  jobs.add({.name = "test"}, [&](JobRun&) {
    began = true;
    return JobOutcome::later(int64_t{3600} * 1'000'000);
  });
  jobs.start();
  while (!began) std::this_thread::yield();
  jobs.stop();
}

TEST(Background, tasks_take_turns_and_adding_a_known_key_runs_the_task_once_more) {
  Jobs jobs;
  Background background(jobs);
  std::vector<std::string> turns;  // written by the job's thread, read when it is idle
  const auto count_to = [&](std::string name, int last) {
    return [&turns, name, last, count = 0](JobRun&) mutable {
      turns.push_back(name);
      return ++count < last ? JobOutcome::worked() : JobOutcome::idle();
    };
  };
  background.add("a", count_to("a", 2));
  background.add("b", count_to("b", 1));
  EXPECT_EQ(background.task_count(), 2u);
  jobs.start();
  background.wait_idle();
  EXPECT_EQ(turns, (std::vector<std::string>{"a", "b", "a"}));
  EXPECT_EQ(background.task_count(), 0u);
  // A task that is added again while it runs may have missed new work, and must run once more.
  turns.clear();
  std::atomic<bool> added{false};
  background.add("c", [&](JobRun&) {
    turns.push_back("c");
    if (!added.exchange(true)) background.add("c", [](JobRun&) { return JobOutcome::idle(); });
    return JobOutcome::idle();
  });
  background.wait_idle();
  EXPECT_EQ(turns, (std::vector<std::string>{"c", "c"}));
}

TEST(Background, a_failing_task_is_retried_and_does_not_delay_others) {
  Jobs jobs;
  Background background(jobs);
  int attempts = 0;
  bool other_was_first = false;
  bool other_ran = false;
  background.add("fails", [&](JobRun&) {
    if (++attempts == 1) return JobOutcome::failed();
    other_was_first = other_ran;
    return JobOutcome::idle();
  });
  background.add("other", [&](JobRun&) {
    other_ran = true;
    return JobOutcome::idle();
  });
  jobs.start();
  background.wait_idle();
  EXPECT_EQ(attempts, 2);
  EXPECT_TRUE(other_was_first);
}

}  // namespace
}  // namespace trestle
