// The job note, which makes an unfinished call known to the background work (call_record.h).
#include "runtime/items/stored_item.h"
#include "runtime/journal/call_record.h"
#include "runtime/journal/deleted_items.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {

using design::RequestKind;

Item CallRecord::job_key() const {
  return Item({{"PK", Value::string("JOB#" + parts_.design.name)}, {"SK", Value::string(job_)}});
}

void CallRecord::set_job(const std::string& job) {
  job_ = job;
  parts_.state.names["$job"] = Plain::text(job);
}

void CallRecord::begin_job() {
  if (has_job()) parts_.jobs.add(job_);
}

void CallRecord::end_job() {
  if (has_job()) parts_.jobs.remove(job_);
}

Outcome<void> CallRecord::fill_job_note(WriteAction& action) {
  if (action.kind == RequestKind::kPutItem) set_job(job_.empty() ? make_ulid(parts_.state.now_ms) : job_);
  action.key = job_key();
  if (action.kind != RequestKind::kPutItem) return {};
  const Names& names = parts_.state.names;
  Plain inputs = Plain::map();
  for (const design::Input& input : parts_.plan.operation.takes) {
    const auto name = names.find(input.name);
    if (name != names.end() && name->second.exists()) inputs.set(input.name, name->second);
  }
  for (const std::string& used : parts_.plan.job_names) {
    const auto name = names.find(used);
    if (name != names.end() && name->second.exists() && used != "$job") inputs.set(used, name->second);
  }
  if (const auto deleted = names.find(kDeletedItems); deleted != names.end() && deleted->second.exists())
    inputs.set(std::string(kDeletedItems), deleted->second);
  if (parts_.context.caller.exists()) inputs.set("$caller", parts_.context.caller);
  TRY_INTO(const Value recorded, to_value(inputs, ValueType::kMap));
  const Value operation = Value::string(parts_.plan.operation.name);
  const Value started = Value::number(parts_.state.now_ms / 1000);
  const Value key = Value::string(key_);
  std::vector<Field> fields;
  for (const Field& field : action.key.attributes()) fields.push_back(field);
  fields.insert(fields.end(), {{"operation", operation}, {"inputs", recorded}, {"started", started}});
  if (!key_.empty()) fields.push_back({"key", key});
  action.item = Item(std::move(fields));
  return {};
}

}  // namespace trestle::runtime
