#include "engine/bulk/load_source.h"

#include <algorithm>

namespace trestle {

LoadSource::LoadSource(std::unique_ptr<Bucket> bucket, const Load& load, const TableDescription& table)
    : bucket_(std::move(bucket)), prefix_(load.source.prefix.value_or("")), compression_(load.compression) {
  format_.format = load.format;
  if (load.csv) format_.csv = *load.csv;
  for (const KeyAttribute& attribute : table.attributes) format_.csv_types[attribute.name] = attribute.type;
  restart(load.cursor);
}

BucketResult<int64_t> LoadSource::total_bytes() const {
  int64_t total = 0;
  std::string after;
  while (true) {
    TRY_INTO(const BucketPage listed, bucket_->list(prefix_, after));
    for (const BucketObject& object : listed.objects) total += static_cast<int64_t>(object.bytes);
    if (listed.is_last || listed.objects.empty()) return total;
    after = listed.objects.back().name;
  }
}

void LoadSource::restart(const LoadCursor& cursor) {
  cursor_ = cursor;
  reader_.reset();
  listed_.clear();
  next_listed_ = 0;
  all_listed_ = false;
  listed_up_to_ = cursor.object;
  // An unfinished object must be listed again, for its size. It sorts after its own name without the last byte.
  if (!cursor.object.empty() && !cursor.object_done) listed_up_to_.pop_back();
}

// Lists more objects if none is left of the current page. Returns false if there are no more.
BucketResult<bool> LoadSource::list_more() {
  while (next_listed_ == listed_.size()) {
    if (all_listed_) return false;
    TRY_INTO(BucketPage listed, bucket_->list(prefix_, listed_up_to_));
    all_listed_ = listed.is_last || listed.objects.empty();
    if (!listed.objects.empty()) listed_up_to_ = listed.objects.back().name;
    if (!cursor_.object_done) {
      std::erase_if(listed.objects, [&](const BucketObject& object) { return object.name < cursor_.object; });
    }
    listed_ = std::move(listed.objects);
    next_listed_ = 0;
  }
  return true;
}

// Opens the cursor's object, or the next one. Returns false if there is none.
BucketResult<bool> LoadSource::open_next() {
  const bool is_within = !cursor_.object.empty() && !cursor_.object_done;
  TRY_INTO(const bool more, list_more());
  if (is_within && (!more || listed_[next_listed_].name != cursor_.object)) {
    return bucket_fault(BucketFault::Kind::kNoSuchObject, "The specified key does not exist: " + cursor_.object);
  }
  if (!more) return false;
  const BucketObject& object = listed_[next_listed_++];
  if (!is_within) cursor_ = {.object = object.name, .offset = 0, .object_done = false, .records = 0};
  object_bytes_ = object.bytes;
  reader_ = open_records(format_, open_object(*bucket_, object.name, compression_), cursor_.offset);
  return true;
}

void LoadSource::add(Record record, LoadPage& page) {
  if (record.kind == Record::Kind::kItem) {
    page.entries.push_back({.item = std::move(record.item), .object = cursor_.object, .record = cursor_.records});
  } else {
    page.errors.push_back({.object = cursor_.object, .record = cursor_.records, .message = std::move(record.fault)});
  }
  ++cursor_.records;
  ++page.records;
}

void LoadSource::end_object(LoadPage& page) {
  cursor_.object_done = true;
  reader_.reset();
  if (compression_ != InputCompression::kNone) {
    page.input_bytes += static_cast<int64_t>(object_bytes_);
  } else if (object_bytes_ > cursor_.offset) {
    page.input_bytes += static_cast<int64_t>(object_bytes_ - cursor_.offset);
  }
}

BucketResult<const LoadPage*> LoadSource::page(const LoadPageLimits& limits) {
  if (page_) return &*page_;
  const LoadCursor before = cursor_;
  auto page = read_page(limits);
  if (!page.has_value()) {
    restart(before);
    return std::unexpected(std::move(page).error());
  }
  return &page_.emplace(std::move(*page));
}

BucketResult<LoadPage> LoadSource::read_page(const LoadPageLimits& limits) {
  LoadPage page;
  while (page.entries.size() + page.errors.size() < limits.items_max &&
         page.bytes < static_cast<int64_t>(limits.bytes_max)) {
    if (!reader_) {
      TRY_INTO(const bool opened, open_next());
      page.is_last = !opened;
      if (!opened) break;
    }
    TRY_INTO(Record record, reader_->next());
    const uint64_t offset = std::max(reader_->offset(), cursor_.offset);
    const auto read = static_cast<int64_t>(offset - cursor_.offset);
    page.bytes += read;
    if (compression_ == InputCompression::kNone) page.input_bytes += read;
    cursor_.offset = offset;
    const Record::Kind kind = record.kind;
    if (kind != Record::Kind::kEnd) add(std::move(record), page);
    if (kind == Record::Kind::kEnd || kind == Record::Kind::kDamaged) end_object(page);
  }
  page.cursor = cursor_;
  return page;
}

}  // namespace trestle
