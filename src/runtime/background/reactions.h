// Reactions: what changes of items tell others, by HTTP, and what is done with the outcome.
//
// Each change that a reaction is about becomes an event: a POST of JSON (`send`) to the endpoint that `call` names,
// with the header Idempotency-Key, the same however often it is sent. A status of 200 to 299 is success. Anything else,
// or nothing, is tried again after an exponential wait with jitter, `retries` times; then the event is a dead letter in
// the journal:
//   PK "DEAD#<design>", SK the event's id; reaction, event, error, body, failures, at (Unix ms), old, new
// Either way the operation `then` is called with the outcome, once per event and outcome.
//
// With `do` an event calls an operation of the design instead, under the event's id as its idempotency key: what it
// writes is written once, however often the event is read. A refusal that another try cannot change makes it a dead
// letter at once.
//
// The events of one item are sent in order to an endpoint, each after the one before it succeeded or died; different
// items and different endpoints do not wait for each other: each endpoint has a checkpoint of its own. Where there is
// no such endpoint (yet) nothing is read, and the stream holds its events. Up to kWindowMax events are under way; the
// checkpoint follows the oldest that is not done, so after a crash some are sent again, under the same key.
//
// poll() and its like belong to one thread; the HTTP calls are made by threads of its own.
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
#include "runtime/call/item_form.h"
#include "runtime/runtime.h"

namespace trestle::runtime {

// What an endpoint answered; status 0: nothing, and `error` says why.
struct EndpointReply {
  int status = 0;
  std::string body;
  std::string error;
};
// Sends a body to the endpoint of that name. Called by several threads at once.
using EndpointCall = std::function<EndpointReply(const std::string& endpoint, const std::string& idempotency_key,
                                                 const std::string& body)>;

struct ReactionOptions {
  EndpointCall call;
  // The endpoints there are; nothing: all. The stream is not read for others, so that what happens meanwhile is told
  // once there is one, unless the stream has lost it by then (24 hours).
  std::optional<std::set<std::string>> endpoints = {};
  std::set<std::string> without = {};  // endpoints whose events nobody wants: they are passed over
  Backoff backoff = {.base_ms = 200, .cap_ms = 30'000};
  unsigned threads = 4;
};

struct ReactionCounts {
  uint64_t sent = 0;  // events that succeeded
  uint64_t retries = 0;
  uint64_t dead = 0;       // events that became dead letters, since the start
  uint64_t under_way = 0;  // events now
};

class Reactions {
 public:
  static constexpr size_t kWindowMax = 1000;

  // All must outlive it.
  Reactions(DesignRuntime& runtime, Database& database, const ItemCodec& codec, const Clock& clock,
            ReactionOptions options);
  ~Reactions();

  bool empty() const { return sources_.empty(); }
  // Reads what is new while there is room, and tells the journal what is done. How many records were read.
  Outcome<size_t> poll();
  // Dead letters that were asked to be tried again (retry_dead_letters) become events. How many.
  Outcome<size_t> take_up_dead_letters();
  // Everything that is not in the journal will be read again; what is under way is let go.
  void forget();
  // Tells the journal how far all is done.
  Outcome<void> store_progress();
  // Waits for calls that are being made, starts no more.
  void stop();

  // Endpoints that reactions call and that there are none of: their events wait in the stream.
  const std::set<std::string>& waits_for() const { return waits_for_; }
  ReactionCounts counts() const;
  int64_t lag_ms() const;
  uint64_t gaps() const;

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
  void work();
  // Makes one try; true when the event is over.
  bool attempt(Event& event);
  std::string body_of(const Event& event) const;
  Item letter_key(const std::string& id) const;
  // False: it must be tried again. Where the operation will never take the outcome, `error` says why, if it is empty
  // yet.
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
  // Events by item, oldest first; the first is the one that may be sent.
  std::map<std::string, std::deque<std::unique_ptr<Event>>> items_ GUARDED_BY(mutex_);
  size_t under_way_ GUARDED_BY(mutex_) = 0;
  bool stops_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

// Dead letters of a design, oldest first.
struct DeadLetter {
  std::string id, reaction, event, error, body;
  int64_t failures = 0, at_ms = 0;
  bool asked = false;  // to be tried again
};
Outcome<std::vector<DeadLetter>> dead_letters(Database& database, const std::string& design, size_t limit);
// Asks that the dead letter of that id, or every one if it is empty, be tried again by whoever does the background
// work.
Outcome<size_t> retry_dead_letters(Database& database, const std::string& design, const std::string& id);

}  // namespace trestle::runtime
