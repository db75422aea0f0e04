// Cascades: the deletion, page by page, of everything that belongs to an item, and its entry in the journal.
//
// The note is an item of the journal: PK "JOB#<design>", SK the job's id, `operation`, `inputs` (a map of every name
// that the steps behind the noting one use) and `started`. It is written with the operation's first write and removed
// by its last, so a note that is found without a call running is work that a crash cut short. Doing it again is
// harmless. With `key`, the operation has undos and the note names the record of the call (idempotence.cc), which
// knows how far it has come.
#include <algorithm>

#include "runtime/call/execution.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {

using design::PlanStep;
using design::RequestKind;

namespace {

constexpr size_t kBatchWriteMax = 25;
constexpr int64_t kCascadePage = 200;
constexpr int kCascadeRoundsMax = 20;

}  // namespace

Outcome<WriteAction> Execution::journal_action(const PreparedRequest& prepared) {
  WriteAction action{.prepared = nullptr, .kind = prepared.request.kind, .table = prepared.request.table};
  if (prepared.request.kind == RequestKind::kPutItem) {
    if (job_.empty()) job_ = make_ulid(now_ms_);
    names_["job"] = Plain::text(job_);
  }
  const Value partition = Value::string("JOB#" + core_.design.name);
  const Value job = Value::string(job_);
  action.key = Item({{"PK", partition}, {"SK", job}});
  if (prepared.request.kind != RequestKind::kPutItem) return action;
  Plain inputs = Plain::map();
  for (const design::Input& input : prepared_.operation.takes) {
    const auto name = names_.find(input.name);
    if (name != names_.end() && name->second.exists()) inputs.set(input.name, name->second);
  }
  for (const std::string& used : prepared_.job_names) {
    const auto name = names_.find(used);
    if (name != names_.end() && name->second.exists() && used != "job") inputs.set(used, name->second);
  }
  if (context_.caller.exists()) inputs.set("caller", context_.caller);
  TRY_INTO(const Value noted, to_value(inputs, ValueType::kMap));
  const Value operation = Value::string(prepared_.operation.name);
  const Value started = Value::number(now_ms_ / 1000);
  const Value key = Value::string(key_);
  std::vector<Field> fields = {
      {"PK", partition}, {"SK", job}, {"operation", operation}, {"inputs", noted}, {"started", started}};
  if (prepared_.undoes) fields.push_back({"key", key});
  action.item = Item(std::move(fields));
  return action;
}

Done<void> Execution::delete_batch(const std::string& table, std::vector<Item> keys) {
  for (size_t from = 0; from < keys.size(); from += kBatchWriteMax) {
    BatchWriteTable part{.table_name = table};
    for (size_t i = from; i < std::min(keys.size(), from + kBatchWriteMax); ++i)
      part.writes.push_back({.is_delete = true, .item = std::move(keys[i])});
    BatchWriteItemRequest request{.tables = {std::move(part)}};
    for (int tries = 0; !request.tables.empty(); ++tries) {
      auto answer = send(&Database::batch_write_item, request);
      if (!answer) return std::unexpected(Stop(refused_by(answer.error())));
      request.tables = std::move(answer->unprocessed);
      if (request.tables.empty()) break;
      if (tries >= kUnprocessedTriesMax)
        return std::unexpected(
            Stop(refused_by({.code = ErrorCode::kProvisionedThroughputExceeded, .message = "unprocessed writes"})));
      back_off(tries + 3);
    }
  }
  return {};
}

Done<void> Execution::cascade_step(const PlanStep& step) {
  const PreparedRequest& query = prepared_.of(step.requests[0]);
  const bool alone = step.requests.size() == 2 && step.requests[1].pieces.empty();
  PageBounds bounds{.limit = kCascadePage, .descending = false, .position = {}};
  int rounds = 0;
  for (;;) {
    TRY_INTO(const Page page, read_page(query, bounds));
    std::vector<Item> keys;
    bool changed_meanwhile = false;
    for (const Item& item : page.items) {
      TRY_INTO(names_["item"], decode("item", query, item));
      if (alone) {
        const PreparedRequest& removal = prepared_.of(step.requests[1]);
        TRY_INTO(const Plain fields, fields_of(removal));
        TRY_INTO(auto key, key_of(removal, fields));
        if (key && std::find(keys.begin(), keys.end(), *key) == keys.end()) keys.push_back(std::move(*key));
        continue;
      }
      // With guards or children: each in a separate transaction. An item that changed meanwhile is found again.
      PlanStep removal{.kind = PlanStep::Kind::kWrite};
      TRY_INTO(auto actions, actions_of(step.requests, 1));
      ++depth_;
      auto done = write(removal, actions);
      --depth_;
      if (!done && done.error().kind == Stop::Kind::kAgain)
        changed_meanwhile = true;
      else if (!done && done.error().refused.status != 404)
        return std::unexpected(std::move(done.error()));
    }
    names_.erase("item");
    TRY(delete_batch(step.requests[1].table, std::move(keys)));
    bounds.position = page.position;
    if (!page.position.empty()) continue;
    if (!changed_meanwhile || ++rounds > kCascadeRoundsMax) return {};
  }
}

}  // namespace trestle::runtime
