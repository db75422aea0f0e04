// Repeated calls: the same key and inputs get the first answer, and nothing is done twice.
//
// The journal has an item per key: PK "CALL#<design>", SK a digest of the caller and the key, `fingerprint` of
// operation and inputs, `answer` (JSON, sealed if there is a key ring, since an answer may contain a secret that is
// shown once), `started`, `ttl` 24 hours later, and until there is an answer the progress of the call (progress.cc),
// with `table`, `entity` and `key` of the item in the answer. It is written in the transaction of the operation's first
// write. An answer that only exists after the last write is added after it; until then each further write advances
// `step` in its own transaction. So a call interrupted by a crash is completed when it is repeated, and nothing is done
// twice.
#include <fmt/format.h>

#include "base/sha256.h"
#include "model/number.h"
#include "runtime/call/execution.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

constexpr int64_t kAnswersKeptS = 24 * 60 * 60;
constexpr int64_t kUnfinishedKeptS = int64_t{3650} * 24 * 60 * 60;
constexpr size_t kAnswerBytesMax = 300'000;
constexpr char kOpen = 0;
constexpr char kSealed = 1;

std::string digest(std::string_view bytes) {
  std::string text;
  append_hex(text, sha256(bytes));
  return text;
}

int64_t seconds(const std::optional<ValueView>& value) {
  return value && value->type() == ValueType::kNumber ? std::atoll(std::string(value->scalar()).c_str()) : 0;
}

std::unexpected<Stop> answered() {
  Stop stop{Refused{}};
  stop.kind = Stop::Kind::kAnswered;
  return std::unexpected(std::move(stop));
}

}  // namespace

// Without defaults: some of them differ on every call.
void Execution::note_given(const Plain& given) {
  if (key_.empty()) return;
  std::string text = prepared_.operation.name;
  for (const design::Input& input : prepared_.operation.takes) {
    const auto value = names_.find(input.name);
    if (given.member(input.name).is_absent() || value == names_.end() || value->second.is_absent()) continue;
    text += fmt::format("\n{}=", input.name);
    append_plain_json(text, value->second);
  }
  fingerprint_ = digest(text);
}

Item Execution::record_key() const {
  const Plain& subject = context_.caller.is(Plain::Kind::kMap) ? context_.caller.member("sub") : context_.caller;
  std::string name = subject.is(Plain::Kind::kText) ? subject.string() : std::string();
  name += '\n' + key_;
  return Item({{"PK", Value::string("CALL#" + core_.design.name)}, {"SK", Value::string(digest(name))}});
}

// Continues if there was no such call, or if it was interrupted and may be resumed.
Done<void> Execution::find_first_answer(bool may_resume) {
  const Item key = record_key();
  GetItemRequest request{.table_name = std::string(design::kJournalTable), .key = key};
  request.consistent_read = true;
  const auto found = send(&Database::get_item, request);
  if (!found) return std::unexpected(Stop(refused_by(found.error())));
  const int64_t now_s = now_ms_ / 1000;
  if (!found->item || seconds(found->item->find("ttl")) <= now_s) return {};
  const ItemView record = *found->item;
  const auto fingerprint = record.find("fingerprint");
  if (!context_.means_first_call && (!fingerprint || fingerprint->scalar() != fingerprint_)) {
    return std::unexpected(
        Stop(Refused{.status = 422, .message = "This idempotency key was used before, for another call."}));
  }
  if (const auto kept = record.find("answer")) {
    TRY_INTO(const std::string text, unsealed(kept->scalar()));
    auto parsed = parse_plain_json(text);
    if (!parsed) return std::unexpected(Stop(Refused{.status = 500, .message = parsed.error()}));
    CallReply reply{.body = parsed->member("body"), .revision = {}, .position = {}};
    if (parsed->member("revision").is(Plain::Kind::kText)) reply.revision = parsed->member("revision").string();
    first_answer_ = std::move(reply);
    return answered();
  }
  if (!may_resume || !is_dead(record)) {
    return std::unexpected(Stop(Refused{.status = 409,
                                        .message = "A call with this idempotency key is under way; try again.",
                                        .fields = {},
                                        .retry_after_s = 1,
                                        .retryable = true}));
  }
  TRY(take_up(record));
  return {};
}

std::string Execution::sealed(const std::string& text) const {
  if (core_.options.keys == nullptr) return std::string(1, kOpen) + text;
  return std::string(1, kSealed) + core_.options.keys->seal(text, record_key().find("SK")->scalar());
}

Outcome<std::string> Execution::unsealed(std::string_view kept) const {
  if (kept.empty()) return refuse(500, "The journal's record of the call is damaged.");
  std::string text(kept.substr(1));
  if (kept[0] != kSealed) return text;
  if (core_.options.keys == nullptr) return refuse(500, "The first answer is sealed by a missing key.");
  auto open = core_.options.keys->open(text, record_key().find("SK")->scalar());
  if (!open) return refuse(500, open.error());
  return std::move(*open);
}

std::string Execution::sealed_answer(const CallReply& reply) const {
  Plain kept = Plain::map();
  kept.set("body", reply.body);
  if (reply.revision) kept.set("revision", Plain::text(*reply.revision));
  return sealed(plain_json(kept));
}

// `last`: no later step writes, so that the answer may be known already.
Outcome<WriteAction> Execution::answer_record(const std::vector<WriteAction>& actions, bool last) {
  WriteAction action{
      .prepared = nullptr, .kind = design::RequestKind::kPutItem, .table = std::string(design::kJournalTable)};
  action.key = record_key();
  const WriteAction* main = depth_ == 0 ? main_of(actions) : nullptr;
  const int64_t now_s = now_ms_ / 1000;
  std::vector<std::pair<std::string, Value>> attributes = {{"fingerprint", Value::string(fingerprint_)},
                                                           {"started", Value::number(now_s)},
                                                           {"ttl", Value::number(now_s + kAnswersKeptS)}};
  if (main != nullptr) {
    std::vector<Field> key;
    for (const Field& field : main->key.attributes()) key.push_back(field);
    attributes.emplace_back("table", Value::string(main->table));
    attributes.emplace_back("entity", Value::string(main->prepared->request.entity->name));
    attributes.emplace_back("key", Value::map(std::move(key)));
  }
  record_has_answer_ = false;
  const bool puts = main != nullptr && main->kind == design::RequestKind::kPutItem;
  if (last && (prepared_.operation.returns || puts)) {
    const Names names = names_;  // the answer leaves out what is secret, and the write may be tried again
    if (puts)
      written_ = Written{.entity = main->prepared->request.entity, .fields = main->fields, .read = {}, .key = {}};
    auto reply = answer();
    names_ = names;
    if (reply) {
      const std::string kept = sealed_answer(*reply);
      record_has_answer_ = kept.size() <= kAnswerBytesMax;
      if (record_has_answer_) attributes.emplace_back("answer", Value::binary(kept));
    }
  }
  if (!record_has_answer_) {
    // What is to be ended or taken back is remembered until that is done.
    if (prepared_.undoes) attributes[2].second = Value::number(now_s + kUnfinishedKeptS);
    attributes.emplace_back("step", Value::string(step_name()));
    attributes.emplace_back("names", Value::binary(sealed_names()));
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

void Execution::keep_answer(const CallReply& reply) {
  const std::string kept = sealed_answer(reply);
  if (kept.size() > kAnswerBytesMax) return;
  const int64_t now_s = now_ms_ / 1000;
  UpdateItemRequest request{.table_name = std::string(design::kJournalTable), .key = record_key()};
  request.update_expression = "SET #answer = :answer";
  request.placeholders.names = NameMap{{"#answer", "answer"}};
  request.placeholders.values = ValueMap{{":answer", Value::binary(kept)}};
  if (record_written_ && prepared_.undoes) {
    *request.update_expression += ", #ttl = :ttl";
    request.placeholders.names->emplace_back("#ttl", "ttl");
    request.placeholders.values->emplace_back(":ttl", Value::number(now_s + kAnswersKeptS));
  }
  if (!record_written_) {
    *request.update_expression += ", #fingerprint = :fingerprint, #started = :now, #ttl = :ttl";
    request.placeholders.names->insert(request.placeholders.names->end(),
                                       {{"#fingerprint", "fingerprint"}, {"#started", "started"}, {"#ttl", "ttl"}});
    request.placeholders.values->emplace_back(":fingerprint", Value::string(fingerprint_));
    request.placeholders.values->emplace_back(":now", Value::number(now_s));
    request.placeholders.values->emplace_back(":ttl", Value::number(now_s + kAnswersKeptS));
  }
  // The operation is done: a failure to store its answer does not concern the caller.
  (void)send_past_conflicts([&] { return send(&Database::update_item, request); });
}

// For the design's own key: its owner is the answer, under the names that the answer uses for its fields.
Done<void> Execution::answer_of_guard() {
  for (const design::PlanStep& step : prepared_.plan.idempotent_steps) TRY(read_step(step));
  const auto first = names_.find("first");
  if (first == names_.end() || !first->second.exists()) {
    return std::unexpected(
        Stop(Refused{.status = 409, .message = fmt::format("This {} is taken.", prepared_.plan.idempotent->name)}));
  }
  const Plain fields = first->second;
  for (const auto& [name, value] : fields.members()) names_[name] = value;
  const design::Entity* entity = entity_of_["first"];
  written_ = Written{.entity = entity, .fields = fields, .read = nullptr, .key = {}};
  return answered();
}

}  // namespace trestle::runtime
