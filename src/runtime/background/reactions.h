// Reactions: HTTP notifications about changed items, and calls of operations.
//
// Each change that a reaction matches becomes an event: a POST of JSON (`send`) to the endpoint that `call` names, with
// the header Idempotency-Key, the same for every attempt. A status of 200 to 299 is success. Any other status, or no
// reply, is retried with exponential backoff and jitter, `retries` times; then the event becomes a dead letter in the
// journal:
//   PK "DEAD#<design>", SK the event's id; reaction, event, error, body, failures, at (Unix ms), old, new
// In both cases the operation `then` is called with the outcome, once per event and outcome.
//
// With `do`, an event calls an operation of the design instead, with the event's id as its idempotency key, so its
// writes are applied once, however often the event is read. If the refusal is final, the event becomes a dead letter at
// once.
//
// The events of one item are sent to an endpoint in order, each after the previous one has succeeded or become a dead
// letter. Different items and endpoints do not wait for each other; each endpoint has its own checkpoint. While an
// endpoint is not configured, the stream is not read for it, so its events remain in the stream. About kWindowMax
// events are in progress at once, and only records with such events are kept in memory, however many follow the oldest.
// The checkpoint stops before the oldest unfinished event, so after a crash some events are sent again, with the same
// key.
//
// poll() and the other methods must be called by one thread; separate threads make the HTTP calls.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/backoff.h"
#include "base/mutex.h"
#include "runtime/background/stream_reader.h"
#include "runtime/items/item_form.h"
#include "runtime/runtime.h"

namespace trestle::runtime {

// The beginning of the body of every CloudEvent.
inline constexpr std::string_view kCloudEventStart = "{\"specversion\":";

// An endpoint's reply. Status 0: there was none, and `error` says why.
struct EndpointReply {
  int status = 0;
  std::string body;
  std::string error;
};
// Sends a body to the named endpoint. Called by several threads concurrently.
using EndpointCall = std::function<EndpointReply(const std::string& endpoint, const std::string& idempotency_key,
                                                 const std::string& body)>;

struct ReactionOptions {
  EndpointCall call;
  // The configured endpoints; nothing: all. The stream is not read for others; when they are configured later, their
  // events are delivered if the stream still has them (24 hours).
  std::optional<std::set<std::string>> endpoints = {};
  std::set<std::string> without = {};  // endpoints whose events are skipped
  Backoff backoff = {.base_ms = 200, .cap_ms = 30'000};
  unsigned threads = 4;
};

struct ReactionCounts {
  uint64_t sent = 0;  // events that succeeded
  uint64_t retries = 0;
  uint64_t dead = 0;       // events that became dead letters, since the start
  uint64_t under_way = 0;  // events in progress now
};

class Reactions {
 public:
  static constexpr size_t kWindowMax = 1000;

  // The arguments must outlive this object.
  Reactions(DesignRuntime& runtime, Database& database, const ItemCodec& codec, const Clock& clock,
            ReactionOptions options);
  ~Reactions();

  bool empty() const { return sources_.empty(); }
  // Reads new records while there is room, and checkpoints finished ones. Returns the number of records read.
  Outcome<size_t> poll();
  // Turns dead letters for which a retry was requested (retry_dead_letters) into events, while there is room. Returns
  // their number.
  Outcome<size_t> requeue_dead_letters();
  // Discards all unfinished events; records after the checkpoints will be read again. Calls in progress finish, but no
  // longer count towards a checkpoint.
  void forget();
  // Checkpoints finished events in the journal.
  Outcome<void> store_progress();
  // Starts no further calls and waits for those in progress.
  void stop();

  // The endpoints that reactions call and that are not configured: their events wait in the stream.
  const std::set<std::string>& waits_for() const { return waits_for_; }
  ReactionCounts counts() const;
  int64_t lag_ms() const;
  uint64_t gaps() const;
  // Whether the last poll() found every shard read to its end. If not, there may be more records, for example in a
  // shard whose parent has just ended.
  bool is_drained() const;
  // The number of records in memory; for tests.
  size_t unfinished_records() const;

 private:
  struct Source;
  struct Record;
  struct Event;

  bool sends_to(const std::string& endpoint) const;
  bool attempt_operation(Event& event);
  Plain inputs_of(const Event& event, const design::Operation& operation,
                  const std::map<std::string, Plain, std::less<>>& names) const;
  Outcome<void> add_events(Source& source, const StreamBatch& batch);
  Outcome<Plain> image_fields(const design::Reaction& reaction, const design::Entity& entity, ItemView item);
  void add_event(std::unique_ptr<Event> event);
  bool has_room() const;
  void work();
  // Makes one attempt; returns whether the event is finished.
  bool attempt(Event& event);
  // Fails if the operation `ask`, whose reply the body may use, fails.
  Outcome<std::string> body_of(const Event& event) const;
  static CallContext own_context();
  Item letter_key(const std::string& id) const;
  // Calls the operation `then`. False: it must be retried. If the operation will never accept the outcome, sets `error`
  // to the reason unless it is already set.
  bool record_outcome(const Event& event, const EndpointReply& reply, bool succeeded, int64_t duration_ms,
                      std::string& error);
  bool write_dead_letter(const Event& event, const std::string& body, const std::string& error);

  DesignRuntime& runtime_;
  const design::Design& design_;
  Database& database_;
  const ItemCodec& codec_;
  const Clock& clock_;
  const ReactionOptions options_;
  std::set<std::string> waits_for_;
  std::vector<std::unique_ptr<Source>> sources_;
  int image_failures_ = 0;  // in a row
  std::atomic<uint64_t> sent_ = 0, retries_ = 0, dead_ = 0;

  mutable Mutex mutex_;
  ConditionVariable changed_;
  // Events by item, oldest first; only the first may be sent.
  std::map<std::string, std::deque<std::unique_ptr<Event>>> items_ GUARDED_BY(mutex_);
  size_t under_way_ GUARDED_BY(mutex_) = 0;
  bool stops_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

// Dead letters of a design, oldest first.
struct DeadLetter {
  std::string id, reaction, event, error, body;
  int64_t failures = 0, at_ms = 0;
  bool retry_requested = false;
};
Outcome<std::vector<DeadLetter>> dead_letters(Database& database, const std::string& design, size_t limit);
// Requests that the process that does the background work retries the dead letter with this id, or all if it is empty.
// Skips the letters of tallies, whose figures verification repairs. Returns the number of letters.
Outcome<size_t> retry_dead_letters(Database& database, const std::string& design, const std::string& id);

}  // namespace trestle::runtime
