#include "copy/target_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/limits.h"
#include "protocol/json/attribute_value_json.h"

namespace trestle::copy {
namespace {

constexpr size_t kShownBytesMax = 300;

double units_of(const std::vector<BatchWrite>& batch) {
  size_t units = 0;
  for (const BatchWrite& write : batch) {
    units +=
        write.is_delete ? 1 : std::max<size_t>(1, (write.item.size_bytes() + kWriteUnitBytes - 1) / kWriteUnitBytes);
  }
  return static_cast<double>(units);
}

// Whether the error is caused by one write of the batch.
bool is_about_an_item(const Error& error) {
  return error.code == ErrorCode::kValidation || error.code == ErrorCode::kItemCollectionSizeLimitExceeded;
}

}  // namespace

std::string item_json(ItemView item) {
  std::string text;
  append_item_json(text, item);
  return text;
}

Result<void> TargetWriter::write(const std::string& table, std::vector<BatchWrite> writes) {
  for (size_t start = 0; start < writes.size(); start += kBatchWriteRequestsMax) {
    const size_t end = std::min(writes.size(), start + kBatchWriteRequestsMax);
    std::vector<BatchWrite> batch(std::make_move_iterator(writes.begin() + static_cast<std::ptrdiff_t>(start)),
                                  std::make_move_iterator(writes.begin() + static_cast<std::ptrdiff_t>(end)));
    TRY(write_batch(table, std::move(batch)));
  }
  return {};
}

Result<void> TargetWriter::write_batch(const std::string& table, std::vector<BatchWrite> batch) {
  const double expected = units_of(batch);
  if (!pace_.items.take(static_cast<double>(batch.size()), pace_.stop) ||
      !pace_.write_units.take(expected, pace_.stop)) {
    return stopped();
  }
  BatchWriteItemRequest request{.tables = {{.table_name = table, .writes = std::move(batch)}}};
  request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  double units = 0;
  while (!request.tables.empty()) {
    const auto done = with_retries(pace_.patience, pace_.stop, [&] { return write_some(request, units); });
    if (done) continue;
    if (is_about_an_item(done.error())) return write_singly(table, request.tables.front().writes);
    return std::unexpected(done.error());
  }
  if (units > 0) pace_.write_units.correct(units - expected);
  return {};
}

// Leaves only the unprocessed writes in the request. If none was processed, fails like a throttled request.
Result<void> TargetWriter::write_some(BatchWriteItemRequest& request, double& units) {
  TRY_INTO(auto reply, target_.batch_write_item(request));
  for (const ConsumedCapacity& consumed : reply.consumed_capacity) units += consumed.total;
  const bool took_some =
      reply.unprocessed.empty() || reply.unprocessed.front().writes.size() < request.tables.front().writes.size();
  request.tables = std::move(reply.unprocessed);
  if (took_some) return {};
  return failure(ErrorCode::kProvisionedThroughputExceeded,
                 fmt::format("the table {} at the target accepts no writes: its capacity is exceeded",
                             request.tables.front().table_name));
}

Result<void> TargetWriter::write_singly(const std::string& table, const std::vector<BatchWrite>& batch) {
  for (const BatchWrite& write : batch) {
    const auto done = with_retries(pace_.patience, pace_.stop, [&]() -> Result<WriteItemResponse> {
      if (write.is_delete) return target_.delete_item({.table_name = table, .key = write.item});
      return target_.put_item({.table_name = table, .item = write.item});
    });
    if (done) continue;
    const std::string text = item_json(write.item);
    return failure(done.error().code,
                   fmt::format("the target rejected an item of {}: {} {}{}", table, done.error().message,
                               text.substr(0, kShownBytesMax), text.size() > kShownBytesMax ? "..." : ""));
  }
  return {};
}

}  // namespace trestle::copy
