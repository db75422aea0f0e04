#include "engine/bulk/load_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "exchange/error_line.h"

namespace trestle {

std::string error_object_name(const Load& load) {
  const std::string_view id = std::string_view(load.arn).substr(load.arn.rfind('/') + 1);
  std::string prefix = load.output.prefix.value_or("");
  if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
  return fmt::format("{}{}/{}/errors-{:05}.json", prefix, load.table_name, id, load.logs + 1);
}

bool writes_errors(const Load& load) {
  return load.kind == LoadKind::kImport || std::ranges::count(load.output.output_types, BulkOutput::kError) > 0;
}

BucketResult<void> write_load_errors(Buckets& buckets, const Load& load, const std::vector<LoadError>& errors) {
  const bool is_import = load.kind == LoadKind::kImport;
  const std::string name = is_import ? std::string(kImportLogBucket) : load.output.bucket.value_or("");
  if (is_import) TRY(buckets.make(name));
  TRY_INTO(const auto bucket, buckets.open(name));
  TRY_INTO(const auto object, bucket->write(error_object_name(load)));
  std::string lines;
  for (const LoadError& error : errors) {
    append_error_line(lines, {.arn_name = is_import ? "importArn" : "bulkOperationArn",
                              .arn = load.arn,
                              .bucket = load.source.bucket,
                              .object = error.object,
                              .record = error.record,
                              .message = error.message});
  }
  TRY(object->append(lines));
  return object->commit();
}

}  // namespace trestle
