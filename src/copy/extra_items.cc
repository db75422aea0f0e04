#include "copy/extra_items.h"

#include <algorithm>
#include <set>

#include "copy/key_names.h"
#include "copy/parallel.h"
#include "model/callers/complete_batches.h"

namespace trestle::copy {
namespace {

constexpr int64_t kExtraPageItems = 500;

Result<std::set<std::string>> keys_at_source(const ExtraItemsParts& parts, const std::vector<Item>& keys) {
  if (keys.empty()) return std::set<std::string>();
  const BatchGetTable table{.table_name = parts.source_table,
                            .keys = keys,
                            .projection = {.expression = {}, .attributes_to_get = parts.key_names},
                            .names = {},
                            .consistent_read = true};
  TRY_INTO(const auto reply, with_retries(parts.pace.patience, parts.pace.stop,
                                          [&] { return batch_get_all(parts.source, {.tables = {table}}); }));
  std::set<std::string> found;
  for (const auto& [name, items] : reply.responses) {
    for (size_t i = 0; i < items.size(); ++i) found.insert(project(items[i], parts.key_names).bytes());
  }
  return found;
}

Result<int64_t> remove_of_segment(const ExtraItemsParts& parts, size_t segment) {
  int64_t removed = 0;
  ScanRequest request;
  request.table_name = parts.target_table;
  request.segment = static_cast<int64_t>(segment);
  request.total_segments = static_cast<int64_t>(parts.segments);
  request.limit = kExtraPageItems;
  request.consistent_read = true;
  do {
    if (parts.pace.stop.is_requested()) return stopped();
    TRY_INTO(const auto page,
             with_retries(parts.pace.patience, parts.pace.stop, [&] { return parts.target.scan(request); }));
    std::vector<Item> keys;
    for (size_t i = 0; i < page.items.size(); ++i) keys.push_back(project(page.items[i], parts.key_names));
    TRY_INTO(const auto at_source, keys_at_source(parts, keys));
    std::vector<BatchWrite> deletions;
    for (Item& key : keys) {
      if (!at_source.contains(key.bytes())) deletions.push_back({.is_delete = true, .item = std::move(key)});
    }
    removed += std::ssize(deletions);
    parts.items += std::ssize(keys);
    TRY(parts.writer.write(parts.target_table, std::move(deletions)));
    request.exclusive_start_key = page.last_evaluated_key;
  } while (request.exclusive_start_key);
  return removed;
}

}  // namespace

Result<int64_t> remove_extra_items(const ExtraItemsParts& parts, const std::function<void()>& tick) {
  std::atomic<int64_t> removed = 0;
  TRY(in_parallel(
      parts.threads, parts.segments,
      [&](size_t segment) -> Result<void> {
        TRY_INTO(const int64_t removed_items, remove_of_segment(parts, segment));
        removed += removed_items;
        return {};
      },
      tick));
  return removed.load();
}

}  // namespace trestle::copy
