// Generates random requests that change state, each with its effect on a world of the model.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "simulation/world.h"

namespace trestle {

struct SimulatedRequest {
  std::string text;  // for the trace
  std::function<Outcome(Engine&)> send;
  Effect effect;
  bool is_read = false;
  bool is_alone = false;  // never sent concurrently with other requests
};

// Generates requests and remembers what later requests refer to.
class RequestSource {
 public:
  // `bucket_folder` is the folder of the only bucket, "bucket", from which loads read.
  RequestSource(uint64_t seed, std::string bucket_folder) : random_(seed), bucket_folder_(std::move(bucket_folder)) {}

  SimulatedRequest next(Engine& engine, const Worlds& worlds, int64_t now_ms);
  // A request that is sent concurrently with others.
  SimulatedRequest next_concurrent(Engine& engine, const Worlds& worlds, int64_t now_ms);

 private:
  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool one_in(uint64_t count) { return below(count) == 0; }
  std::string any_table();
  Item any_key();
  Item any_item(int64_t now_ms);

  SimulatedRequest item_request(int64_t now_ms);
  SimulatedRequest put(int64_t now_ms);
  SimulatedRequest update();
  SimulatedRequest count();
  SimulatedRequest erase();
  SimulatedRequest write_batch(int64_t now_ms);
  SimulatedRequest transact(int64_t now_ms);
  SimulatedRequest get();
  SimulatedRequest execute_statement(int64_t now_ms);
  SimulatedRequest execute_transaction(int64_t now_ms);
  SimulatedRequest create_table();
  SimulatedRequest delete_table(const Worlds& worlds, int64_t now_ms);
  SimulatedRequest change_global_index();
  SimulatedRequest change_vector_index();
  SimulatedRequest change_stream(const Worlds& worlds);
  SimulatedRequest change_protection();
  SimulatedRequest change_throughput();
  SimulatedRequest change_insights();
  SimulatedRequest change_expiry();
  SimulatedRequest change_recovery(int64_t now_ms);
  SimulatedRequest change_tags();
  SimulatedRequest change_policy();
  SimulatedRequest create_backup(int64_t now_ms);
  SimulatedRequest delete_backup(Engine& engine);
  SimulatedRequest restore_backup(Engine& engine);
  SimulatedRequest restore_moment(const Worlds& worlds);
  SimulatedRequest note_moment(const Worlds& worlds, int64_t now_ms);
  SimulatedRequest export_table(const Worlds& worlds);
  SimulatedRequest import_table(int64_t now_ms);
  SimulatedRequest put_in_bulk(const Worlds& worlds);

  // Writes objects that contain these items below a new prefix, and returns the prefix.
  std::string write_objects(const ModelItems& items);

  std::mt19937_64 random_;
  const std::string bucket_folder_;
  int64_t version_ = 0;                    // the version of the last item; no two items are equal
  int names_ = 0;                          // number of names used for backups, exports and tokens
  std::vector<SimulatedRequest> retries_;  // transactions with a token, which may be sent again
};

// The deletion of expired items: one effect per table, because each is a separate commit.
std::vector<Effect> expiry_effects(int64_t now_ms);
// The deletion of stream records that are older than a day: also one effect per table.
std::vector<Effect> trim_effects();
// A day passes: every record of a stream is old, and tokens of transactions have expired.
Effect day_effect();

}  // namespace trestle
