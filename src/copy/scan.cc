#include "copy/scan.h"

#include <fmt/format.h>

#include "copy/parallel.h"
#include "model/limits.h"

namespace trestle::copy {
namespace {

constexpr int64_t kPageItems = 500;

struct Piece {
  size_t table, segment;
  std::string source, target;
  int64_t segments;
  std::optional<Item> cursor;
};

std::vector<Piece> pieces_left(const CopyState& state) {
  std::vector<Piece> pieces;
  for (size_t t = 0; t < state.tables.size(); ++t) {
    const TableState& table = state.tables[t];
    for (size_t s = 0; s < table.segments.size(); ++s) {
      if (table.segments[s].done) continue;
      pieces.push_back({.table = t,
                        .segment = s,
                        .source = table.source,
                        .target = table.target,
                        .segments = static_cast<int64_t>(table.segments.size()),
                        .cursor = table.segments[s].cursor});
    }
  }
  return pieces;
}

Result<void> copy_segment(const ScanParts& parts, const Piece& piece) {
  ScanRequest request;
  request.table_name = piece.source;
  request.segment = static_cast<int64_t>(piece.segment);
  request.total_segments = piece.segments;
  request.exclusive_start_key = piece.cursor;
  request.limit = kPageItems;
  request.consistent_read = true;
  request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  do {
    if (parts.pace.stop.is_requested()) return stopped();
    auto page = with_retries(parts.pace.patience, parts.pace.stop, [&] { return parts.source.scan(request); });
    if (!page) return failure(page.error().code, fmt::format("scan of {}: {}", piece.source, page.error().message));
    std::vector<BatchWrite> writes;
    int64_t bytes = 0;
    for (size_t i = 0; i < page->items.size(); ++i) {
      bytes += static_cast<int64_t>(page->items[i].size_bytes());
      writes.push_back({.item = Item(page->items[i])});
    }
    const double units =
        page->consumed_capacity ? page->consumed_capacity->total : static_cast<double>(bytes) / kReadUnitBytes;
    TRY(parts.writer.write(piece.target, std::move(writes)));
    request.exclusive_start_key = page->last_evaluated_key;
    parts.state.change([&](CopyState& state) {
      SegmentState& segment = state.tables[piece.table].segments[piece.segment];
      segment.items += static_cast<int64_t>(page->items.size());
      segment.bytes += bytes;
      segment.cursor = page->last_evaluated_key;
      segment.done = !page->last_evaluated_key.has_value();
    });
    if (!parts.pace.read_units.take(units, parts.pace.stop)) return stopped();
  } while (request.exclusive_start_key);
  return {};
}

}  // namespace

ScanProgress scan_progress(const CopyState& state) {
  ScanProgress progress;
  for (const TableState& table : state.tables) {
    progress.items += table.items();
    progress.bytes += table.bytes();
    for (const SegmentState& segment : table.segments) progress.segments_left += segment.done ? 0 : 1;
  }
  return progress;
}

Result<void> scan_tables(const ScanParts& parts, const std::function<void()>& tick) {
  const std::vector<Piece> pieces = pieces_left(parts.state.read());
  return in_parallel(parts.threads, pieces.size(), [&](size_t i) { return copy_segment(parts, pieces[i]); }, tick);
}

}  // namespace trestle::copy
