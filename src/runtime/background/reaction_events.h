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

// A stream record that has been read, and whose events may not all be finished.
struct Reactions::Record {
  std::string sequence_number;
  std::atomic<size_t> open = 0;  // unfinished events
};

// The stream of one table, read for one endpoint.
struct Reactions::Source {
  const design::Table* table;
  std::string endpoint;
  StreamReader reader;
  struct Shard {
    ShardPosition stored;                         // the checkpoint
    ShardPosition end;                            // the position when all `records` are finished
    std::deque<std::shared_ptr<Record>> records;  // in the shard's order; shared with their events
    std::string done;                             // the sequence number up to which everything is finished
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
