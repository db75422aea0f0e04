#include <fmt/format.h>

#include "engine/items/item_operations.h"
#include "engine/items/page.h"
#include "engine/tables/find_table.h"

namespace trestle {
namespace {

Result<CompiledPage> compile_scan(const ScanRequest& request) {
  TRY_INTO(Binding binding, Binding::make(request.placeholders, has_expression(request),
                                          request.filter_expression.has_value(), "FilterExpression is null"));
  TRY_INTO(CompiledPage compiled, compile_page(request, binding));
  TRY(binding.all_used());
  return compiled;
}

}  // namespace

Result<ScanResponse> scan(ItemParts& parts, const ScanRequest& request, Call& call) {
  TRY_INTO(const CompiledPage compiled, compile_scan(request));
  TRY_INTO(auto table, find_table(parts, request.table_name));
  TRY(check_readable_index(table->description, request, "Scan"));
  TRY_INTO(const PageSource source, page_source(std::move(table), request, compiled));
  const auto segment = static_cast<uint32_t>(request.segment.value_or(0));
  const auto total = static_cast<uint32_t>(request.total_segments.value_or(1));
  CursorOptions options{.range = segment_range(source.keyspace, segment, total),
                        .fill_cache = scan_fills_cache(source, parts.options.store.cache_bytes)};
  if (request.exclusive_start_key) {
    TRY_INTO(options.after, encode_start_key(source, *request.exclusive_start_key, true));
    if (options.after < options.range.begin || options.after >= options.range.end) {
      return invalid(
          fmt::format("The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                      "ExclusiveStartKey with correct Segment. TotalSegments: {} Segment: {}",
                      total, segment));
    }
  }
  auto response = PageReader(parts, request, compiled, source).read(std::move(options));
  call.commit = parts.store->commit_seen();
  return response;
}

}  // namespace trestle
