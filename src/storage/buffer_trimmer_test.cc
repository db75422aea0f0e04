#include "storage/buffer_trimmer.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

// A buffer of so many entries, which holds none once it was written out.
struct Fake {
  std::atomic<uint64_t> entries{0};
  std::atomic<int> looked{0};
  std::atomic<int> written{0};

  BufferTrimmer::Buffers buffers(std::chrono::milliseconds pause = std::chrono::milliseconds(0)) {
    return {.count = 1,
            .entries =
                [this](size_t) {
                  const uint64_t now = entries.load();
                  ++looked;  // last: a waiting thread may change the entries immediately
                  return now;
                },
            .write_out =
                [this](size_t) {
                  entries = 0;
                  ++written;
                },
            .pause = pause};
  }
  void wait_until_looked(int times) const {
    while (looked.load() < times) std::this_thread::yield();
  }
};

TEST(BufferTrimmer, a_buffer_is_written_out_once_passing_it_cost_more_than_that) {
  Fake fake;
  fake.entries = 10'000;
  {
    BufferTrimmer trimmer(fake.buffers());
    trimmer.passed(0, 79'999);
    fake.wait_until_looked(1);
    EXPECT_EQ(fake.written, 0);
    trimmer.passed(0, 1);
    while (fake.written == 0) trimmer.passed(0, 1);  // it may not have gone to sleep yet when the last one came
  }
  EXPECT_EQ(fake.written, 1);
}

TEST(BufferTrimmer, a_buffer_that_is_mostly_superseded_is_written_out) {
  for (const bool mostly : {true, false}) {
    Fake fake;
    fake.entries = mostly ? 26'000 : 28'000;
    BufferTrimmer trimmer(fake.buffers());
    for (uint64_t i = 0; i < BufferTrimmer::kSupersededMin; ++i) trimmer.superseded(0);
    fake.wait_until_looked(1);
    while (mostly && trimmer.written_out() == 0) std::this_thread::yield();
    EXPECT_EQ(fake.written, mostly ? 1 : 0);
  }
}

TEST(BufferTrimmer, what_was_superseded_in_a_buffer_that_is_gone_does_not_count_for_the_next) {
  Fake fake;
  fake.entries = 60'000;
  BufferTrimmer trimmer(fake.buffers());
  for (uint64_t i = 0; i < BufferTrimmer::kSupersededMin; ++i) trimmer.superseded(0);
  fake.wait_until_looked(1);
  fake.entries = 20'000;
  for (uint64_t i = 0; i < BufferTrimmer::kSupersededMin; ++i) trimmer.superseded(0);
  fake.wait_until_looked(2);
  EXPECT_EQ(fake.written, 0);
}

TEST(BufferTrimmer, a_small_buffer_is_left_alone_however_often_it_is_passed) {
  Fake fake;
  fake.entries = BufferTrimmer::kEntriesMin - 1;
  BufferTrimmer trimmer(fake.buffers());
  while (fake.looked < 10) trimmer.passed(0, 1000);
  EXPECT_EQ(fake.written, 0);
  EXPECT_EQ(trimmer.written_out(), 0u);
}

TEST(BufferTrimmer, all_that_was_passed_is_counted_also_after_writing_out) {
  Fake fake;
  fake.entries = BufferTrimmer::kEntriesMin;
  BufferTrimmer trimmer(fake.buffers());
  uint64_t sum = 0;
  while (trimmer.written_out() == 0) {
    trimmer.passed(0, 1000);
    sum += 1000;
  }
  trimmer.passed(0, 5);
  fake.wait_until_looked(1);
  while (trimmer.passed() != sum + 5) std::this_thread::yield();
  EXPECT_EQ(trimmer.passed(), sum + 5);
}

TEST(BufferTrimmer, it_pauses_between_files_and_ends_without_finishing_its_pause) {
  Fake fake;
  const auto began = std::chrono::steady_clock::now();
  {
    BufferTrimmer trimmer(fake.buffers(std::chrono::hours(1)));
    fake.entries = 10'000;
    while (trimmer.written_out() == 0) trimmer.passed(0, 100'000);
    fake.entries = 10'000;
    for (int i = 0; i < 1000; ++i) trimmer.passed(0, 100'000);
  }
  EXPECT_EQ(fake.written, 1);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(10));
}

}  // namespace
}  // namespace trestle
