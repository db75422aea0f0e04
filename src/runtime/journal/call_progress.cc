// The progress of a recorded call: recording it, and resuming the call from it.
//
// A resumed call skips the completed steps. It repeats their reads and `let`s only for results that were not recorded,
// which are those of earlier members of a `for`.
#include <algorithm>
#include <charconv>

#include "runtime/items/stored_item.h"
#include "runtime/journal/call_record.h"
#include "runtime/journal/sealed_text.h"
#include "runtime/requests/request_values.h"

namespace trestle::runtime {

using design::RequestKind;

namespace {

// A call that has had no answer for longer than this was interrupted by a crash.
constexpr int64_t kAnswerTimeoutS = 10;
constexpr std::string_view kUndoPrefix = "undo.";  // prefix of `step` while the call is being undone

std::vector<size_t> path_of(std::string_view step) {
  std::vector<size_t> path;
  while (!step.empty()) {
    const std::string_view part = step.substr(0, step.find('.'));
    size_t place = 0;
    std::from_chars(part.data(), part.data() + part.size(), place);
    path.push_back(place);
    step.remove_prefix(std::min(part.size() + 1, step.size()));
  }
  return path;
}

}  // namespace

std::string CallRecord::step_name() const {
  const StepPosition& at = parts_.state.at;
  if (at.undoing) return std::string(kUndoPrefix) + std::to_string(*at.undoing);
  std::string name;
  for (const size_t place : at.path) name += (name.empty() ? "" : ".") + std::to_string(place);
  return name;
}

WriteAction CallRecord::next_write(const std::vector<WriteAction>& actions) const {
  WriteAction action{
      .prepared = nullptr, .kind = RequestKind::kUpdateItem, .table = std::string(design::kJournalTable)};
  action.key = key();
  action.update = "SET #step = :step, #names = :names";
  action.condition = "#step = :before";
  NameMap names{{"#step", "step"}, {"#names", "names"}};
  ValueMap values{{":step", Value::string(step_name())},
                  {":names", Value::binary(sealed(encode_names(parts_.state)))},
                  {":before", Value::string(recorded_step_)}};
  if (const WriteAction* main = parts_.state.at.depth == 0 ? main_of(actions, parts_.plan.plan.idempotent) : nullptr) {
    action.update = "SET #step = :step, #names = :names, #table = :table, #entity = :entity, #key = :key";
    names.insert(names.end(), {{"#table", "table"}, {"#entity", "entity"}, {"#key", "key"}});
    std::vector<Field> key;
    for (const Field& field : main->key.attributes()) key.push_back(field);
    values.emplace_back(":table", Value::string(main->table));
    values.emplace_back(":entity", Value::string(main->prepared->request.entity->name));
    values.emplace_back(":key", Value::map(std::move(key)));
  }
  action.placeholders.names = std::move(names);
  action.placeholders.values = std::move(values);
  return action;
}

// Whether the call of a record without an answer is no longer running.
bool CallRecord::is_interrupted(ItemView record) const {
  if (!record.find("step") || !record.find("names")) return false;
  if (parts_.context.repeats_first_call) return true;
  const auto started = record.find("started");
  const int64_t started_s = started ? std::atoll(std::string(started->scalar()).c_str()) : 0;
  if (!parts_.options.remote && started_s < parts_.opened_ms / 1000) return true;
  return parts_.state.now_ms / 1000 - started_s >= kAnswerTimeoutS;
}

Outcome<void> CallRecord::resume_from(ItemView record) {
  TRY_INTO(std::string bytes,
           open_text(parts_.options.keys, record.find("names")->scalar(), key().find("SK")->scalar()));
  Interrupted found;
  TRY_INTO(found.recorded, decode_names(parts_.design, std::move(bytes)));
  recorded_step_ = record.find("step")->scalar();
  resumes_undo_ = recorded_step_.starts_with(kUndoPrefix);
  if (!resumes_undo_) found.step = path_of(recorded_step_);
  parts_.state.now_ms = found.recorded.now_ms;
  if (record.find("table")) {
    found.entity = parts_.design.entity(record.find("entity")->scalar());
    std::vector<Field> key;
    for (const Field& field : record.find("key")->map()) key.push_back(field);
    found.key = Item(std::move(key));
  }
  is_written_ = true;
  interrupted_ = std::move(found);
  restore_names();
  const Names& names = parts_.state.names;
  if (const auto job = names.find("$job"); job != names.end() && job->second.is(Plain::Kind::kText)) {
    job_ = job->second.string();
    begin_job();
  }
  return {};
}

void CallRecord::restore_names() {
  for (const auto& [name, value] : interrupted_->recorded.names) {
    parts_.state.names[name] = value;
    parts_.state.forget_stored(name);
  }
  for (const auto& [name, entity] : interrupted_->recorded.entity_of) parts_.state.entity_of[name] = entity;
}

bool CallRecord::is_past() const {
  const StepPosition& at = parts_.state.at;
  if (!interrupted_ || at.also_depth > 0 || at.undoing) return false;
  const std::vector<size_t>& last = interrupted_->step;
  const bool encloses = at.path.size() < last.size() && std::equal(at.path.begin(), at.path.end(), last.begin());
  return !encloses && at.path <= last;
}

void CallRecord::restore_block() {
  const std::vector<size_t>& path = parts_.state.at.path;
  const std::vector<size_t>& last = interrupted_->step;
  if (path.size() <= last.size() && std::equal(path.begin(), path.end() - 1, last.begin())) restore_names();
}

Outcome<void> CallRecord::restore_written(const design::PlanStep& step, const RequestParts& requests) {
  if (interrupted_->entity == nullptr || parts_.plan.operation.returns) return {};
  for (const design::Request& request : step.requests) {
    if (request.entity != interrupted_->entity || request.guard != nullptr || request.each != nullptr ||
        request.tally != nullptr || request.kind == RequestKind::kConditionCheck)
      continue;
    WrittenItem item{.entity = interrupted_->entity, .fields = {}, .read = nullptr, .key = interrupted_->key};
    if (request.kind == RequestKind::kDeleteItem) {
      const auto before = parts_.state.names.find(parts_.plan.of(request).current);
      if (before != parts_.state.names.end()) {
        item.fields = before->second;
      } else {
        TRY_INTO(item.fields, fields_of(requests, parts_.plan.of(request)));
      }
    } else {
      item.read = &parts_.plan.of(request);
    }
    parts_.state.written = std::move(item);
  }
  return {};
}

Outcome<void> CallRecord::begin_undo() {
  parts_.state.at.undoing = parts_.plan.plan.steps.size();
  const WriteAction action = next_write({});
  const std::string step = step_name();
  parts_.state.at.undoing.reset();
  UpdateItemRequest request{.table_name = action.table, .key = action.key};
  request.update_expression = action.update;
  request.condition.expression = action.condition;
  request.placeholders = action.placeholders;
  const auto done =
      parts_.sender.send_past_conflicts([&] { return parts_.sender.send(&Database::update_item, request); });
  if (!done) return std::unexpected(refused_by(done.error()));
  recorded_step_ = step;
  return {};
}

WriteAction CallRecord::removal() const {
  WriteAction action{
      .prepared = nullptr, .kind = RequestKind::kDeleteItem, .table = std::string(design::kJournalTable)};
  action.key = key();
  return action;
}

Outcome<void> CallRecord::remove(bool keeps_record) {
  std::vector<WriteAction> actions;
  if (!keeps_record) actions.push_back(removal());
  if (has_job()) {
    actions.push_back(removal());
    actions.back().key = job_key();
  }
  if (actions.empty()) return {};
  const auto done = parts_.sender.send_past_conflicts([&] { return parts_.sender.transact(actions); });
  if (!done) return std::unexpected(refused_by(done.error()));
  if (!keeps_record) is_written_ = false;
  return {};
}

}  // namespace trestle::runtime
