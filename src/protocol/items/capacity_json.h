// ConsumedCapacity and ItemCollectionMetrics as replies show them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/parameters.h"
#include "protocol/json/json_output.h"

namespace trestle {

// Writes the members "ConsumedCapacity" and "ItemCollectionMetrics" into an open object; nothing if absent.
void write_consumed_capacity(const std::optional<ConsumedCapacity>& capacity, JsonOutput& json);
void write_item_collection_metrics(const std::optional<ItemCollectionMetrics>& metrics, JsonOutput& json);

// A list of them, one for each table; nothing if empty.
void write_consumed_capacities(const std::vector<ConsumedCapacity>& capacities, JsonOutput& json);

// One object each, for the lists in batch replies.
void write_consumed_capacity_object(const ConsumedCapacity& capacity, JsonOutput& json);
void write_item_collection_metrics_object(const ItemCollectionMetrics& metrics, JsonOutput& json);

}  // namespace trestle
