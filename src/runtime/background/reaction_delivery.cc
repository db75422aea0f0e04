// Delivery of events: calls endpoints and operations, records outcomes, writes dead letters.
#include <fmt/format.h>

#include "base/utf8.h"
#include "runtime/background/reaction_events.h"
#include "runtime/background/reaction_inputs.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/values/moment.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

constexpr size_t kErrorTextMax = 1'000;
constexpr size_t kLetterIdentityValues = 6;     // PK to `at`: the first attributes of a letter
constexpr size_t kImagesBytesMax = 300 * 1024;  // limit for the images in a dead letter, which is an item itself
constexpr int kRecordTriesMax = 5;

bool is_success(const EndpointReply& reply) { return reply.status >= 200 && reply.status < 300; }

std::string words_of(const EndpointReply& reply) {
  std::string words = reply.status == 0 ? reply.error : fmt::format("status {}: {}", reply.status, reply.body);
  return valid_utf8(words, kErrorTextMax);
}

}  // namespace

Item Reactions::letter_key(const std::string& id) const {
  return Item({{"PK", Value::string("DEAD#" + design_.name)}, {"SK", Value::string(id)}});
}

// The caller of the operations that the runtime calls itself.
CallContext Reactions::own_context() {
  CallContext context;
  context.caller = parse_plain_json(R"({"sub":"trestle","groups":["admin"]})").value_or(Plain());
  return context;
}

Outcome<std::string> Reactions::body_of(const Event& event) const {
  const design::Reaction& reaction = *event.reaction;
  std::map<std::string, Plain, std::less<>> names;
  if (const design::Operation* ask = design_.operation(reaction.ask)) {
    Plain inputs = Plain::map();
    for (const design::Input& input : ask->takes) {
      const Plain& new_value = event.new_fields.member(input.name);
      const Plain& value = new_value.exists() ? new_value : event.old_fields.member(input.name);
      if (value.exists()) inputs.set(input.name, value);
    }
    Call call;
    TRY_INTO(auto reply, runtime_.call(*ask, inputs, {}, own_context(), call));
    names["asked"] = std::move(reply.body);
  }
  Scope scope;
  scope.names = &names;
  scope.old_item = &event.old_fields;
  scope.new_item = &event.new_fields;
  scope.now_ms = clock_.now_ms();
  Plain data = Plain::map();
  if (!reaction.cloud_event) {
    data.set("reaction", Plain::text(reaction.name));
    data.set("event", Plain::text(event.word));
  }
  for (const design::Binding& binding : reaction.send) {
    const auto value = evaluate(binding.value, scope);
    if (value && !value->is_absent()) data.set(binding.field, *value);
  }
  if (!reaction.cloud_event) return plain_json(data);
  Plain body = Plain::map();
  body.set("specversion", Plain::text("1.0"));
  body.set("id", Plain::text(event.id));
  body.set("source", Plain::text("/designs/" + design_.name));
  body.set("type", Plain::text(fmt::format("{}.{}.{}", design_.name, reaction.entity, event.word)));
  body.set("time", Plain::text(time_text(clock_.now_ms(), 1)));
  body.set("datacontenttype", Plain::text("application/json"));
  body.set("data", std::move(data));
  return plain_json(body);
}

bool Reactions::attempt_operation(Event& event) {
  const design::Operation* operation = design_.operation(event.reaction->run);
  if (operation == nullptr) return true;
  const std::map<std::string, Plain, std::less<>> names = {{"event", Plain::text(event.word)}};
  CallContext context = own_context();
  context.idempotency_key = event.id;
  context.repeats_first_call = true;
  Call call;
  const Plain inputs = inputs_of(event, *operation, names);
  const auto done = runtime_.call(*operation, inputs, {}, context, call);
  const auto durable = database_.wait_durable(call);
  if (done && durable) {
    // If this fails, the letter can be retried again; the operation then recognizes its key.
    if (event.record == nullptr)
      (void)database_.delete_item({.table_name = std::string(design::kJournalTable), .key = letter_key(event.id)});
    ++sent_;
    return true;
  }
  const bool final = !done && done.error().is_final();
  if (!final && static_cast<int64_t>(++event.failures) <= event.reaction->retries) {
    ++retries_;
    event.due_ms = steady_ms() + options_.backoff.delay_ms(event.failures);
    return false;
  }
  std::string error =
      done ? durable.error().message : fmt::format("{} refuses: {}", operation->name, done.error().message);
  if (!done) {
    for (const FieldFault& fault : done.error().fields) error += fmt::format(" {} {}.", fault.field, fault.reason);
  }
  if (!write_dead_letter(event, plain_json(inputs), error)) {
    event.due_ms = steady_ms() + options_.backoff.cap_ms;
    return false;
  }
  ++dead_;
  return true;
}

bool Reactions::attempt(Event& event) {
  if (!event.reaction->run.empty()) return attempt_operation(event);
  if (!event.ending) {
    auto asked = body_of(event);
    std::string body = asked ? std::move(*asked) : std::string();
    const int64_t began = steady_ms();
    EndpointReply reply =
        asked ? options_.call(event.reaction->call, event.id, body)
              : EndpointReply{.error = fmt::format("{}: {}", event.reaction->ask, asked.error().message)};
    const int64_t took = steady_ms() - began;
    if (!is_success(reply) && static_cast<int64_t>(++event.failures) <= event.reaction->retries) {
      ++retries_;
      event.due_ms = steady_ms() + options_.backoff.delay_ms(event.failures);
      return false;
    }
    event.ending = {.reply = std::move(reply), .took_ms = took, .body = std::move(body)};
  }
  // The event is finished only when its outcome has been recorded; if that fails now, it is retried later.
  const auto& [reply, took, body] = *event.ending;
  const bool succeeded = is_success(reply);
  std::string error = succeeded ? std::string() : words_of(reply);
  if (!record_outcome(event, reply, succeeded, took, error) ||
      (!error.empty() && !write_dead_letter(event, body, error))) {
    event.due_ms = steady_ms() + options_.backoff.cap_ms;
    return false;
  }
  if (error.empty() && event.record == nullptr) {
    // If this fails, the letter can be retried again; the endpoint then recognizes its key.
    (void)database_.delete_item({.table_name = std::string(design::kJournalTable), .key = letter_key(event.id)});
  }
  ++(error.empty() ? sent_ : dead_);
  return true;
}

Plain Reactions::inputs_of(const Event& event, const design::Operation& operation,
                           const std::map<std::string, Plain, std::less<>>& names) const {
  Scope scope;
  scope.names = &names;
  scope.old_item = &event.old_fields;
  scope.new_item = &event.new_fields;
  scope.now_ms = clock_.now_ms();
  return reaction_inputs(*event.reaction, operation, scope);
}

bool Reactions::record_outcome(const Event& event, const EndpointReply& reply, bool succeeded, int64_t duration_ms,
                               std::string& error) {
  const design::Operation* then = design_.operation(event.reaction->then);
  if (then == nullptr) return true;
  std::map<std::string, Plain, std::less<>> names;
  names["status"] = Plain::text(succeeded ? "success" : "failed");
  if (!succeeded) names["errorMessage"] = Plain::text(words_of(reply));
  names["duration_ms"] = Plain::number(duration_ms);
  names["event"] = Plain::text(event.word);
  if (auto parsed = parse_plain_json(reply.body); succeeded && parsed) names["reply"] = std::move(*parsed);
  const Plain inputs = inputs_of(event, *then, names);
  CallContext context = own_context();
  context.idempotency_key = fmt::format("{}-{}", event.id, succeeded ? "success" : "failed");
  context.repeats_first_call = true;  // after a crash the endpoint may give another reply, or take another time
  for (int tries = 0; tries < kRecordTriesMax; ++tries) {
    Call call;
    const auto done = runtime_.call(*then, inputs, {}, context, call);
    const auto durable = database_.wait_durable(call);
    if (done && durable) return true;
    // An outcome that the operation will never accept must be reported and not retried forever.
    if (!done && done.error().is_final()) {
      if (!error.empty()) return true;
      error = fmt::format("{} refuses the outcome: {}", then->name, done.error().message);
      for (const FieldFault& fault : done.error().fields) error += fmt::format(" {} {}.", fault.field, fault.reason);
      return true;
    }
    sleep_for_ms({}, options_.backoff.delay_ms(static_cast<unsigned>(tries) + 1));
  }
  return false;
}

bool Reactions::write_dead_letter(const Event& event, const std::string& body, const std::string& error) {
  std::vector<std::pair<std::string, Value>> values = {
      {"PK", Value::string("DEAD#" + design_.name)},
      {"SK", Value::string(event.id)},
      {"reaction", Value::string(event.reaction->name)},
      {"event", Value::string(event.word)},
      {"failures", Value::number(static_cast<int64_t>(event.failures))},
      {"at", Value::number(clock_.now_ms())},
      {"error", Value::string(error)}};
  const auto image = [](const Item& item) {
    std::vector<Field> fields;
    for (const Field& field : item.attributes()) fields.push_back(field);
    return Value::map(std::move(fields));
  };
  const size_t bytes =
      (event.old_item ? event.old_item->size_bytes() : 0) + (event.new_item ? event.new_item->size_bytes() : 0);
  if (bytes <= kImagesBytesMax) {
    if (event.old_item) values.emplace_back("old", image(*event.old_item));
    if (event.new_item) values.emplace_back("new", image(*event.new_item));
  }
  if (bytes + body.size() <= kImagesBytesMax) values.emplace_back("body", Value::string(body));
  std::vector<Field> fields;
  for (const auto& [name, value] : values) fields.push_back({name, value});
  const auto done =
      database_.put_item({.table_name = std::string(design::kJournalTable), .item = Item(std::move(fields))});
  if (done || done.error().code != ErrorCode::kValidation) return done.has_value();
  // A letter that the database permanently rejects must not block later events: store only its identity.
  values.resize(kLetterIdentityValues);
  values.emplace_back("error", Value::string("The letter could not be written: " + done.error().message));
  fields.clear();
  for (const auto& [name, value] : values) fields.push_back({name, value});
  const auto stored =
      database_.put_item({.table_name = std::string(design::kJournalTable), .item = Item(std::move(fields))});
  return stored.has_value() || stored.error().code == ErrorCode::kValidation;
}

}  // namespace trestle::runtime
