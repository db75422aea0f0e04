#include "runtime/background/stream_tallies.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/backoff.h"
#include "model/number.h"
#include "runtime/background/tally_update.h"

namespace trestle::runtime {
namespace {

constexpr size_t kTargetsMax = 60;      // with the checkpoint, well below a transaction's 100
constexpr size_t kUnstoredMax = 2'000;  // records of no consequence that a restart would read again
constexpr int kTriesMax = 30;
constexpr int kDrainPollsMax = 1'000'000;

// Adds `more` to `into`; false, with both as they were, if that is more than one transaction should hold.
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
    if (figures > kTallyFiguresMax) return false;
  }
  if (!into.empty() && into.size() + fresh > kTargetsMax) return false;
  for (const auto& [name, target] : more) {
    const auto [at, is_new] = into.emplace(name, target);
    if (is_new) continue;
    for (const auto& [figure, amount] : target.amounts) {
      std::string& sum = at->second.amounts.emplace(figure, "0").first->second;
      if (const auto total = add(number_of(sum), number_of(amount))) sum = total->text();
    }
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
  for (auto& source : tables_) {
    TRY_INTO(const size_t some,
             source->reader.poll([&](const StreamBatch& batch) { return apply(*source, batch, now_ms); }, now_ms));
    records += some;
  }
  return records;
}

Outcome<void> StreamTallies::drain(int64_t now_ms) {
  for (int polls = 0; polls < kDrainPollsMax; ++polls) {
    TRY(poll(now_ms));
    const bool drained =
        std::all_of(tables_.begin(), tables_.end(), [](const auto& source) { return source->reader.is_drained(); });
    if (drained) return {};
  }
  return refuse(503, "The stream grows faster than it is read.");
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
  TallyTargets targets;
  for (const StreamRecord& record : batch.records) {
    auto more = targets_of(source, record, now_ms);
    // An item that cannot be counted (an invalid date) must not block all others; verification reports it.
    if (!more && more.error().status != 400) return std::unexpected(std::move(more.error()));
    if (more && !merge(targets, *more)) {
      TRY(write(source, batch.shard, from, reached, targets, now_ms));
      from = reached;
      targets = std::move(*more);
    }
    reached.sequence_number = record.sequence_number;
  }
  TallyChange::simplify(targets);
  const bool waits = targets.empty() && !batch.end.ended && batch.unstored + batch.records.size() < kUnstoredMax;
  // A position in the middle of the batch has been stored, although its end has not.
  if (waits && from == batch.stored) return false;
  TRY(write(source, batch.shard, from, batch.end, targets, now_ms));
  return true;
}

Outcome<void> StreamTallies::write(Source& source, const std::string& shard, const ShardPosition& from,
                                   const ShardPosition& to, const TallyTargets& targets, int64_t now_ms) {
  TallyTargets left = targets;
  TallyChange::simplify(left);
  if (left.empty()) {
    if (from == to) return {};
    return source.reader.store(shard, from, to);
  }
  std::map<std::string, TallyUpdate> updates;
  const ExtremeQuery query{.design = design_, .codec = codec_, .form = form_, .send = [this](QueryRequest& request) {
                             return database_.query(request);
                           }};
  for (const auto& [name, target] : left) updates.try_emplace(name, design_, form_, codec_, target, now_ms);
  for (const auto& [name, target] : left) {
    if (!updates.at(name).needs_item()) continue;
    const auto is =
        database_.get_item({.table_name = target.entity->table, .key = target.key, .consistent_read = true});
    if (!is) return std::unexpected(refused_by(is.error()));
    TRY_INTO(const bool counts,
             updates.at(name).adapt(is->item ? std::optional(is->item->view()) : std::nullopt, query));
    if (!counts) updates.erase(name);
  }
  const Backoff backoff{.base_ms = 5, .cap_ms = 500};
  for (unsigned tries = 1;; ++tries) {
    TransactWriteItemsRequest request;
    request.writes.push_back(source.reader.checkpoint(shard, from, to));
    std::vector<std::string> order;
    for (const auto& [name, update] : updates) {
      TRY_INTO(TransactWrite one, update.write());
      request.writes.push_back(std::move(one));
      order.push_back(name);
    }
    const auto done = database_.transact_write_items(request);
    if (done) {
      ++written_;
      source.reader.note_stored(shard, to);
      return {};
    }
    const Error& error = done.error();
    if (tries >= kTriesMax || error.code != ErrorCode::kTransactionCanceled || error.reasons == nullptr ||
        error.reasons->size() != request.writes.size())
      return std::unexpected(refused_by(error));
    if ((*error.reasons)[0].code == "ConditionalCheckFailed")
      return refuse(409, fmt::format("Another process reads the stream of {}.", source.table->name));
    bool adapted = false;
    for (size_t i = 0; i < order.size(); ++i) {
      const CancellationReason& reason = (*error.reasons)[i + 1];
      if (reason.code != "ConditionalCheckFailed") continue;
      adapted = true;
      const bool there = reason.item != nullptr && !reason.item->bytes().empty();
      TRY_INTO(const bool counts,
               updates.at(order[i]).adapt(there ? std::optional(reason.item->view()) : std::nullopt, query));
      if (!counts) updates.erase(order[i]);
    }
    if (!adapted) sleep_for_ms({}, backoff.delay_ms(tries));
  }
}

}  // namespace trestle::runtime
