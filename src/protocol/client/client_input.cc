#include "protocol/client/client_input.h"

#include <cmath>

#include "protocol/client/client_json.h"
#include "protocol/json/attribute_value_json.h"

namespace trestle {
namespace {

// A value that DynamoDB would refuse has no packed form.
template <class T>
Result<void> take_noted(Result<Noted<T>> noted, T& out) {
  if (!noted.has_value()) return std::unexpected(std::move(noted).error());
  if (noted->fault) return serialization_failure(std::move(*noted->fault));
  out = std::move(noted->value);
  return {};
}

simdjson::dom::parser& reply_parser() {
  static thread_local simdjson::dom::parser parser;
  return parser;
}

Result<JsonInput> object_of(simdjson::simdjson_result<simdjson::dom::element> parsed) {
  simdjson::dom::object object;
  if (parsed.get_object().get(object) != simdjson::SUCCESS) return serialization_failure("not a JSON object");
  return JsonInput(object);
}

// {"CapacityUnits": 1.0, "ReadCapacityUnits": 1.0}
Result<void> take_units(JsonElement json, double& out) { return take_members(json, into("CapacityUnits", out)); }

Result<void> take_index_units(JsonElement json, std::vector<std::pair<std::string, double>>& out) {
  TRY_INTO(const JsonInput map, json_map(json, "Capacity"));
  for (const JsonMember member : map) {
    auto& [name, units] = out.emplace_back();
    name = member.name;
    TRY(take_units(member.value, units));
  }
  return {};
}

Result<void> take_vector_bytes(JsonElement json, std::vector<std::pair<std::string, double>>& out) {
  TRY_INTO(const JsonInput map, json_map(json, "VectorCapacity"));
  for (const JsonMember member : map) {
    auto& [name, bytes] = out.emplace_back(member.name, 0);
    TRY(take_members(member.value, into("VectorWriteRequestBytes", bytes)));
  }
  return {};
}

}  // namespace

Result<JsonInput> parse_reply(std::string_view body) {
  return object_of(reply_parser().parse(body.data(), body.size(), /*realloc_if_needed=*/true));
}

Result<JsonInput> parse_padded_reply(std::string_view body) {
  return object_of(reply_parser().parse(body.data(), body.size(), /*realloc_if_needed=*/false));
}

Result<void> take(JsonElement json, std::string& out) {
  TRY_INTO(out, json_string(json));
  return {};
}

Result<void> take(JsonElement json, bool& out) {
  TRY_INTO(out, json_boolean(json));
  return {};
}

Result<void> take(JsonElement json, int64_t& out) {
  TRY_INTO(out, json_integer(json, "Long"));
  return {};
}

Result<void> take(JsonElement json, double& out) {
  if (json.get_double().get(out) != simdjson::SUCCESS) return serialization_failure("not a number");
  return {};
}

Result<void> take_timestamp_ms(JsonElement json, int64_t& out) {
  double seconds = 0;
  TRY(take(json, seconds));
  out = std::llround(seconds * 1000);
  return {};
}

Result<void> take(JsonElement json, Value& out) {
  return take_noted(ValueReader(ValueWording::kOlder).value(json, JsonPlace::kElement), out);
}

Result<void> take(JsonElement json, Item& out) {
  return take_noted(ValueReader(ValueWording::kOlder).item_element(json), out);
}

Result<void> take(JsonElement json, ItemList& out) {
  TRY_INTO(const JsonArray array, json_list(json));
  Item item;
  for (const JsonElement element : array) {
    TRY(take(element, item));
    out.add(item);
  }
  return {};
}

Result<void> take(JsonElement json, NameMap& out) {
  TRY_INTO(const JsonInput map, json_map(json, "java.lang.String"));
  for (const JsonMember member : map) {
    TRY_INTO(const std::string_view text, json_string(member.value));
    out.emplace_back(member.name, text);
  }
  return {};
}

Result<void> take(JsonElement json, ConsumedCapacity& out) {
  double units = 0;
  const auto detailed = [&](auto take_detail) {
    return [&out, take_detail](JsonElement element) -> Result<void> {
      out.detail = ReturnConsumedCapacity::kIndexes;
      return take_detail(element);
    };
  };
  const auto of_kind = [&](CapacityKind kind) {
    return [&out, kind](JsonElement) -> Result<void> {
      out.kind = kind;
      return {};
    };
  };
  TRY(take_members(json, into("TableName", out.table_name), into("CapacityUnits", out.total),
                   into("ReadCapacityUnits", of_kind(CapacityKind::kTransactionRead)),
                   into("WriteCapacityUnits", of_kind(CapacityKind::kTransactionWrite)),
                   into("Table", detailed([&](JsonElement element) { return take_units(element, units); })),
                   into("LocalSecondaryIndexes",
                        detailed([&](JsonElement element) { return take_index_units(element, out.local_indexes); })),
                   into("GlobalSecondaryIndexes",
                        detailed([&](JsonElement element) { return take_index_units(element, out.global_indexes); })),
                   into("VectorIndexes", detailed([&](JsonElement element) {
                          return take_vector_bytes(element, out.vector_indexes);
                        }))));
  out.table = units;
  return {};
}

Result<void> take(JsonElement json, ItemCollectionMetrics& out) {
  std::vector<double> range;
  TRY(take_members(json, into("ItemCollectionKey", out.collection_key), into("SizeEstimateRangeGB", range)));
  if (range.size() == 2) {
    out.size_gb_low = range[0];
    out.size_gb_high = range[1];
  }
  return {};
}

}  // namespace trestle
