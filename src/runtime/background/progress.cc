// The progress of a call with an idempotency key, so that an interrupted call is completed when it is repeated.
//
// Until a record (idempotence.cc) has its answer it has
//   step   the last step that wrote: its index among the steps, and within `for` the index of the member and its own:
//          "2.0.1"
//   names  sealed: the time the call began, every name as that step left it, and the entities of items
// Both are set in the transaction of that step's write, under the condition that `step` has the expected value. So each
// write is applied once, whichever process makes it: of two that resume a call, one is refused at its next write.
//
// A resumed call skips the completed steps. Their reads and `let`s are repeated only for results that were not
// recorded: those of members of a `for` before the last one. Names that are too large to be recorded take the values of
// the repeated call.
#include <algorithm>
#include <charconv>

#include "runtime/call/execution.h"
#include "runtime/items/stored_item.h"

namespace trestle::runtime {

using design::PlanStep;

namespace {

// An answer that is missing for longer belongs to a call that a crash cut short.
constexpr int64_t kAnswerAwaitedS = 10;
constexpr size_t kNamesBytesMax = 200'000;

// A type that DynamoDB lacks is stored as a map of one member whose name begins with this character; names that begin
// with it anyway get it twice.
constexpr char kMark = 1;
const std::string kMoment = std::string(1, kMark) + "moment";
const std::string kDuration = std::string(1, kMark) + "duration";
const std::string kEmptySet = std::string(1, kMark) + "set";

Plain storable(const Plain& value) {
  switch (value.kind()) {
    case Plain::Kind::kMoment:
      return Plain::map({{kMoment, Plain::number(value.integer())}});
    case Plain::Kind::kDuration:
      return Plain::map({{kDuration, Plain::number(value.integer())}});
    case Plain::Kind::kSet:
      return value.elements().empty() ? Plain::map({{kEmptySet, Plain::null()}}) : value;
    case Plain::Kind::kList: {
      Plain::List elements;
      for (const Plain& element : value.elements()) elements.push_back(storable(element));
      return Plain::list(std::move(elements));
    }
    case Plain::Kind::kMap: {
      Plain::Map members;
      for (const auto& [name, member] : value.members())
        members.emplace_back(name.starts_with(kMark) ? kMark + name : name, storable(member));
      return Plain::map(std::move(members));
    }
    default:
      return value;
  }
}

Plain recalled(const Plain& value) {
  if (value.is(Plain::Kind::kList)) {
    Plain::List elements;
    for (const Plain& element : value.elements()) elements.push_back(recalled(element));
    return Plain::list(std::move(elements));
  }
  if (!value.is(Plain::Kind::kMap)) return value;
  if (value.members().size() == 1) {
    const auto& [name, member] = value.members()[0];
    if (name == kEmptySet) return Plain::set({});
    if (name == kMoment || name == kDuration) {
      const int64_t number = std::atoll(member.string().c_str());
      return name == kMoment ? Plain::moment(number) : Plain::duration(number);
    }
  }
  Plain::Map members;
  for (const auto& [name, member] : value.members())
    members.emplace_back(name.starts_with(kMark) ? name.substr(1) : name, recalled(member));
  return Plain::map(std::move(members));
}

std::vector<size_t> places_of(std::string_view step) {
  std::vector<size_t> places;
  while (!step.empty()) {
    const std::string_view one = step.substr(0, step.find('.'));
    size_t place = 0;
    std::from_chars(one.data(), one.data() + one.size(), place);
    places.push_back(place);
    step.remove_prefix(std::min(one.size() + 1, step.size()));
  }
  return places;
}

}  // namespace

std::string Execution::step_name() const {
  if (undoing_) return std::string(kUndoing) + std::to_string(*undoing_);
  std::string name;
  for (const size_t place : path_) name += (name.empty() ? "" : ".") + std::to_string(place);
  return name;
}

std::string Execution::sealed_names() const {
  struct Noted {
    std::string name;
    Value value;
  };
  std::vector<Noted> noted;
  size_t bytes = 0;
  for (const auto& [name, plain] : names_) {
    if (plain.is_absent()) continue;
    auto value = to_value(storable(plain), ValueType::kNull);
    if (!value) continue;
    bytes += name.size() + value->bytes().size();
    noted.push_back({name, std::move(*value)});
  }
  // The largest are left to the repeat.
  std::stable_sort(noted.begin(), noted.end(),
                   [](const Noted& a, const Noted& b) { return a.value.bytes().size() < b.value.bytes().size(); });
  while (bytes > kNamesBytesMax) {
    bytes -= noted.back().name.size() + noted.back().value.bytes().size();
    noted.pop_back();
  }
  std::vector<Field> names;
  for (const Noted& one : noted) names.push_back({one.name, one.value});
  Plain entities = Plain::map();
  for (const auto& [name, entity] : entity_of_) {
    if (entity != nullptr) entities.set(name, Plain::text(entity->name));
  }
  const auto whose = to_value(entities, ValueType::kMap);
  const Item all({{"names", Value::map(std::move(names))},
                  {"entities", whose ? *whose : Value::map({})},
                  {"now", Value::number(now_ms_)}});
  return sealed(all.bytes());
}

Outcome<WriteAction> Execution::progress_note(const std::vector<WriteAction>& actions) {
  WriteAction action{
      .prepared = nullptr, .kind = design::RequestKind::kUpdateItem, .table = std::string(design::kJournalTable)};
  action.key = record_key();
  action.update = "SET #step = :step, #names = :names";
  action.condition = "#step = :before";
  NameMap names{{"#step", "step"}, {"#names", "names"}};
  ValueMap values{{":step", Value::string(step_name())},
                  {":names", Value::binary(sealed_names())},
                  {":before", Value::string(noted_step_)}};
  if (const WriteAction* main = depth_ == 0 ? main_of(actions) : nullptr) {
    action.update += ", #table = :table, #entity = :entity, #key = :key";
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

// Whether the call of a record without an answer no longer runs.
bool Execution::is_dead(ItemView record) const {
  if (!record.find("step") || !record.find("names")) return false;
  if (context_.means_first_call) return true;
  const auto started = record.find("started");
  const int64_t started_s = started ? std::atoll(std::string(started->scalar()).c_str()) : 0;
  if (!core_.options.remote && started_s < core_.opened_ms / 1000) return true;
  return now_ms_ / 1000 - started_s >= kAnswerAwaitedS;
}

Outcome<void> Execution::take_up(ItemView record) {
  TRY_INTO(std::string kept, unsealed(record.find("names")->scalar()));
  if (!is_valid_item(kept)) return refuse(500, "The journal's record of the call is damaged.");
  const Item all(std::move(kept));
  CutShort cut;
  noted_step_ = record.find("step")->scalar();
  resumes_undo_ = noted_step_.starts_with(kUndoing);
  if (!resumes_undo_) cut.step = places_of(noted_step_);
  for (const Field& field : all.find("names")->map())
    cut.names[std::string(field.name)] = recalled(to_plain(field.value));
  const Plain entities = to_plain(*all.find("entities"));
  for (const auto& [name, entity] : entities.members()) cut.entity_of[name] = core_.design.entity(entity.string());
  now_ms_ = std::atoll(std::string(all.find("now")->scalar()).c_str());
  if (const auto table = record.find("table")) {
    cut.table = table->scalar();
    cut.entity = core_.design.entity(record.find("entity")->scalar());
    std::vector<Field> key;
    for (const Field& field : record.find("key")->map()) key.push_back(field);
    cut.key = Item(std::move(key));
  }
  record_written_ = true;
  cut_short_ = std::move(cut);
  recall_names();
  if (const auto job = names_.find("job"); job != names_.end() && job->second.is(Plain::Kind::kText)) {
    job_ = job->second.string();
    core_.jobs.add(job_);
  }
  return {};
}

void Execution::recall_names() {
  for (const auto& [name, value] : cut_short_->names) {
    names_[name] = value;
    stored_.erase(name);
  }
  for (const auto& [name, entity] : cut_short_->entity_of) entity_of_[name] = entity;
}

// Whether the current step was completed by the call that is resumed. The steps that enclose the last one are not
// complete.
bool Execution::is_past() const {
  if (!cut_short_ || aside_ > 0 || undoing_) return false;
  const std::vector<size_t>& last = cut_short_->step;
  const bool around = path_.size() < last.size() && std::equal(path_.begin(), path_.end(), last.begin());
  return !around && path_ <= last;
}

Done<bool> Execution::pass_over(const PlanStep& step) {
  // A read that is repeated may find, or refuse, something else than the first time.
  const auto again = [&](auto done) -> Done<void> {
    if (done || done.error().refused.status < 500) return {};
    return std::unexpected(std::move(done.error()));
  };
  switch (step.kind) {
    case PlanStep::Kind::kRead:
    case PlanStep::Kind::kObserve:
      names_.erase(step.name);
      TRY(again(read_step(step)));
      break;
    case PlanStep::Kind::kLet:
      TRY(again(let_step(step)));
      break;
    case PlanStep::Kind::kFor:
      TRY(again(for_step(step)));
      break;
    case PlanStep::Kind::kWrite:
      if (depth_ == 0) TRY(recall_written(step));
      break;
    default:
      break;
  }
  // In the block that was cut short every name is as it was noted.
  const std::vector<size_t>& last = cut_short_->step;
  if (path_.size() <= last.size() && std::equal(path_.begin(), path_.end() - 1, last.begin())) recall_names();
  return true;
}

// The item that the answer is about, as it is, or where it was deleted as it was read before.
Done<void> Execution::recall_written(const PlanStep& step) {
  if (cut_short_->entity == nullptr || prepared_.operation.returns) return {};
  for (const design::Request& request : step.requests) {
    if (request.entity != cut_short_->entity || request.guard != nullptr || request.each != nullptr ||
        request.tally != nullptr || request.kind == design::RequestKind::kConditionCheck)
      continue;
    Written made{.entity = cut_short_->entity, .fields = {}, .read = nullptr, .key = cut_short_->key};
    if (request.kind == design::RequestKind::kDeleteItem) {
      const auto before = names_.find(prepared_.of(request).current);
      if (before != names_.end()) made.fields = before->second;
    } else {
      made.read = &prepared_.of(request);
    }
    written_ = std::move(made);
  }
  return {};
}

}  // namespace trestle::runtime
