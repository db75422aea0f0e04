#include "copy/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "copy/digest.h"
#include "copy/key_names.h"
#include "copy/parallel.h"
#include "copy/progress.h"
#include "model/callers/complete_batches.h"

namespace trestle::copy {
namespace {

using ItemsByKey = std::map<std::string, Item>;

struct Shared {
  Mutex mutex;
  Digest source GUARDED_BY(mutex), target GUARDED_BY(mutex);
  VerifyReport report GUARDED_BY(mutex);
};

bool is_expired(const Definition& definition, ItemView item, int64_t now_ms) {
  if (!definition.ttl_attribute) return false;
  const auto value = item.find(*definition.ttl_attribute);
  if (!value || value->type() != ValueType::kNumber) return false;
  const auto now = Value::number(now_ms / 1000);
  const auto order = compare(*value, now.view());
  return order && *order <= 0;
}

std::vector<std::string> differing_attributes(ItemView a, ItemView b) {
  std::vector<std::string> names;
  for (const Field& field : a.attributes()) {
    const auto other = b.find(field.name);
    if (!other || *other != field.value) names.emplace_back(field.name);
  }
  for (const Field& field : b.attributes()) {
    if (!a.find(field.name)) names.emplace_back(field.name);
  }
  return names;
}

class Verification {
 public:
  explicit Verification(const VerifyParts& parts)
      : parts_(parts), names_(key_names(parts.source.definition.table.key)) {}

  Result<VerifyReport> run(const std::function<void()>& tick) {
    const std::vector<const VerifySide*> sides = {&parts_.source, &parts_.target};
    const auto segments = static_cast<size_t>(std::max(1u, parts_.threads));
    TRY(in_parallel(
        parts_.threads, sides.size() * segments,
        [&](size_t i) { return digest_segment(*sides[i % 2], i / 2, segments); }, tick));
    Digest::Buckets differing;
    {
      const MutexLock lock(shared_.mutex);
      differing = shared_.source.differing(shared_.target);
      shared_.report.source_items = shared_.source.count();
      shared_.report.target_items = shared_.target.count();
    }
    if (differing.any()) {
      TRY(in_parallel(
          parts_.threads, sides.size() * segments,
          [&](size_t i) { return compare_segment(*sides[i % 2], i / 2, segments, differing); }, tick));
    }
    const MutexLock lock(shared_.mutex);
    auto& shown = shared_.report.shown;
    std::ranges::sort(
        shown, {}, [](const Difference& shown_difference) { return std::string_view(shown_difference.key.bytes()); });
    return shared_.report;
  }

 private:
  bool is_source(const VerifySide& side) const { return &side == &parts_.source; }

  // Reads a segment of one table, page by page.
  template <class Use>
  Result<void> scan(const VerifySide& side, size_t segment, size_t segments, Use use) {
    ScanRequest request;
    request.table_name = side.definition.table.name;
    request.segment = static_cast<int64_t>(segment);
    request.total_segments = static_cast<int64_t>(segments);
    request.consistent_read = true;
    request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
    do {
      if (parts_.pace.stop.is_requested()) return stopped();
      TRY_INTO(const auto page,
               with_retries(parts_.pace.patience, parts_.pace.stop, [&] { return side.database.scan(request); }));
      TRY(use(page.items));
      parts_.items.fetch_add(static_cast<int64_t>(page.items.size()));
      if (page.consumed_capacity && !parts_.pace.read_units.take(page.consumed_capacity->total, parts_.pace.stop)) {
        return stopped();
      }
      request.exclusive_start_key = page.last_evaluated_key;
    } while (request.exclusive_start_key);
    return {};
  }

  Result<void> digest_segment(const VerifySide& side, size_t segment, size_t segments) {
    Digest digest;
    TRY(scan(side, segment, segments, [&](const ItemList& items) -> Result<void> {
      for (size_t i = 0; i < items.size(); ++i) digest.add(project(items[i], names_), items[i]);
      return {};
    }));
    const MutexLock lock(shared_.mutex);
    (is_source(side) ? shared_.source : shared_.target).add(digest);
    return {};
  }

  Result<void> compare_segment(const VerifySide& side, size_t segment, size_t segments,
                               const Digest::Buckets& differing) {
    return scan(side, segment, segments, [&](const ItemList& items) -> Result<void> {
      std::vector<Item> keys;
      ItemsByKey here;
      for (size_t i = 0; i < items.size(); ++i) {
        Item key = project(items[i], names_);
        if (!differing[Digest::bucket_of(key)]) continue;
        here.emplace(key.bytes(), Item(items[i]));
        keys.push_back(std::move(key));
      }
      TRY_INTO(const ItemsByKey there, get(is_source(side) ? parts_.target : parts_.source, keys));
      std::vector<Item> doubtful;
      for (Item& key : keys) {
        const auto other = there.find(key.bytes());
        // Items that both sides have are compared only when the source is scanned.
        const bool same = other != there.end() && (!is_source(side) || other->second == here.at(key.bytes()));
        if (!same) doubtful.push_back(std::move(key));
      }
      return compare_again(doubtful);
    });
  }

  Result<ItemsByKey> get(const VerifySide& side, const std::vector<Item>& keys) {
    ItemsByKey items;
    if (keys.empty()) return items;
    const BatchGetItemRequest request{
        .tables = {{.table_name = side.definition.table.name, .keys = keys, .consistent_read = true}}};
    TRY_INTO(const auto reply, with_retries(parts_.pace.patience, parts_.pace.stop,
                                            [&] { return batch_get_all(side.database, request); }));
    for (const auto& [table, found] : reply.responses) {
      for (size_t i = 0; i < found.size(); ++i) items.emplace(project(found[i], names_).bytes(), Item(found[i]));
    }
    return items;
  }

  Result<void> compare_again(const std::vector<Item>& keys) {
    TRY_INTO(const ItemsByKey source, get(parts_.source, keys));
    TRY_INTO(const ItemsByKey target, get(parts_.target, keys));
    for (const Item& key : keys) {
      const auto here = source.find(key.bytes());
      const auto there = target.find(key.bytes());
      if (here == source.end() && there == target.end()) continue;
      if (there == target.end()) {
        report({.kind = Difference::Kind::kMissing, .key = key}, here->second);
      } else if (here == source.end()) {
        report({.kind = Difference::Kind::kExtra, .key = key}, there->second);
      } else if (here->second != there->second) {
        report({.kind = Difference::Kind::kDiffers,
                .key = key,
                .attributes = differing_attributes(here->second, there->second)},
               here->second);
      }
    }
    return {};
  }

  void report(Difference difference, ItemView item) {
    const bool one_sided = difference.kind != Difference::Kind::kDiffers;
    const bool expired = is_expired(parts_.source.definition, item, parts_.now_ms) ||
                         is_expired(parts_.target.definition, item, parts_.now_ms);
    const MutexLock lock(shared_.mutex);
    VerifyReport& report = shared_.report;
    if (one_sided && expired) {
      ++report.expired;
      return;
    }
    ++report.differences;
    if (report.shown.size() < parts_.shown_max) report.shown.push_back(std::move(difference));
  }

  const VerifyParts& parts_;
  const std::vector<std::string> names_;
  Shared shared_;
};

}  // namespace

std::string Difference::text() const {
  switch (kind) {
    case Kind::kMissing:
      return item_json(key) + ": missing at the target";
    case Kind::kExtra:
      return item_json(key) + ": only at the target";
    case Kind::kDiffers:
      return fmt::format("{}: differs in {}", item_json(key), fmt::join(attributes, ", "));
  }
  return {};
}

std::vector<std::string> report_lines(const std::string& table, const VerifyReport& report) {
  const auto number = [](uint64_t count) { return with_thousands(static_cast<int64_t>(count)); };
  std::vector<std::string> lines;
  lines.reserve(report.shown.size() + 2);
  for (const Difference& difference : report.shown) lines.push_back("  " + difference.text());
  if (report.differences > report.shown.size()) {
    lines.push_back(fmt::format("  and {} more", number(report.differences - report.shown.size())));
  }
  std::string words = "equal";
  if (report.differences > 0) {
    words = fmt::format("{} difference{}", number(report.differences), report.differences == 1 ? "" : "s");
  }
  if (report.expired > 0) words += fmt::format(" ({} expired items are on one side only)", number(report.expired));
  lines.push_back(fmt::format("verify {}: {} items at the source, {} at the target: {}", table,
                              number(report.source_items), number(report.target_items), words));
  return lines;
}

Result<VerifyReport> verify_table(const VerifyParts& parts, const std::function<void()>& tick) {
  return Verification(parts).run(tick);
}

}  // namespace trestle::copy
