#include "runtime/journal/call_record.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "runtime/items/stored_item.h"
#include "runtime/journal/sealed_text.h"
#include "runtime/values/plain_json.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {

using design::RequestKind;

namespace {

constexpr std::string_view kOwnKey = "undo-";  // prefix of keys that calls generate for themselves
constexpr int64_t kAnswerTtlS = 24 * 60 * 60;
constexpr int64_t kUnfinishedTtlS = int64_t{3650} * 24 * 60 * 60;
constexpr size_t kAnswerBytesMax = 300'000;

std::string digest(std::string_view bytes) {
  std::string text;
  append_hex(text, sha256(bytes));
  return text;
}

int64_t seconds(const std::optional<ValueView>& value) {
  return value && value->type() == ValueType::kNumber ? std::atoll(std::string(value->scalar()).c_str()) : 0;
}

}  // namespace

CallRecord::CallRecord(const Parts& parts) : parts_(parts) {
  const CallContext& context = parts.context;
  if (context.idempotency_key)
    key_ = *context.idempotency_key;
  else if (parts.plan.undoes)
    key_ = std::string(kOwnKey) + make_ulid(parts.state.now_ms);
  is_own_key_ = !context.idempotency_key || (context.only_resumes && key_.starts_with(kOwnKey));
}

bool CallRecord::is_recorded() const {
  return !key_.empty() && parts_.plan.operation.is_write && parts_.state.at.also_depth == 0;
}

void CallRecord::set_fingerprint(const Plain& inputs) {
  if (key_.empty()) return;
  const design::Operation& operation = parts_.plan.operation;
  std::string text = operation.name;
  for (const design::Input& input : operation.takes) {
    const auto value = parts_.state.names.find(input.name);
    if (inputs.member(input.name).is_absent() || value == parts_.state.names.end() || value->second.is_absent())
      continue;
    text += fmt::format("\n{}=", input.name);
    append_plain_json(text, value->second);
  }
  fingerprint_ = digest(text);
}

Item CallRecord::key() const {
  const Plain& caller = parts_.context.caller;
  const Plain& subject = caller.is(Plain::Kind::kMap) ? caller.member("sub") : caller;
  std::string name = subject.is(Plain::Kind::kText) ? subject.string() : std::string();
  name += '\n' + key_;
  return Item({{"PK", Value::string("CALL#" + parts_.design.name)}, {"SK", Value::string(digest(name))}});
}

std::string CallRecord::sealed(const std::string& text) const {
  return seal_text(parts_.options.keys, text, key().find("SK")->scalar());
}

std::string CallRecord::sealed_answer(const CallReply& reply) const {
  Plain answer = Plain::map();
  answer.set("body", reply.body);
  if (reply.revision) answer.set("revision", Plain::text(*reply.revision));
  return sealed(plain_json(answer));
}

Outcome<bool> CallRecord::find_first_answer(bool may_resume) {
  GetItemRequest request{.table_name = std::string(design::kJournalTable), .key = key()};
  request.consistent_read = true;
  const auto found = parts_.sender.send(&Database::get_item, request);
  if (!found) return std::unexpected(refused_by(found.error()));
  const int64_t now_s = parts_.state.now_ms / 1000;
  if (!found->item || seconds(found->item->find("ttl")) <= now_s) return false;
  const ItemView record = *found->item;
  const auto fingerprint = record.find("fingerprint");
  if (!parts_.context.repeats_first_call && (!fingerprint || fingerprint->scalar() != fingerprint_))
    return refuse(422, "This idempotency key was already used for a different call.");
  if (const auto answer = record.find("answer")) {
    TRY_INTO(const std::string text,
             open_text(parts_.options.keys, answer->scalar(), request.key.find("SK")->scalar()));
    auto parsed = parse_plain_json(text);
    if (!parsed) return refuse(500, parsed.error());
    CallReply reply{.body = parsed->member("body"), .revision = {}, .position = {}};
    if (parsed->member("revision").is(Plain::Kind::kText)) reply.revision = parsed->member("revision").string();
    first_answer_ = std::move(reply);
    return true;
  }
  if (!may_resume || !is_interrupted(record)) {
    return std::unexpected(Refused{.status = 409,
                                   .message = "A call with this idempotency key is still in progress; try again.",
                                   .fields = {},
                                   .retry_after_s = 1,
                                   .retryable = true});
  }
  TRY(resume_from(record));
  return false;
}

WriteAction CallRecord::first_write(const std::vector<WriteAction>& actions, const std::optional<CallReply>& answer) {
  WriteAction action{.prepared = nullptr, .kind = RequestKind::kPutItem, .table = std::string(design::kJournalTable)};
  action.key = key();
  const WriteAction* main = parts_.state.at.depth == 0 ? main_of(actions, parts_.plan.plan.idempotent) : nullptr;
  const int64_t now_s = parts_.state.now_ms / 1000;
  std::vector<std::pair<std::string, Value>> attributes = {{"fingerprint", Value::string(fingerprint_)},
                                                           {"started", Value::number(now_s)},
                                                           {"ttl", Value::number(now_s + kAnswerTtlS)}};
  if (main != nullptr) {
    std::vector<Field> key;
    for (const Field& field : main->key.attributes()) key.push_back(field);
    attributes.emplace_back("table", Value::string(main->table));
    attributes.emplace_back("entity", Value::string(main->prepared->request.entity->name));
    attributes.emplace_back("key", Value::map(std::move(key)));
  }
  has_answer_ = false;
  if (answer) {
    const std::string text = sealed_answer(*answer);
    has_answer_ = text.size() <= kAnswerBytesMax;
    if (has_answer_) attributes.emplace_back("answer", Value::binary(text));
  }
  if (!has_answer_) {
    // The record must not expire before the call is completed or undone.
    if (parts_.plan.undoes) attributes[2].second = Value::number(now_s + kUnfinishedTtlS);
    attributes.emplace_back("step", Value::string(step_name()));
    attributes.emplace_back("names", Value::binary(sealed(encode_names(parts_.state))));
  }
  std::vector<Field> fields;
  for (const Field& field : action.key.attributes()) fields.push_back(field);
  for (const auto& [name, value] : attributes) fields.push_back({name, value.view()});
  action.item = Item(std::move(fields));
  action.condition = "attribute_not_exists(#PK) OR #ttl <= :now";
  action.placeholders.names = NameMap{{"#PK", "PK"}, {"#ttl", "ttl"}};
  action.placeholders.values = ValueMap{{":now", Value::number(now_s)}};
  return action;
}

void CallRecord::store_answer(const CallReply& reply) {
  const std::string answer = sealed_answer(reply);
  if (answer.size() > kAnswerBytesMax) return;
  const int64_t now_s = parts_.state.now_ms / 1000;
  UpdateItemRequest request{.table_name = std::string(design::kJournalTable), .key = key()};
  request.update_expression = "SET #answer = :answer";
  request.placeholders.names = NameMap{{"#answer", "answer"}};
  request.placeholders.values = ValueMap{{":answer", Value::binary(answer)}};
  if (is_written_ && parts_.plan.undoes) {
    request.update_expression = "SET #answer = :answer, #ttl = :ttl";
    request.placeholders.names->emplace_back("#ttl", "ttl");
    request.placeholders.values->emplace_back(":ttl", Value::number(now_s + kAnswerTtlS));
  }
  if (!is_written_) {
    request.update_expression = "SET #answer = :answer, #fingerprint = :fingerprint, #started = :now, #ttl = :ttl";
    request.placeholders.names->insert(request.placeholders.names->end(),
                                       {{"#fingerprint", "fingerprint"}, {"#started", "started"}, {"#ttl", "ttl"}});
    request.placeholders.values->emplace_back(":fingerprint", Value::string(fingerprint_));
    request.placeholders.values->emplace_back(":now", Value::number(now_s));
    request.placeholders.values->emplace_back(":ttl", Value::number(now_s + kAnswerTtlS));
  }
  (void)parts_.sender.send_past_conflicts([&] { return parts_.sender.send(&Database::update_item, request); });
}

}  // namespace trestle::runtime
