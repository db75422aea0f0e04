// Reads the records of an object, one item each, in order; for imports and bulk puts.
//
//   auto reader = open_records(format, open_object(bucket, name, compression), offset);
//   TRY_INTO(Record record, reader->next());
//
//   DYNAMODB_JSON   {"Item": {"pk": {"S": "a"}, ...}}, one after another; DynamoDB writes one per line but accepts any
//                   white space
//   ION             $ion_1_0 {Item: {pk: "a", n: 1., tags: $dynamodb_SS::["x"]}}, one after another
//   CSV             RFC 4180, with one of the delimiters , ; : | tab space; every value is a string except those of
//                   attributes whose type the caller sets: the keys of the table and its indexes
//
// A record that is not an item is a fault. After a faulty JSON or Ion record the start of the next one is unknown, so
// the rest of the object is skipped, as DynamoDB does; after a faulty CSV row, reading continues. Memory is bounded: a
// record larger than kRecordBytesMax is a fault. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exchange/byte_stream.h"
#include "model/value.h"

namespace trestle {

// More than an item of 400 KB needs if JSON escapes every byte.
inline constexpr size_t kRecordBytesMax = size_t{16} << 20;

struct Record {
  enum class Kind {
    kItem,
    kFault,    // the record is not an item
    kDamaged,  // the record is not an item, and the rest of the object cannot be read
    kEnd,
  };
  Kind kind = Kind::kEnd;
  Item item;
  std::string fault;
};

struct RecordFormat {
  InputFormat format = InputFormat::kDynamoDbJson;
  CsvOptions csv;
  std::map<std::string, ValueType, std::less<>> csv_types;  // for attributes that are not strings
};

class RecordReader {
 public:
  virtual ~RecordReader() = default;
  // Fails only if the bucket does.
  virtual BucketResult<Record> next() = 0;
  // Where the next record begins, in decompressed bytes; open_records() with this offset continues there.
  virtual uint64_t offset() const = 0;
};

// `offset`: 0, or an offset returned by a reader of the same object.
std::unique_ptr<RecordReader> open_records(const RecordFormat& format, std::unique_ptr<ByteStream> stream,
                                           uint64_t offset);

}  // namespace trestle
