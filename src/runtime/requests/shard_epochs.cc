#include "runtime/requests/shard_epochs.h"

#include <algorithm>

#include "runtime/expressions/comparison.h"
#include "runtime/items/typed_value.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {

using design::Request;
using design::RequestKind;

Outcome<void> check_id_times(const RequestParts& parts, const Request& request, const Plain& fields) {
  if (request.kind != RequestKind::kPutItem || request.entity == nullptr) return {};
  for (const design::Shard& shard : request.entity->shards) {
    const Plain& of = fields.member(shard.of);
    if (shard.epochs_field.empty() || !of.is(Plain::Kind::kText)) continue;
    const auto time = ulid_time(of.string());
    if (!time) continue;
    if (*time <= parts.state.now_ms + shard.lead_s * 500) {
      int64_t newest = parts.newest_id_ms.load();
      while (newest < *time && !parts.newest_id_ms.compare_exchange_weak(newest, *time)) {
      }
      continue;
    }
    return std::unexpected(refused_inputs({{.field = shard.of, .reason = "is dated in the future"}}));
  }
  return {};
}

Outcome<void> start_epochs_late(const RequestParts& parts, const Request& request, Plain& fields) {
  if (request.entity == nullptr || request.kind == RequestKind::kDeleteItem) return {};
  for (const design::Entity& entity : parts.design.entities) {
    for (const design::Shard& shard : entity.shards) {
      if (shard.epochs_entity != request.entity->name || !fields.member(shard.epochs_field).is(Plain::Kind::kList))
        continue;
      Plain list = fields.member(shard.epochs_field);
      Plain::List& epochs = list.elements();
      if (epochs.empty() || !epochs.back().is(Plain::Kind::kMap)) continue;
      const auto from = time_of(epochs.back().member("from"));
      // Epochs that have already begun do not change.
      if (!from || *from <= parts.state.now_ms) continue;
      int64_t earliest = parts.newest_id_ms.load() + 1;
      for (size_t i = 0; i + 1 < epochs.size(); ++i)
        earliest = std::max(earliest, time_of(epochs[i].member("from")).value_or(0) + 1);
      if (*from >= earliest) continue;
      epochs.back().set("from", Plain::moment((earliest + 999) / 1000 * 1000));
      const design::Field* field = request.entity->field(shard.epochs_field);
      TRY_INTO(list, convert_to_type(parts.design, field->type, std::move(list), field->name));
      fields.set(shard.epochs_field, std::move(list));
    }
  }
  return {};
}

}  // namespace trestle::runtime
