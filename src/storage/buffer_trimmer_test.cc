#include "storage/buffer_trimmer.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

// A write buffer with a given number of entries, which is empty after a flush.
struct FakeBuffer {
  std::atomic<uint64_t> entries{0};
  std::atomic<int> checks{0};
  std::atomic<int> flushes{0};

  BufferTrimmer::Buffers buffers(std::chrono::milliseconds pause = std::chrono::milliseconds(0)) {
    return {.count = 1,
            .entries =
                [this](size_t) {
                  const uint64_t now = entries.load();
                  ++checks;  // after the load: a waiting thread may change the entries immediately
                  return now;
                },
            .flush =
                [this](size_t) {
                  entries = 0;
                  ++flushes;
                },
            .pause = pause};
  }
  void wait_for_checks(int times) const {
    while (checks.load() < times) std::this_thread::yield();
  }
};

TEST(BufferTrimmer, a_buffer_is_flushed_once_skipping_its_entries_cost_more_than_a_flush) {
  FakeBuffer buffer;
  buffer.entries = 10'000;
  {
    BufferTrimmer trimmer(buffer.buffers());
    trimmer.note_skipped(0, 79'999);
    buffer.wait_for_checks(1);
    EXPECT_EQ(buffer.flushes, 0);
    trimmer.note_skipped(0, 1);
    while (buffer.flushes == 0)
      trimmer.note_skipped(0, 1);  // the thread may not have been asleep yet at the last report
  }
  EXPECT_EQ(buffer.flushes, 1);
}

TEST(BufferTrimmer, a_buffer_that_is_mostly_superseded_is_flushed) {
  for (const bool mostly : {true, false}) {
    FakeBuffer buffer;
    buffer.entries = mostly ? 26'000 : 28'000;
    BufferTrimmer trimmer(buffer.buffers());
    for (uint64_t i = 0; i < BufferTrimmer::kSupersededMin; ++i) trimmer.note_superseded(0);
    buffer.wait_for_checks(1);
    while (mostly && trimmer.early_flushes() == 0) std::this_thread::yield();
    EXPECT_EQ(buffer.flushes, mostly ? 1 : 0);
  }
}

TEST(BufferTrimmer, superseded_entries_of_a_flushed_buffer_do_not_count_for_the_next) {
  FakeBuffer buffer;
  buffer.entries = 60'000;
  BufferTrimmer trimmer(buffer.buffers());
  for (uint64_t i = 0; i < BufferTrimmer::kSupersededMin; ++i) trimmer.note_superseded(0);
  buffer.wait_for_checks(1);
  buffer.entries = 20'000;
  for (uint64_t i = 0; i < BufferTrimmer::kSupersededMin; ++i) trimmer.note_superseded(0);
  buffer.wait_for_checks(2);
  EXPECT_EQ(buffer.flushes, 0);
}

TEST(BufferTrimmer, a_small_buffer_is_not_flushed_however_many_entries_are_skipped) {
  FakeBuffer buffer;
  buffer.entries = BufferTrimmer::kEntriesMin - 1;
  BufferTrimmer trimmer(buffer.buffers());
  while (buffer.checks < 10) trimmer.note_skipped(0, 1000);
  EXPECT_EQ(buffer.flushes, 0);
  EXPECT_EQ(trimmer.early_flushes(), 0u);
}

TEST(BufferTrimmer, skipped_entries_are_counted_across_flushes) {
  FakeBuffer buffer;
  buffer.entries = BufferTrimmer::kEntriesMin;
  BufferTrimmer trimmer(buffer.buffers());
  uint64_t sum = 0;
  while (trimmer.early_flushes() == 0) {
    trimmer.note_skipped(0, 1000);
    sum += 1000;
  }
  trimmer.note_skipped(0, 5);
  buffer.wait_for_checks(1);
  while (trimmer.skipped_entries() != sum + 5) std::this_thread::yield();
  EXPECT_EQ(trimmer.skipped_entries(), sum + 5);
}

TEST(BufferTrimmer, it_pauses_between_flushes_and_the_destructor_ends_a_pause) {
  FakeBuffer buffer;
  const auto began = std::chrono::steady_clock::now();
  {
    BufferTrimmer trimmer(buffer.buffers(std::chrono::hours(1)));
    buffer.entries = 10'000;
    while (trimmer.early_flushes() == 0) trimmer.note_skipped(0, 100'000);
    buffer.entries = 10'000;
    for (int i = 0; i < 1000; ++i) trimmer.note_skipped(0, 100'000);
  }
  EXPECT_EQ(buffer.flushes, 1);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(10));
}

}  // namespace
}  // namespace trestle
