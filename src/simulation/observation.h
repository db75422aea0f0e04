// Reads a whole database through its API, to compare it with a model and to check its consistency.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace trestle {

struct Observation {
  // In the form of World::lines().
  std::vector<std::string> lines;
  // Internal inconsistencies of the database: indexes, counts and streams that do not match the items.
  std::vector<std::string> contradictions;
};

// Background work must have ended. `bucket_folder` is the folder of the exports. Fails if any request fails.
Result<Observation> observe(Engine& engine, const std::string& bucket_folder);

// The items in the data files of all exports below a folder, as lines.
std::set<std::string> exported_items(const std::string& folder);

// Waits until no background work is left. Returns false, and names the work in `what`, if it does not end.
bool finish_background_work(Engine& engine, std::string& what);

}  // namespace trestle
