// Calls made again: the same key and inputs get the first answer, and nothing is done twice.
//
// The journal has an item per key: PK "CALL#<design>", SK a digest of the caller and the key, `fingerprint` of
// operation and inputs, `answer` (JSON, sealed where there is a key ring, since an answer may hold what is shown once),
// `table` and `key` of the item that an answer can be made from if it is not there, `started`, and `ttl` 24 hours on.
// It is written in the transaction of the operation's first write. An answer that only exists after the write is added
// behind it. An operation that writes only for each member of a list has no one transaction: its record comes with its
// answer, and a crash before that leaves none.
#include <fmt/format.h>

#include "base/sha256.h"
#include "model/number.h"
#include "runtime/execution.h"
#include "runtime/plain_json.h"

namespace trestle::runtime {
namespace {

constexpr int64_t kAnswersKeptS = 24 * 60 * 60;
// An answer that is missing for longer belongs to a call that a crash cut short.
constexpr int64_t kAnswerAwaitedS = 10;
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

// Operation and inputs as the caller gave them: what must be the same for the same key.
std::string fingerprint_of(const design::Operation& operation, const Names& names) {
  std::string text = operation.name;
  for (const design::Input& input : operation.takes) {
    const auto given = names.find(input.name);
    // A default may be made anew on every call.
    if (given == names.end() || given->second.is_absent() || input.default_value) continue;
    text += fmt::format("\n{}=", input.name);
    append_plain_json(text, given->second);
  }
  return digest(text);
}

}  // namespace

Item Execution::record_key() const {
  const Plain& subject = context_.caller.is(Plain::Kind::kMap) ? context_.caller.member("sub") : context_.caller;
  std::string name = subject.is(Plain::Kind::kText) ? subject.string() : std::string();
  name += '\n' + *context_.idempotency_key;
  return Item({{"PK", Value::string("CALL#" + core_.design.name)}, {"SK", Value::string(digest(name))}});
}

// Goes on if there was no such call.
Done<void> Execution::find_first_answer() {
  const Item key = record_key();
  GetItemRequest request{.table_name = std::string(design::kJournalTable), .key = key};
  request.consistent_read = true;
  const auto found = send(&Database::get_item, request);
  if (!found) return std::unexpected(Stop(refused_by(found.error())));
  const int64_t now_s = now_ms_ / 1000;
  if (!found->item || seconds(found->item->find("ttl")) <= now_s) return {};
  const ItemView record = *found->item;
  const auto fingerprint = record.find("fingerprint");
  if (!fingerprint || fingerprint->scalar() != fingerprint_of(prepared_.operation, names_)) {
    return std::unexpected(
        Stop(Refused{.status = 422, .message = "This idempotency key was used before, for another call."}));
  }
  if (const auto kept = record.find("answer")) {
    std::string text(kept->scalar().substr(1));
    if (kept->scalar()[0] == kSealed) {
      if (core_.options.keys == nullptr)
        return std::unexpected(Stop(Refused{.status = 500, .message = "The first answer is sealed by a missing key."}));
      auto open = core_.options.keys->open(text, key.find("SK")->scalar());
      if (!open) return std::unexpected(Stop(Refused{.status = 500, .message = open.error()}));
      text = std::move(*open);
    }
    auto parsed = parse_plain_json(text);
    if (!parsed) return std::unexpected(Stop(Refused{.status = 500, .message = parsed.error()}));
    CallReply reply{.body = parsed->member("body"), .revision = {}, .position = {}};
    if (parsed->member("revision").is(Plain::Kind::kText)) reply.revision = parsed->member("revision").string();
    first_answer_ = std::move(reply);
    return answered();
  }
  const auto table = record.find("table");
  if (now_s - seconds(record.find("started")) < kAnswerAwaitedS || !table) {
    return std::unexpected(Stop(Refused{.status = 409,
                                        .message = "A call with this idempotency key is under way; try again.",
                                        .fields = {},
                                        .retry_after_s = 1,
                                        .retryable = true}));
  }
  // Done, and then cut short: the item tells.
  std::vector<Field> attributes;
  for (const Field& field : record.find("key")->map()) attributes.push_back(field);
  GetItemRequest again{.table_name = std::string(table->scalar()), .key = Item(std::move(attributes))};
  again.consistent_read = true;
  const auto item = send(&Database::get_item, again);
  if (!item) return std::unexpected(Stop(refused_by(item.error())));
  CallReply reply{.body = Plain::map(), .revision = {}, .position = {}};
  const design::Entity* entity = core_.design.entity(record.find("entity")->scalar());
  if (item->item && entity != nullptr) {
    TRY_INTO(Plain fields, core_.codec.decode(*entity, *item->item));
    reply.body.set("item", shown(*entity, std::move(fields)));
  }
  first_answer_ = std::move(reply);
  return answered();
}

std::string Execution::sealed_answer(const CallReply& reply) const {
  Plain kept = Plain::map();
  kept.set("body", reply.body);
  if (reply.revision) kept.set("revision", Plain::text(*reply.revision));
  std::string text = plain_json(kept);
  if (core_.options.keys == nullptr) return std::string(1, kOpen) + text;
  return std::string(1, kSealed) + core_.options.keys->seal(text, record_key().find("SK")->scalar());
}

// `last`: no step after it writes, so that the answer may be known already.
Outcome<WriteAction> Execution::answer_record(const std::vector<WriteAction>& actions, bool last) {
  WriteAction action{
      .prepared = nullptr, .kind = design::RequestKind::kPutItem, .table = std::string(design::kJournalTable)};
  action.key = record_key();
  const WriteAction* main = nullptr;
  for (const WriteAction& one : actions) {
    if (one.prepared == nullptr || one.prepared->request.guard != nullptr || one.prepared->request.each != nullptr ||
        one.prepared->request.tally != nullptr || one.kind == design::RequestKind::kConditionCheck)
      continue;
    main = &one;
  }
  const int64_t now_s = now_ms_ / 1000;
  std::vector<std::pair<std::string, Value>> attributes = {
      {"fingerprint", Value::string(fingerprint_of(prepared_.operation, names_))},
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
      std::string sealed = sealed_answer(*reply);
      record_has_answer_ = sealed.size() <= kAnswerBytesMax;
      if (record_has_answer_) attributes.emplace_back("answer", Value::binary(sealed));
    }
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
  const std::string sealed = sealed_answer(reply);
  if (sealed.size() > kAnswerBytesMax) return;
  const int64_t now_s = now_ms_ / 1000;
  UpdateItemRequest request{.table_name = std::string(design::kJournalTable), .key = record_key()};
  request.update_expression = "SET #answer = :answer";
  request.placeholders.names = NameMap{{"#answer", "answer"}};
  request.placeholders.values = ValueMap{{":answer", Value::binary(sealed)}};
  if (!record_written_) {
    *request.update_expression += ", #fingerprint = :fingerprint, #started = :now, #ttl = :ttl";
    request.placeholders.names->insert(request.placeholders.names->end(),
                                       {{"#fingerprint", "fingerprint"}, {"#started", "started"}, {"#ttl", "ttl"}});
    request.placeholders.values->emplace_back(":fingerprint",
                                              Value::string(fingerprint_of(prepared_.operation, names_)));
    request.placeholders.values->emplace_back(":now", Value::number(now_s));
    request.placeholders.values->emplace_back(":ttl", Value::number(now_s + kAnswersKeptS));
  }
  // The operation is done: that its answer could not be kept is not the caller's concern.
  (void)send(&Database::update_item, request);
}

// The design's own key: its owner is the answer, by the names under which the answer asks for its fields.
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
