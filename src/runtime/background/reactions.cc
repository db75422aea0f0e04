#include "runtime/background/reactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/start_threads.h"
#include "base/test_point.h"
#include "runtime/background/reaction_events.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

constexpr int kImageTriesMax = 30;
const std::string kOperations = "(operations)";  // the endpoint name that stands for the design's own operations

const std::string& endpoint_of(const design::Reaction& reaction) {
  return reaction.run.empty() ? reaction.call : kOperations;
}

bool matches(const design::Reaction& reaction, const StreamRecord& record) {
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

}  // namespace

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
  start_threads(
      threads_, options_.threads, [this](size_t) { work(); },
      [this] {
        const MutexLock lock(mutex_);
        stops_ = true;
        changed_.notify_all();
      });
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
  // Events that are being sent finish by themselves; their records are no longer tracked.
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

bool Reactions::is_drained() const {
  return std::ranges::all_of(sources_, [](const auto& source) { return source->reader.is_drained(); });
}

size_t Reactions::unfinished_records() const {
  size_t sum = 0;
  for (const auto& source : sources_) {
    for (const auto& [name, shard] : source->shards) sum += shard.records.size();
  }
  return sum;
}

uint64_t Reactions::gaps() const {
  uint64_t sum = 0;
  for (const auto& source : sources_) sum += source->reader.gaps();
  return sum;
}

// The fields of an image of the item. If a spilled value cannot be read, fails for a number of attempts, so that the
// batch is read again. After that the blob must be gone, because the item has changed since, and the field is absent.
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

bool Reactions::has_room() const {
  const MutexLock lock(mutex_);
  return under_way_ < kWindowMax;
}

Outcome<void> Reactions::add_events(Source& source, const StreamBatch& batch) {
  Source::Shard& shard = source.shards[batch.shard];
  shard.stored = batch.stored;
  shard.end = batch.end;
  if (shard.done.empty()) shard.done = batch.stored.sequence_number;
  for (const StreamRecord& record : batch.records) {
    auto open_record = std::make_shared<Record>();
    open_record->last = record.sequence_number;
    shard.records.push_back(open_record);
    const ItemKind kind = kind_of(design_, *source.table, record.keys);
    if (kind.entity == nullptr || kind.guard != nullptr) continue;
    for (const design::Reaction& reaction : design_.reactions) {
      if (endpoint_of(reaction) != source.endpoint || !sends_to(source.endpoint)) continue;
      if (reaction.entity != kind.entity->name || !matches(reaction, record)) continue;
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
      event->record = open_record;
      ++open_record->open;
      add_event(std::move(event));
    }
  }
  shard.compact();
  return {};
}

void Reactions::Source::Shard::compact() {
  std::deque<std::shared_ptr<Record>> unfinished;
  for (std::shared_ptr<Record>& record : records) {
    if (record->open > 0) {
      unfinished.push_back(std::move(record));
    } else {
      (unfinished.empty() ? done : unfinished.back()->last) = std::move(record->last);
    }
  }
  records = std::move(unfinished);
}

Outcome<void> Reactions::store_progress() {
  for (auto& source : sources_) {
    for (auto& [name, shard] : source->shards) {
      shard.compact();
      const bool all = shard.records.empty();
      ShardPosition to{.sequence_number = shard.done, .ended = all && shard.end.ended};
      if (to == shard.stored) continue;
      TRESTLE_TEST_POINT("reactions.checkpoint");
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
    if (!has_room()) break;
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

Outcome<size_t> Reactions::requeue_dead_letters() {
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
      if (!has_room()) return taken;  // the other letters keep their requests
      const ItemView letter = page->items[i];
      const auto named = letter.find("reaction");
      const design::Reaction* reaction = nullptr;
      for (const design::Reaction& candidate : design_.reactions) {
        if (named && candidate.name == named->scalar()) reaction = &candidate;
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
      // Clear the request, so that the letter is retried once. The letter remains until the event has succeeded.
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

}  // namespace trestle::runtime
