#include "storage/stream_record.h"

#include <gtest/gtest.h>

#include "base/hex_for_test.h"

namespace trestle {
namespace {

TEST(StreamRecord, bytes_are_as_documented) {
  EXPECT_EQ(hex(stream_record_key(3, 1, {.commit = (uint64_t{2} << 40) + 5, .place = 6})),
            "00000003"
            "01"
            "0000020000000005"
            "00000006");
  const Item keys{{"p", Value::string("a")}};
  const Item image{{"p", Value::string("a")}, {"v", Value::number(7)}};
  EXPECT_EQ(hex(encode_stream_record({.event = StreamEvent::kRemove,
                                      .origin = WriteOrigin::kTimeToLive,
                                      .created_ms = 300,
                                      .keys = keys,
                                      .new_image = {},
                                      .old_image = image})),
            "01"
            "02"
            "01"
            "ac02"
            "0b"
            "010200000001"
            "0170"
            "040161"
            "00"
            "10"
            "010500000002"
            "0170"
            "040161"
            "0176"
            "050137");
}

TEST(StreamRecord, encoding_round_trips) {
  const Item keys{{"p", Value::string("a")}};
  const Item image{{"p", Value::string("a")}, {"v", Value::number(7)}};
  const std::string bytes = encode_stream_record({.event = StreamEvent::kModify,
                                                  .created_ms = 1'700'000'000'123,
                                                  .keys = keys,
                                                  .new_image = image,
                                                  .old_image = {}});
  const auto record = read_stream_record(bytes);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->event, StreamEvent::kModify);
  EXPECT_EQ(record->origin, WriteOrigin::kClient);
  EXPECT_EQ(record->created_ms, 1'700'000'000'123);
  EXPECT_EQ(record->keys, keys.view());
  EXPECT_EQ(record->new_image, image.view());
  EXPECT_TRUE(record->old_image.empty());
}

TEST(StreamRecord, damaged_bytes_are_rejected) {
  const Item keys{{"p", Value::string("a")}};
  const std::string bytes = encode_stream_record({.created_ms = 1, .keys = keys});
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(read_stream_record(bytes.substr(0, length)));
  EXPECT_FALSE(read_stream_record(bytes + "x"));
  std::string unknown = bytes;
  unknown[1] = 3;
  EXPECT_FALSE(read_stream_record(unknown));
}

TEST(StreamRecord, sequence_numbers_sort_as_text_and_round_trip) {
  const StreamPosition positions[] = {
      {0, 0}, {0, 1}, {1, 0}, {9, 999'999}, {10, 0}, {uint64_t{1} << 40, 3}, {UINT64_MAX, 999'999}};
  std::string before;
  for (const auto position : positions) {
    const std::string text = sequence_number(position);
    EXPECT_EQ(text.size(), 27u);
    EXPECT_LT(before, text);
    EXPECT_EQ(read_sequence_number(text), position);
    before = text;
  }
  EXPECT_EQ(sequence_number({.commit = 5, .place = 6}), "100000000000000000005000006");
}

TEST(StreamRecord, other_texts_are_not_sequence_numbers) {
  for (const char* text : {"", "1", "000000000000000000005000006", "199999999999999999999000000",
                           "10000000000000000000500000a", "1000000000000000000050000060"}) {
    EXPECT_FALSE(read_sequence_number(text)) << text;
  }
}

TEST(StreamRecord, slots_divide_the_hashes_evenly) {
  EXPECT_EQ(stream_slot(0, 4), 0u);
  EXPECT_EQ(stream_slot(0x3FFFFFFF, 4), 0u);
  EXPECT_EQ(stream_slot(0x40000000, 4), 1u);
  EXPECT_EQ(stream_slot(0xFFFFFFFF, 4), 3u);
}

}  // namespace
}  // namespace trestle
