// The part of an object that is being read: a window on a stream that grows while a record needs more of it, and moves
// on with consume(). At most kRecordBytesMax and a piece of the stream are held.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "exchange/record_reader.h"

namespace trestle {

class RecordText {
 public:
  RecordText(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}  // NOLINT: one is the other

  // What is held, from the record's beginning on.
  std::string_view view() const { return std::string_view(buffer_).substr(start_); }
  // Holds more of the stream. False: it is at its end. A fault is told only when all that came before it was asked for,
  // and then every time.
  StreamResult<bool> grow();
  // Holds twice what it held, for who looks at all of it again: a long record is then not looked at for every piece.
  StreamResult<bool> grow_twice();
  bool is_too_long() const { return view().size() > kRecordBytesMax; }
  void consume(size_t bytes) {
    start_ += bytes;
    offset_ += bytes;
  }
  uint64_t offset() const { return offset_; }
  // Passes over the beginning of the object. False: it is shorter than that.
  StreamResult<bool> skip_to(uint64_t offset);

 private:
  const std::unique_ptr<ByteStream> stream_;
  std::string buffer_;
  size_t start_ = 0;
  uint64_t offset_ = 0;
  bool is_over_ = false;
  std::optional<StreamFault> fault_;
};

// What every format's next() does with a fault of the stream: a damaged object is a record's fault, a bucket's is not.
BucketResult<Record> record_of(StreamFault fault);
Record damaged_record(std::string fault);

// {"Item": {"pk": {"S": "a"}, ...}} as an item; a sentence if it is none. Every format comes here in the end, so that
// what DynamoDB allows in items is checked in one place.
BasicResult<Item, std::string> item_of_json(std::string_view json);

std::unique_ptr<RecordReader> open_json_records(std::unique_ptr<ByteStream> stream, uint64_t offset);
std::unique_ptr<RecordReader> open_ion_records(std::unique_ptr<ByteStream> stream, uint64_t offset);
std::unique_ptr<RecordReader> open_csv_records(const RecordFormat& format, std::unique_ptr<ByteStream> stream,
                                               uint64_t offset);

}  // namespace trestle
