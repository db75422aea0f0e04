// An export in progress. It reads its table in pages, writes the items as lines of data files, and finally writes a
// manifest of the files.
//
// Its state is the catalog's record and the open file. A job that is destroyed and created again from the record
// continues after the last completed file. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bucket/bucket.h"
#include "engine/bulk/export_filter.h"
#include "engine/recovery/table_at.h"
#include "exchange/export_file.h"
#include "storage/catalog/export_catalog.h"

namespace trestle {

// Why a step of an export failed: an `error` of the store, which may be transient, or a `fault` of the bucket.
struct ExportFailure {
  std::optional<Error> error;
  std::optional<BucketFault> fault;
};
template <class T>
using ExportResult = BasicResult<T, ExportFailure>;

class ExportJob {
 public:
  struct Place {
    const Store& store;
    ExportCatalog& catalog;
    Buckets* buckets = nullptr;  // null: no buckets are configured
    std::string account;
    size_t file_bytes_max = 0;
  };
  // `hold` must keep the table's history from the export's first moment on.
  static Result<std::unique_ptr<ExportJob>> make(Place place, const Export& saved, const HistoryHold& hold);

  // Exports one page. Returns true when everything has been read and written to completed files.
  ExportResult<bool> step();
  // Writes the manifests and makes the export COMPLETED.
  ExportResult<void> finish(int64_t now_ms);

 private:
  ExportJob(Place place, const Export& saved, const HistoryHold& hold);
  ExportResult<void> open();
  ExportResult<void> write_object(std::string_view name, std::string_view text);
  // These append to lines_.
  Result<TableAt::Step> read_items();
  Result<TableAt::Step> read_changes();
  void add_line(ItemView item);
  void add_line(const TableAt::ChangedItem& changed);
  ExportResult<void> flush();
  ExportResult<void> finish_file();

  const Place place_;
  const std::unique_ptr<Export> export_;  // as last saved; on the heap, because selection_ borrows its filter
  const TableAt table_;
  ExportSelection selection_;
  std::unique_ptr<Bucket> bucket_;

  // The items that were read but are not in a completed file yet.
  std::unique_ptr<ExportFileWriter> file_;
  std::string cursor_;
  std::string lines_;
  int64_t file_items_ = 0;
  int64_t file_bytes_ = 0;
  bool is_past_range_ = false;
};

}  // namespace trestle
