#include "runtime/background/stream_tallies.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/backoff.h"
#include "base/test_point.h"
#include "model/number.h"
#include "runtime/background/tally_letters.h"
#include "runtime/background/tally_update.h"

namespace trestle::runtime {
namespace {

constexpr size_t kTargetsMax = 60;      // with the checkpoint, well below a transaction's 100
constexpr size_t kUnstoredMax = 2'000;  // records without effect that may follow a checkpoint
constexpr int kTriesMax = 30;
constexpr int kDrainPollsMax = 1'000'000;

// Whether a sum of amounts is outside the range of numbers.
bool sums_overflow(const TallyTarget& a, const TallyTarget& b) {
  return std::ranges::any_of(b.amounts, [&](const auto& amount) {
    const auto other = a.amounts.find(amount.first);
    return other != a.amounts.end() && !add(number_of(other->second), number_of(amount.second));
  });
}

// Adds `more` to `into`; false, with both unchanged, if the result would be too large for one transaction.
bool merge(TallyTargets& into, const TallyTargets& more) {
  size_t fresh = 0;
  for (const auto& [name, target] : more) {
    const auto has = into.find(name);
    if (has == into.end()) {
      ++fresh;
      continue;
    }
    size_t figures = has->second.amounts.size();
    for (const auto& [figure, amount] : target.amounts) figures += has->second.amounts.contains(figure) ? 0 : 1;
    figures += std::max(target.extremes.size(), has->second.extremes.size());
    if (figures > kTallyFiguresMax || sums_overflow(has->second, target)) return false;
  }
  if (!into.empty() && into.size() + fresh > kTargetsMax) return false;
  for (const auto& [name, target] : more) {
    const auto [at, is_new] = into.emplace(name, target);
    if (is_new) continue;
    TallyChange::add_amounts(at->second, target);
    for (const auto& [field, figure] : target.extremes) {
      const auto [known, is_first] = at->second.extremes.emplace(field, figure);
      if (!is_first) known->second.follow(figure);
    }
  }
  return true;
}

}  // namespace

StreamTallies::StreamTallies(const design::Design& design, Database& database, const ItemCodec& codec, ItemForm& form)
    : design_(design), database_(database), codec_(codec), change_(design, form), form_(form) {
  for (const design::Table& table : design.tables) {
    const bool counted = std::any_of(design.tallies.begin(), design.tallies.end(), [&](const design::Tally& tally) {
      const design::Entity* of = design.entity(tally.of);
      return tally.through_stream && of != nullptr && of->table == table.name;
    });
    if (!counted) continue;
    tables_.push_back(std::make_unique<Source>(
        Source{&table, StreamReader(database, {.design = design.name, .consumer = {}, .table = table.name})}));
  }
}

void StreamTallies::forget() {
  for (auto& source : tables_) source->reader.forget();
}

int64_t StreamTallies::lag_ms() const {
  int64_t most = 0;
  for (const auto& source : tables_) most = std::max(most, source->reader.lag_ms());
  return most;
}

uint64_t StreamTallies::gaps() const {
  uint64_t sum = 0;
  for (const auto& source : tables_) sum += source->reader.gaps();
  return sum;
}

Outcome<size_t> StreamTallies::poll(int64_t now_ms) {
  size_t records = 0;
  std::optional<Refused> failure;
  // A table whose stream cannot be read must not stop the others.
  for (auto& source : tables_) {
    auto some = source->reader.poll([&](const StreamBatch& batch) { return apply(*source, batch, now_ms); }, now_ms);
    if (some)
      records += *some;
    else if (!failure)
      failure = std::move(some.error());
  }
  if (failure) return std::unexpected(std::move(*failure));
  return records;
}

Outcome<void> StreamTallies::drain(int64_t now_ms) {
  for (int polls = 0; polls < kDrainPollsMax; ++polls) {
    TRY(poll(now_ms));
    const bool drained =
        std::all_of(tables_.begin(), tables_.end(), [](const auto& source) { return source->reader.is_drained(); });
    if (drained) return {};
  }
  return refuse(503, "The stream grows faster than it can be read.");
}

Outcome<TallyTargets> StreamTallies::targets_of(const Source& source, const StreamRecord& record, int64_t now_ms) {
  TallyTargets targets;
  const ItemKind kind = kind_of(design_, *source.table, record.keys);
  if (kind.entity == nullptr || kind.guard != nullptr) return targets;
  const auto counts = [&](const design::Tally& tally) { return tally.through_stream && tally.of == kind.entity->name; };
  if (std::none_of(design_.tallies.begin(), design_.tallies.end(), counts)) return targets;
  const std::string row = key_of(*source.table, record.keys).bytes();
  if (record.old_image) {
    TRY_INTO(const Plain fields, counted_fields(design_, codec_, *kind.entity, *record.old_image));
    TRY(change_.add(*kind.entity, fields, row, -1, false, now_ms, targets));
  }
  if (record.new_image) {
    TRY_INTO(const Plain fields, counted_fields(design_, codec_, *kind.entity, *record.new_image));
    TRY(change_.add(*kind.entity, fields, row, 1, false, now_ms, targets));
  }
  TallyChange::simplify(targets);
  return targets;
}

Outcome<bool> StreamTallies::apply(Source& source, const StreamBatch& batch, int64_t now_ms) {
  ShardPosition from = batch.stored;
  ShardPosition reached = batch.stored;
  Group group;
  for (const StreamRecord& record : batch.records) {
    auto more = targets_of(source, record, now_ms);
    // An item that cannot be counted (because of an invalid date, say) must not block the others; verification reports
    // it.
    if (!more && more.error().status != 400) return std::unexpected(std::move(more.error()));
    if (more && !merge(group.targets, *more)) {
      TRY(write_group(source, batch.shard, from, reached, group, now_ms));
      from = reached;
      group = {.targets = *more, .records = {}};
    }
    reached.sequence_number = record.sequence_number;
    if (more && !more->empty()) group.records.emplace_back(record.sequence_number, std::move(*more));
  }
  TallyChange::simplify(group.targets);
  const bool waits = group.targets.empty() && !batch.end.ended && batch.unstored + batch.records.size() < kUnstoredMax;
  // A position in the middle of the batch has been stored, although its end has not.
  if (waits && from == batch.stored) return false;
  TRY(write_group(source, batch.shard, from, batch.end, group, now_ms));
  return true;
}

Outcome<void> StreamTallies::write_group(Source& source, const std::string& shard, const ShardPosition& from,
                                         const ShardPosition& to, const Group& group, int64_t now_ms) {
  TRY_INTO(const bool written, write(source, shard, from, to, group.targets, false, now_ms));
  if (written) return {};
  ShardPosition at = from;
  for (const auto& [sequence_number, targets] : group.records) {
    const ShardPosition next{.sequence_number = sequence_number, .ended = false};
    TRY(write(source, shard, at, next, targets, true, now_ms));
    at = next;
  }
  TRY(write(source, shard, at, to, {}, true, now_ms));
  return {};
}

Outcome<bool> StreamTallies::write(Source& source, const std::string& shard, const ShardPosition& from,
                                   const ShardPosition& to, const TallyTargets& targets, bool is_last_try,
                                   int64_t now_ms) {
  TallyTargets left = targets;
  TallyChange::simplify(left);
  if (left.empty()) {
    if (from != to) TRY(source.reader.store(shard, from, to));
    return true;
  }
  std::map<std::string, TallyUpdate> updates;
  std::map<std::string, TransactWrite> letters;
  const ExtremeQuery query{.design = design_, .codec = codec_, .form = form_, .send = [this](QueryRequest& request) {
                             return database_.query(request);
                           }};
  const auto set_aside = [&](const std::string& name, const std::string& why) {
    letters.insert_or_assign(name, tally_letter(design_, name, left.at(name), why, now_ms));
    updates.erase(name);
  };
  const auto adapt = [&](const std::string& name, const std::optional<ItemView>& item) -> Outcome<void> {
    auto counts = updates.at(name).adapt(item, query);
    if (!counts && !counts.error().is_final()) return std::unexpected(std::move(counts.error()));
    if (!counts)
      set_aside(name, counts.error().message);
    else if (!*counts)
      updates.erase(name);
    return {};
  };
  for (const auto& [name, target] : left) {
    if (target.fault.empty())
      updates.try_emplace(name, design_, form_, codec_, target, now_ms);
    else
      set_aside(name, target.fault);
  }
  for (const auto& [name, target] : left) {
    const auto update = updates.find(name);
    if (update == updates.end() || !update->second.needs_item()) continue;
    const auto target_item =
        database_.get_item({.table_name = target.entity->table, .key = target.key, .consistent_read = true});
    if (!target_item) return std::unexpected(refused_by(target_item.error()));
    TRY(adapt(name, target_item->item ? std::optional(target_item->item->view()) : std::nullopt));
  }
  const Backoff backoff{.base_ms = 5, .cap_ms = 500};
  for (unsigned tries = 1;; ++tries) {
    TransactWriteItemsRequest request;
    request.writes.push_back(source.reader.checkpoint(shard, from, to));
    std::vector<std::string> order;
    for (const auto& [name, target] : left) {
      const auto update = updates.find(name);
      if (update == updates.end()) continue;
      auto write = update->second.write();
      if (!write && !write.error().is_final()) return std::unexpected(std::move(write.error()));
      if (!write) {
        set_aside(name, write.error().message);
        continue;
      }
      request.writes.push_back(std::move(*write));
      order.push_back(name);
    }
    for (const auto& [name, letter] : letters) request.writes.push_back(letter);
    TRESTLE_TEST_POINT("tallies.write");
    const auto done = database_.transact_write_items(request);
    if (done) {
      ++written_;
      source.reader.note_stored(shard, to);
      return true;
    }
    const Error& error = done.error();
    if (error.code == ErrorCode::kValidation && !updates.empty()) {
      if (!is_last_try && left.size() > 1) return false;
      for (const std::string& name : order) set_aside(name, error.message);
      continue;
    }
    if (tries >= kTriesMax || error.code != ErrorCode::kTransactionCanceled || error.reasons == nullptr ||
        error.reasons->size() != request.writes.size())
      return std::unexpected(refused_by(error));
    if ((*error.reasons)[0].code == "ConditionalCheckFailed")
      return refuse(409, fmt::format("Another process is reading the stream of {}.", source.table->name));
    bool changed = false;
    for (size_t i = 0; i < order.size(); ++i) {
      const CancellationReason& reason = (*error.reasons)[i + 1];
      const bool never = reason.code == "ValidationError" || reason.code == "ItemCollectionSizeLimitExceeded";
      if (!never && reason.code != "ConditionalCheckFailed") continue;
      changed = true;
      if (never) {
        set_aside(order[i], reason.message);
        continue;
      }
      const bool there = reason.item != nullptr && !reason.item->bytes().empty();
      TRY(adapt(order[i], there ? std::optional(reason.item->view()) : std::nullopt));
    }
    if (!changed) sleep_for_ms({}, backoff.delay_ms(tries));
  }
}

}  // namespace trestle::runtime
