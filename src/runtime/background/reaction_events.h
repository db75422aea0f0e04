// The events of reactions, between a stream and an endpoint. Internal to Reactions.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/steady_us.h"
#include "runtime/background/reactions.h"

namespace trestle::runtime {

// A stream record whose events may not all be finished, together with the finished records that follow it.
struct Reactions::Record {
  std::string last;              // the sequence number of the last record; used by poll() only
  std::atomic<size_t> open = 0;  // unfinished events
};

// The stream of one table, read for one endpoint.
struct Reactions::Source {
  const design::Table* table;
  std::string endpoint;
  StreamReader reader;
  struct Shard {
    ShardPosition stored;  // the checkpoint
    ShardPosition end;     // the position when all `records` are finished
    // In the shard's order; shared with their events. Each call of poll() removes finished ones, so there are at most
    // as many as unfinished events.
    std::deque<std::shared_ptr<Record>> records;
    std::string done;  // the sequence number up to which everything is finished
    // Moves `done` past finished records, and merges each of the other finished ones into the record before it.
    void compact();
  };
  std::map<std::string, Shard> shards;
};

struct Reactions::Event {
  const design::Reaction* reaction = nullptr;
  std::string id;
  std::string item;  // table, endpoint and key: events with the same value are ordered
  std::string word;  // insert, modify, remove, expire
  Item key;
  std::optional<Item> old_item, new_item;
  Plain old_fields, new_fields;
  std::shared_ptr<Record> record;  // null: a dead letter that is retried
  unsigned failures = 0;
  int64_t due_ms = 0;  // by the steady clock
  bool busy = false;   // a thread is processing it
  // The final result. When it is set, the endpoint is not called again; only the outcome must still be recorded.
  struct Ending {
    EndpointReply reply;
    int64_t took_ms = 0;
    std::string body;
  };
  std::optional<Ending> ending = {};
};

inline int64_t steady_ms() { return steady_us() / 1000; }

}  // namespace trestle::runtime
