// The input of a load: reads the objects of its bucket in the order of their names, starting at its cursor. It reads
// one page of records at a time and keeps it until done() is called. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bucket/bucket.h"
#include "exchange/record_reader.h"
#include "storage/catalog/load_catalog.h"

namespace trestle {

// A record that is not an item, or whose item does not fit the table.
struct LoadError {
  std::string object;
  int64_t record = 0;  // its number within the object, from 0
  std::string message;
};

struct LoadPage {
  struct Entry {
    Item item;
    std::string object;
    int64_t record = 0;
  };
  std::vector<Entry> entries;
  std::vector<LoadError> errors;
  LoadCursor cursor;        // the position after the page
  int64_t records = 0;      // entries and errors
  int64_t bytes = 0;        // decompressed
  int64_t input_bytes = 0;  // as stored; a compressed object counts when it has been read completely
  bool is_last = false;
};

struct LoadPageLimits {
  size_t items_max = 256;
  size_t bytes_max = size_t{256} << 10;
};

class LoadSource {
 public:
  // CSV fields that are key attributes of `table` or its indexes get the types of those keys.
  LoadSource(std::unique_ptr<Bucket> bucket, const Load& load, const TableDescription& table);

  // The current page. Reads the next one if there is none, or the last one is done().
  BucketResult<const LoadPage*> page(const LoadPageLimits& limits);
  // The current page has been committed.
  void done() { page_.reset(); }
  // The size of all objects, as stored.
  BucketResult<int64_t> total_bytes() const;

 private:
  BucketResult<LoadPage> read_page(const LoadPageLimits& limits);
  BucketResult<bool> open_next();
  BucketResult<bool> list_more();
  void add(Record record, LoadPage& page);
  void end_object(LoadPage& page);
  // Returns to the cursor and discards everything read after it.
  void restart(const LoadCursor& cursor);

  const std::unique_ptr<Bucket> bucket_;
  const std::string prefix_;
  const InputCompression compression_;
  RecordFormat format_;
  LoadCursor cursor_;

  std::vector<BucketObject> listed_;  // the current page of the bucket's listing
  std::string listed_up_to_;
  size_t next_listed_ = 0;
  bool all_listed_ = false;
  uint64_t object_bytes_ = 0;  // size of the current object
  std::unique_ptr<RecordReader> reader_;
  std::optional<LoadPage> page_;
};

}  // namespace trestle
