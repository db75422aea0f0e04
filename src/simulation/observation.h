// A look at a whole database through its API, for comparing it with a model and with itself.
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

// Background work must be over. `bucket_folder` is where exports go. Fails if any request does.
Result<Observation> observe(Engine& engine, const std::string& bucket_folder);

// The items in the data files of exports below a folder, as lines.
std::set<std::string> exported_items(const std::string& folder);

// Waits until no background work is left. False: it does not end, and `what` names it.
bool finish_background_work(Engine& engine, std::string& what);

}  // namespace trestle
