// The catalog of exports: those in progress, and those of the last 90 days.
//
//   kCatalog keys: 'x' export ARN -> export     'X' export ARN, 00, file u32 big endian -> file
//   export := 01 (format), status u8, type u8, export format u8, sse u8, sized table ARN, sized table id,
//             sized bucket, varint start ms, optional varint: end ms, export ms, billed bytes, items,
//             optional text: manifest, token, owner, prefix, KMS key, failure code, failure message,
//             u8 period (00 absent, 01 present): optional varint from ms, to ms, view u8,
//             u8 filter (00 absent, 01 present): optional text filter, projection, key condition,
//               u8 names: varint count, (sized placeholder, sized name)..., u8 values: varint count, (sized, sized)...,
//             sized parameters, varint count, sized key attribute..., sized first key, sized end key (exclusive; both
//             empty: all), u32 hold (0: none), u32 files, sized cursor, varint items, varint bytes
//   optional := 00, or 01 and the value           file := 01 (format), sized object name, sized ETag, varint items
//
// An export in progress is a job. Its cursor, items and bytes cover its completed files; each of those has a record
// until the manifest that lists them is written. Reads are thread-safe. Any thread may add an export; from then on only
// the thread of its job may save it. These bytes are on disk: never change a code, only add one. Vectors:
// docs/formats.md, export_catalog_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "model/error.h"
#include "model/export_requests.h"
#include "storage/lock_ranks.h"
#include "storage/store.h"

namespace trestle {

struct Export {
  ExportDescription description;
  std::string parameters;                   // a fingerprint of the request, to compare requests with the same token
  std::vector<std::string> key_attributes;  // the table's; stored, because the table may be deleted before the end
  KeyRange range;                           // selected by the key condition; empty: all keys
  uint32_t hold = 0;                        // on the table's history, while the export is in progress
  uint32_t files = 0;                       // written so far
  std::string cursor;                       // the last key written
  int64_t items = 0;
  int64_t bytes = 0;
};

// A data file of an export.
struct ExportFile {
  std::string name;  // the object's name
  std::string etag;  // the MD5 of the object's bytes, in hexadecimal
  int64_t items = 0;
  friend bool operator==(const ExportFile&, const ExportFile&) = default;
};

std::string encode_export(const Export& export_);
Result<Export> decode_export(std::string_view arn, std::string_view bytes);
std::string encode_export_file(const ExportFile& file);
Result<ExportFile> decode_export_file(std::string_view bytes);

class ExportCatalog {
 public:
  explicit ExportCatalog(Store& store) : store_(store) {}
  Result<void> load();

  // Returns null if there is no such export.
  std::shared_ptr<const Export> find(std::string_view arn) const;
  std::vector<std::shared_ptr<const Export>> all() const;  // in order of ARN
  Result<std::vector<ExportFile>> files(std::string_view arn) const;

  // ---- Edits: each is durable when it returns.

  Result<void> save(Export export_);
  // Saves the export together with its last file, number export_.files - 1.
  Result<void> save_file(Export export_, const ExportFile& file);
  // Saves a finished export, and deletes the records of its files.
  Result<void> save_end(Export export_);
  Result<void> remove(const std::string& arn);

 private:
  // Commits the batch with the export's record.
  Result<void> commit(Batch& batch, Export export_);

  Store& store_;
  mutable SharedMutex mutex_{kShortRank};  // guards the rest
  std::map<std::string, std::shared_ptr<const Export>, std::less<>> exports_;
};

}  // namespace trestle
