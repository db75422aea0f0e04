// The events of reactions, on their way from a stream to an endpoint. Internal to reactions.h.
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

inline int64_t steady_ms() { return steady_us() / 1000; }

}  // namespace trestle::runtime
