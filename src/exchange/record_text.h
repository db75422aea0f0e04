// The part of an object that is being read: a window on a stream, which grows while a record needs more text and moves
// forward with consume(). Holds at most kRecordBytesMax and one piece of the stream.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "exchange/record_reader.h"

namespace trestle {

class RecordText {
 public:
  RecordText(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}  // NOLINT: implicit

  // The buffered text, from the start of the record.
  std::string_view view() const { return std::string_view(buffer_).substr(start_); }
  // Reads more of the stream. False at the end of the stream. A fault is returned only when everything before it has
  // been consumed, and then on every call.
  StreamResult<bool> grow();
  // At least doubles the buffered text, for callers that scan all of it again, so that a long record is not scanned
  // once per piece.
  StreamResult<bool> grow_twice();
  bool is_too_long() const { return view().size() > kRecordBytesMax; }
  void consume(size_t bytes) {
    start_ += bytes;
    offset_ += bytes;
  }
  uint64_t offset() const { return offset_; }
  // Skips the beginning of the object. False: the object is shorter.
  StreamResult<bool> skip_to(uint64_t offset);

 private:
  const std::unique_ptr<ByteStream> stream_;
  std::string buffer_;
  size_t start_ = 0;
  uint64_t offset_ = 0;
  bool is_over_ = false;
  std::optional<StreamFault> fault_;
};

// The records of a format, whose text begins at `offset` of the object.
class TextRecords : public RecordReader {
 public:
  TextRecords(std::unique_ptr<ByteStream> stream, uint64_t offset) : text_(std::move(stream)), start_(offset) {}
  // A damaged object is a faulty record, a fault of the bucket is an error.
  BucketResult<Record> next() final;
  uint64_t offset() const final { return text_.offset(); }

 protected:
  virtual StreamResult<Record> read() = 0;

  RecordText text_;
  const uint64_t start_;
};

Record damaged_record(std::string fault);

// Parses {"Item": {"pk": {"S": "a"}, ...}}; the error is a message for people. Every format is converted to this one,
// so DynamoDB's rules for items are checked in one place.
BasicResult<Item, std::string> item_of_json(std::string_view json);

std::unique_ptr<RecordReader> open_json_records(std::unique_ptr<ByteStream> stream, uint64_t offset);
std::unique_ptr<RecordReader> open_ion_records(std::unique_ptr<ByteStream> stream, uint64_t offset);
std::unique_ptr<RecordReader> open_csv_records(const RecordFormat& format, std::unique_ptr<ByteStream> stream,
                                               uint64_t offset);

}  // namespace trestle
