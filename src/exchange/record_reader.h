// Records of an object: one item each, in the order of the object, as imports and bulk puts read them.
//
//   auto reader = open_records(format, open_object(bucket, name, compression), offset);
//   TRY_INTO(Record record, reader->next());
//
//   DYNAMODB_JSON   {"Item": {"pk": {"S": "a"}, ...}}, one after another; DynamoDB writes one a line but reads any
//   ION             $ion_1_0 {Item: {pk: "a", n: 1., tags: $dynamodb_SS::["x"]}}, one after another
//   CSV             RFC 4180, with one of the delimiters , ; : | tab space; every value is a string but those of
//                   attributes whose type the caller tells, the keys of the table and its indexes
//
// A record that is no item is a fault. Behind one of JSON or Ion nothing tells where the next record begins, so the
// rest of the object is lost, as it is for DynamoDB; a row of CSV is passed over.
// Memory is bounded: a record of more than kRecordBytesMax is a fault. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exchange/byte_stream.h"
#include "model/value.h"

namespace trestle {

// An item of 400 KB whose every byte JSON escapes, and some.
inline constexpr size_t kRecordBytesMax = size_t{16} << 20;

struct Record {
  enum class Kind {
    kItem,
    kFault,    // this record is none
    kDamaged,  // nor can the rest of the object be read
    kEnd,
  };
  Kind kind = Kind::kEnd;
  Item item;
  std::string fault;
};

struct RecordFormat {
  InputFormat format = InputFormat::kDynamoDbJson;
  CsvOptions csv;
  std::map<std::string, ValueType, std::less<>> csv_types;  // of what is not a string
};

class RecordReader {
 public:
  virtual ~RecordReader() = default;
  // Fails only if the bucket does.
  virtual BucketResult<Record> next() = 0;
  // Where the record after the last one begins, in decompressed bytes; open_records() at it goes on there.
  virtual uint64_t offset() const = 0;
};

// `offset`: 0, or one that a reader of the same object told.
std::unique_ptr<RecordReader> open_records(const RecordFormat& format, std::unique_ptr<ByteStream> stream,
                                           uint64_t offset);

}  // namespace trestle
