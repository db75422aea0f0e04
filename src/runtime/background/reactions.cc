#include "runtime/background/reactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/utf8.h"
#include "runtime/values/evaluate.h"
#include "runtime/values/moment.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

constexpr size_t kErrorTextMax = 1'000;
constexpr size_t kLetterIdentityValues = 6;     // PK to `at`: the first of a letter's attributes
constexpr size_t kImagesBytesMax = 300 * 1024;  // limit for a dead letter, which is an item too
constexpr int kRecordTriesMax = 5;
constexpr int kImageTriesMax = 30;
const std::string kOperations = "(operations)";  // where an endpoint's name stands: the design itself

const std::string& endpoint_of(const design::Reaction& reaction) {
  return reaction.run.empty() ? reaction.call : kOperations;
}

bool is_about(const design::Reaction& reaction, const StreamRecord& record) {
  switch (record.event) {
    case StreamEvent::kInsert:
      return reaction.on_insert;
    case StreamEvent::kModify:
      return reaction.on_modify;
    case StreamEvent::kRemove:
      return record.origin == WriteOrigin::kTimeToLive ? reaction.on_expire : reaction.on_remove;
  }
  return false;
}

std::string_view event_word(const StreamRecord& record) {
  if (record.event == StreamEvent::kInsert) return "insert";
  if (record.event == StreamEvent::kModify) return "modify";
  return record.origin == WriteOrigin::kTimeToLive ? "expire" : "remove";
}

bool is_success(const EndpointReply& reply) { return reply.status >= 200 && reply.status < 300; }

std::string words_of(const EndpointReply& reply) {
  std::string words = reply.status == 0 ? reply.error : fmt::format("status {}: {}", reply.status, reply.body);
  return valid_utf8(words, kErrorTextMax);
}

// Whether the reaction uses a field of the item that is packed, spilled or encrypted.
bool uses_closed_fields(const design::Design& design, const design::Reaction& reaction, const design::Entity& entity) {
  std::set<std::string, std::less<>> used;
  const auto look = [&](const design::Expression& expression) {
    design::each_expression(expression, [&](const design::Expression& part) {
      const bool member = part.is(design::Expression::Kind::kMember) &&
                          (part.arguments[0].is_name("old") || part.arguments[0].is_name("new"));
      if (member) used.insert(part.text);
      // The whole item.
      if (part.is_name("old") || part.is_name("new")) used.insert("");
    });
  };
  if (reaction.condition) look(*reaction.condition);
  for (const auto* list : {&reaction.send, &reaction.with}) {
    for (const design::Binding& binding : *list) look(binding.value);
  }
  for (const std::string& name : {reaction.then, reaction.run}) {
    const design::Operation* operation = name.empty() ? nullptr : design.operation(name);
    for (const design::Input& input : operation == nullptr ? std::vector<design::Input>() : operation->takes)
      used.insert(input.name);
  }
  return std::ranges::any_of(entity.fields, [&](const design::Field& field) {
    return design::is_stored_closed(entity, field) && !field.secret && used.contains(field.name);
  });
}

int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

// A record that was read but not processed completely, in its shard's order.
struct Reactions::Record {
  std::string sequence_number;
  std::atomic<size_t> open = 0;  // events
};

// One table's stream, for one endpoint.
struct Reactions::Source {
  const design::Table* table;
  std::string endpoint;
  StreamReader reader;
  struct Shard {
    ShardPosition stored;
    ShardPosition end;                            // when all are done
    std::deque<std::shared_ptr<Record>> records;  // shared with their events
    std::string done;                             // the newest sequence number before which all is done
  };
  std::map<std::string, Shard> shards;
};

struct Reactions::Event {
  const design::Reaction* reaction = nullptr;
  std::string id;
  std::string item;  // table, endpoint and key: the unit of ordering
  std::string word;  // insert, modify, remove, expire
  Item key;
  std::optional<Item> old_item, new_item;
  Plain old_fields, new_fields;
  std::shared_ptr<Record> record;  // null: a dead letter that is tried again
  unsigned failures = 0;
  int64_t due_ms = 0;  // steady
  bool busy = false;
  // The final result of an event: its endpoint is not called again, only the outcome still has to be recorded.
  struct Ending {
    EndpointReply reply;
    int64_t took_ms = 0;
    std::string body;
  };
  std::optional<Ending> ending = {};
};

Reactions::Reactions(DesignRuntime& runtime, Database& database, const ItemCodec& codec, const Clock& clock,
                     ReactionOptions options)
    : runtime_(runtime),
      design_(runtime.design()),
      database_(database),
      codec_(codec),
      clock_(clock),
      options_(std::move(options)) {
  for (const design::Table& table : design_.tables) {
    std::set<std::string> called;
    for (const design::Reaction& reaction : design_.reactions) {
      const design::Entity* entity = design_.entity(reaction.entity);
      if (entity != nullptr && entity->table == table.name) called.insert(endpoint_of(reaction));
    }
    for (const std::string& endpoint : called) {
      if (!sends_to(endpoint) && !options_.without.contains(endpoint)) {
        waits_for_.insert(endpoint);
        continue;
      }
      const std::string consumer = endpoint == kOperations                          ? "operations"
                                   : called.size() - called.count(kOperations) == 1 ? "reactions"
                                                                                    : "reactions-" + endpoint;
      sources_.push_back(std::unique_ptr<Source>(new Source{
          .table = &table,
          .endpoint = endpoint,
          .reader = StreamReader(database, {.design = design_.name, .consumer = consumer, .table = table.name}),
          .shards = {}}));
    }
  }
  const auto sends = [&](const auto& source) { return sends_to(source->endpoint); };
  if (std::none_of(sources_.begin(), sources_.end(), sends)) return;
  for (unsigned i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { work(); });
}

Reactions::~Reactions() { stop(); }

bool Reactions::sends_to(const std::string& endpoint) const {
  if (endpoint == kOperations) return true;
  return !options_.without.contains(endpoint) && (!options_.endpoints || options_.endpoints->contains(endpoint));
}

void Reactions::stop() {
  {
    const MutexLock lock(mutex_);
    stops_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Reactions::forget() {
  for (auto& source : sources_) {
    source->reader.forget();
    source->shards.clear();
  }
  const MutexLock lock(mutex_);
  // Events being sent are left to finish by themselves; their records are no longer tracked.
  for (auto item = items_.begin(); item != items_.end();) {
    auto& events = item->second;
    while (events.size() > 1 || (!events.empty() && !events.front()->busy)) {
      events.pop_back();
      --under_way_;
    }
    item = events.empty() ? items_.erase(item) : std::next(item);
  }
}

ReactionCounts Reactions::counts() const {
  const MutexLock lock(mutex_);
  return {.sent = sent_, .retries = retries_, .dead = dead_, .under_way = under_way_};
}

int64_t Reactions::lag_ms() const {
  int64_t most = 0;
  for (const auto& source : sources_) most = std::max(most, source->reader.lag_ms());
  return most;
}

uint64_t Reactions::gaps() const {
  uint64_t sum = 0;
  for (const auto& source : sources_) sum += source->reader.gaps();
  return sum;
}

// The fields of an image of the item. A spilled field is asked for again for a while; one whose blob is gone, because
// the item has changed since, is then absent.
Outcome<Plain> Reactions::image_fields(const design::Reaction& reaction, const design::Entity& entity, ItemView item) {
  if (uses_closed_fields(design_, reaction, entity)) {
    auto opened = codec_.decode(entity, item);
    if (opened) {
      image_failures_ = 0;
      return ItemCodec::visible(entity, std::move(*opened));
    }
    if (opened.error().status == 503 && ++image_failures_ < kImageTriesMax) return opened;
    image_failures_ = 0;
  }
  return codec_.decode_plain_fields(entity, item);
}

void Reactions::add_event(std::unique_ptr<Event> event) {
  const MutexLock lock(mutex_);
  items_[event->item].push_back(std::move(event));
  ++under_way_;
  changed_.notify_one();
}

Outcome<void> Reactions::add_events(Source& source, const StreamBatch& batch) {
  Source::Shard& shard = source.shards[batch.shard];
  shard.stored = batch.stored;
  shard.end = batch.end;
  if (shard.done.empty()) shard.done = batch.stored.sequence_number;
  for (const StreamRecord& record : batch.records) {
    auto kept = std::make_shared<Record>();
    kept->sequence_number = record.sequence_number;
    shard.records.push_back(kept);
    const ItemKind kind = kind_of(design_, *source.table, record.keys);
    if (kind.entity == nullptr || kind.guard != nullptr) continue;
    for (const design::Reaction& reaction : design_.reactions) {
      if (endpoint_of(reaction) != source.endpoint || !sends_to(source.endpoint)) continue;
      if (reaction.entity != kind.entity->name || !is_about(reaction, record)) continue;
      auto event = std::make_unique<Event>();
      event->reaction = &reaction;
      event->id = fmt::format("{}-{}-{}", design_.name, reaction.name,
                              record.event_id.empty() ? record.sequence_number : record.event_id);
      event->item = fmt::format("{}\n{}\n{}", source.table->name, source.endpoint, record.keys.bytes());
      event->word = event_word(record);
      event->key = record.keys;
      event->old_item = record.old_image;
      event->new_item = record.new_image;
      if (record.old_image) {
        TRY_INTO(event->old_fields, image_fields(reaction, *kind.entity, *record.old_image));
      }
      if (record.new_image) {
        TRY_INTO(event->new_fields, image_fields(reaction, *kind.entity, *record.new_image));
      }
      if (reaction.condition) {
        Scope scope;
        scope.old_item = &event->old_fields;
        scope.new_item = &event->new_fields;
        scope.now_ms = clock_.now_ms();
        const auto wanted = holds(*reaction.condition, scope);
        if (wanted && !*wanted) continue;
      }
      event->record = kept;
      ++kept->open;
      add_event(std::move(event));
    }
  }
  return {};
}

Outcome<void> Reactions::store_progress() {
  for (auto& source : sources_) {
    for (auto& [name, shard] : source->shards) {
      while (!shard.records.empty() && shard.records.front()->open == 0) {
        shard.done = shard.records.front()->sequence_number;
        shard.records.pop_front();
      }
      const bool all = shard.records.empty();
      ShardPosition to{.sequence_number = shard.done, .ended = all && shard.end.ended};
      if (to == shard.stored) continue;
      TRY(source->reader.store(name, shard.stored, to));
      shard.stored = to;
    }
  }
  return {};
}

Outcome<size_t> Reactions::poll() {
  TRY(store_progress());
  size_t records = 0;
  for (auto& source : sources_) {
    {
      const MutexLock lock(mutex_);
      if (under_way_ >= kWindowMax) break;
    }
    TRY_INTO(const size_t some, source->reader.poll(
                                    [&](const StreamBatch& batch) -> Outcome<bool> {
                                      TRY(add_events(*source, batch));
                                      return false;
                                    },
                                    clock_.now_ms()));
    records += some;
  }
  return records;
}

Outcome<size_t> Reactions::take_up_dead_letters() {
  QueryRequest query;
  query.table_name = design::kJournalTable;
  query.key_condition_expression = "#PK = :PK";
  query.filter_expression = "attribute_exists(#r)";
  query.placeholders.names = NameMap{{"#PK", "PK"}, {"#r", "retry"}};
  query.placeholders.values = ValueMap{{":PK", Value::string("DEAD#" + design_.name)}};
  size_t taken = 0;
  do {
    const auto page = database_.query(query);
    if (!page) return std::unexpected(refused_by(page.error()));
    for (size_t i = 0; i < page->items.size(); ++i) {
      const ItemView letter = page->items[i];
      const auto named = letter.find("reaction");
      const design::Reaction* reaction = nullptr;
      for (const design::Reaction& one : design_.reactions) {
        if (named && one.name == named->scalar()) reaction = &one;
      }
      const design::Entity* entity = reaction == nullptr ? nullptr : design_.entity(reaction->entity);
      if (entity == nullptr || !sends_to(endpoint_of(*reaction))) continue;
      auto event = std::make_unique<Event>();
      event->reaction = reaction;
      event->id = letter.find("SK")->scalar();
      if (const auto word = letter.find("event")) event->word = word->scalar();
      event->item = "DEAD\n" + event->id;
      const auto image = [&](const char* name, std::optional<Item>& item, Plain& fields) {
        const auto stored = letter.find(name);
        if (!stored || stored->type() != ValueType::kMap) return;
        std::vector<Field> attributes;
        for (const Field& field : stored->map()) attributes.push_back(field);
        item = Item(std::move(attributes));
        auto opened = image_fields(*reaction, *entity, *item);
        fields = opened ? std::move(*opened) : codec_.decode_plain_fields(*entity, *item);
      };
      image("old", event->old_item, event->old_fields);
      image("new", event->new_item, event->new_fields);
      // It is taken up once. The letter remains until the event has succeeded.
      UpdateItemRequest request{.table_name = std::string(design::kJournalTable), .key = letter_key(event->id)};
      request.update_expression = "REMOVE #r";
      request.placeholders.names = NameMap{{"#r", "retry"}};
      const auto asked = database_.update_item(request);
      if (!asked) return std::unexpected(refused_by(asked.error()));
      add_event(std::move(event));
      ++taken;
    }
    query.exclusive_start_key = page->last_evaluated_key;
  } while (query.exclusive_start_key);
  return taken;
}

void Reactions::work() {
  for (;;) {
    Event* event = nullptr;
    {
      const MutexLock lock(mutex_);
      for (;;) {
        if (stops_) return;
        const int64_t now = steady_ms();
        int64_t next = now + 1'000;
        for (auto& [item, events] : items_) {
          if (events.empty() || events.front()->busy) continue;
          if (events.front()->due_ms <= now) {
            event = events.front().get();
            break;
          }
          next = std::min(next, events.front()->due_ms);
        }
        if (event != nullptr) break;
        changed_.wait_for(mutex_, std::chrono::milliseconds(next - now));
      }
      event->busy = true;
    }
    const bool over = attempt(*event);
    const MutexLock lock(mutex_);
    event->busy = false;
    if (!over) continue;
    const auto item = items_.find(event->item);
    if (event->record != nullptr) --event->record->open;
    --under_way_;
    item->second.pop_front();
    if (item->second.empty()) items_.erase(item);
    changed_.notify_all();
  }
}

Item Reactions::letter_key(const std::string& id) const {
  return Item({{"PK", Value::string("DEAD#" + design_.name)}, {"SK", Value::string(id)}});
}

// Who the runtime is to the operations that it calls itself.
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
      const Plain& is = event.new_fields.member(input.name);
      const Plain& value = is.exists() ? is : event.old_fields.member(input.name);
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
  context.means_first_call = true;
  Call call;
  const Plain inputs = inputs_of(event, *operation, names);
  const auto done = runtime_.call(*operation, inputs, {}, context, call);
  const auto durable = database_.wait_durable(call);
  if (done && durable) {
    // If this fails, the letter can be asked for again, and the operation knows its key.
    if (event.record == nullptr)
      (void)database_.delete_item({.table_name = std::string(design::kJournalTable), .key = letter_key(event.id)});
    ++sent_;
    return true;
  }
  const bool final = !done && !done.error().retryable && done.error().status < 500;
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
  // The outcome is noted before the event is over; what cannot be written now is written later.
  const auto& [reply, took, body] = *event.ending;
  const bool succeeded = is_success(reply);
  std::string error = succeeded ? std::string() : words_of(reply);
  if (!record_outcome(event, reply, succeeded, took, error) ||
      (!error.empty() && !write_dead_letter(event, body, error))) {
    event.due_ms = steady_ms() + options_.backoff.cap_ms;
    return false;
  }
  if (error.empty() && event.record == nullptr) {
    // If this fails, the letter can be retried again, and the endpoint knows its key.
    (void)database_.delete_item({.table_name = std::string(design::kJournalTable), .key = letter_key(event.id)});
  }
  ++(error.empty() ? sent_ : dead_);
  return true;
}

// Each input is what `with` says, else what has its name among `names`, else the item's field.
Plain Reactions::inputs_of(const Event& event, const design::Operation& operation,
                           const std::map<std::string, Plain, std::less<>>& names) const {
  Scope scope;
  scope.names = &names;
  scope.old_item = &event.old_fields;
  scope.new_item = &event.new_fields;
  scope.now_ms = clock_.now_ms();
  Plain inputs = Plain::map();
  for (const design::Input& input : operation.takes) {
    const design::Binding* bound = nullptr;
    for (const design::Binding& binding : event.reaction->with) {
      if (binding.field == input.name) bound = &binding;
    }
    Plain value;
    if (bound != nullptr) {
      if (auto evaluated = evaluate(bound->value, scope)) value = std::move(*evaluated);
    } else if (const auto name = names.find(input.name); name != names.end()) {
      value = name->second;
    } else {
      const Plain& is = event.new_fields.member(input.name);
      value = is.exists() ? is : event.old_fields.member(input.name);
    }
    if (value.exists()) inputs.set(input.name, std::move(value));
  }
  return inputs;
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
  context.means_first_call = true;  // after a crash the endpoint may have answered otherwise, or in another time
  for (int tries = 0; tries < kRecordTriesMax; ++tries) {
    Call call;
    const auto done = runtime_.call(*then, inputs, {}, context, call);
    const auto durable = database_.wait_durable(call);
    if (done && durable) return true;
    // An outcome that can never be recorded, because the operation does not accept it, must not be retried forever, and
    // must be reported.
    if (!done && !done.error().retryable && done.error().status < 500) {
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
  // A letter that the database rejects for good must not block the events after it: only its identity is stored.
  values.resize(kLetterIdentityValues);
  values.emplace_back("error", Value::string("The letter could not be written: " + done.error().message));
  fields.clear();
  for (const auto& [name, value] : values) fields.push_back({name, value});
  const auto kept =
      database_.put_item({.table_name = std::string(design::kJournalTable), .item = Item(std::move(fields))});
  return kept.has_value() || kept.error().code == ErrorCode::kValidation;
}

}  // namespace trestle::runtime
