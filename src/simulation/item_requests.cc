// Random reads and writes of items.
#include <fmt/format.h>

#include "simulation/request_parts.h"

namespace trestle {

SimulatedRequest RequestSource::put(int64_t now_ms) {
  PutItemRequest request{.table_name = any_table(), .item = any_item(now_ms)};
  const bool conditional = one_in(3);
  if (conditional) request.condition.expression = "attribute_not_exists(p)";
  const std::string key = key_text(request.item);
  return {.text = fmt::format("PutItem {} {}{}", request.table_name, key, conditional ? " if absent" : ""),
          .send = [request](Engine& engine) { return outcome_of(call_as_loop(engine, &Database::put_item, request)); },
          .effect = on_table(request.table_name, [request, key, conditional](ModelTable& table) {
            if (conditional && table.items.contains(key)) return Expected::kRefusal;
            table.put(key, request.item);
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::update() {
  UpdateItemRequest request{.table_name = any_table(), .key = any_key()};
  const Value n = Value::number(++version_);
  const Value g = Value::string(fmt::format("g{}", below(3)));
  const bool conditional = one_in(2);
  if (conditional) request.condition.expression = "attribute_exists(p)";
  request.update_expression = "SET n = :n, g = :g REMOVE t";
  request.placeholders.values = ValueMap{{":n", n}, {":g", g}};
  const std::string key = key_text(request.key);
  return {
      .text = fmt::format("UpdateItem {} {}{}", request.table_name, key, conditional ? " if present" : ""),
      .send = [request](Engine& engine) { return outcome_of(call_as_loop(engine, &Database::update_item, request)); },
      .effect = on_table(request.table_name, [request, key, conditional, n, g](ModelTable& table) {
        const auto found = table.items.find(key);
        if (conditional && found == table.items.end()) return Expected::kRefusal;
        const Item before = found == table.items.end() ? request.key : found->second;
        ItemEditor item(before);
        item.set("n", n);
        item.set("g", g);
        item.remove("t");
        table.put(key, item.build());
        return Expected::kSuccess;
      })};
}

// The response is the new count, so it identifies the worlds in which the same additions came before.
SimulatedRequest RequestSource::count() {
  UpdateItemRequest request{.table_name = any_table(), .key = any_key()};
  request.update_expression = "ADD c :one";
  const Value one = Value::number(int64_t{1});
  request.placeholders.values = ValueMap{{":one", one}};
  request.return_values = ReturnValues::kUpdatedNew;
  const std::string key = key_text(request.key);
  auto answered = std::make_shared<std::string>();  // shared by the two halves of this request
  return {.text = fmt::format("UpdateItem {} {} counts", request.table_name, key),
          .send =
              [request, answered](Engine& engine) {
                const auto answer = call_as_loop(engine, &Database::update_item, request);
                if (answer.has_value() && answer->attributes) {
                  *answered = std::string(answer->attributes->find("c")->scalar());
                }
                return outcome_of(answer);
              },
          .effect = on_table(request.table_name, [request, key, answered](ModelTable& table) {
            const auto found = table.items.find(key);
            const Item before = found == table.items.end() ? request.key : found->second;
            const auto count = before.find("c");
            const int64_t next = 1 + (count ? std::stoll(std::string(count->scalar())) : 0);
            if (!answered->empty() && *answered != std::to_string(next)) return Expected::kRefusal;
            ItemEditor item(before);
            const Value c = Value::number(next);
            item.set("c", c);
            table.put(key, item.build());
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::erase() {
  const DeleteItemRequest request{.table_name = any_table(), .key = any_key()};
  const std::string key = key_text(request.key);
  return {
      .text = fmt::format("DeleteItem {} {}", request.table_name, key),
      .send = [request](Engine& engine) { return outcome_of(call_as_loop(engine, &Database::delete_item, request)); },
      .effect = on_table(request.table_name, [key](ModelTable& table) {
        table.erase(key);
        return Expected::kSuccess;
      })};
}

SimulatedRequest RequestSource::write_batch(int64_t now_ms) {
  BatchWriteItemRequest request;
  std::string text = "BatchWriteItem";
  std::set<std::string> written;
  for (uint64_t i = 0, count = 2 + below(4); i < count; ++i) {
    const std::string table = any_table();
    BatchWrite write{.is_delete = one_in(3), .item = any_item(now_ms)};
    if (write.is_delete) write.item = key_item(write.item);
    if (!written.insert(table + key_text(write.item)).second) continue;
    text += fmt::format(" {}{} {}", write.is_delete ? "delete " : "", table, key_text(write.item));
    const auto of = std::ranges::find(request.tables, table, &BatchWriteTable::table_name);
    if (of == request.tables.end()) {
      request.tables.push_back({.table_name = table, .writes = {write}});
    } else {
      of->writes.push_back(write);
    }
  }
  // Writes of items that were in another client's transaction.
  auto unprocessed = std::make_shared<std::set<std::string>>();
  return {.text = text,
          .send =
              [request, unprocessed](Engine& engine) {
                const auto answer = call_as_loop(engine, &Database::batch_write_item, request);
                if (answer.has_value()) {
                  for (const BatchWriteTable& of : answer->unprocessed) {
                    for (const BatchWrite& write : of.writes) unprocessed->insert(of.table_name + key_text(write.item));
                  }
                }
                return outcome_of(answer);
              },
          .effect =
              [request, unprocessed](World& world) {
                bool creating = false;
                for (const BatchWriteTable& of : request.tables) {
                  if (world.find(of.table_name) == nullptr) return Expected::kRefusal;
                  ModelTable& table = world.change(of.table_name);
                  creating = creating || table.creating;
                  for (const BatchWrite& write : of.writes) {
                    if (unprocessed->contains(of.table_name + key_text(write.item))) continue;
                    if (write.is_delete) {
                      table.erase(key_text(write.item));
                    } else {
                      table.put(key_text(write.item), write.item);
                    }
                  }
                }
                return creating ? Expected::kEither : Expected::kSuccess;
              }};
}

SimulatedRequest RequestSource::transact(int64_t now_ms) {
  if (!retries_.empty() && one_in(3)) {
    SimulatedRequest again = retries_[below(retries_.size())];
    again.text += " again";
    return again;
  }
  TransactWriteItemsRequest request;
  const std::string token = one_in(2) ? fmt::format("token-{}", ++names_) : "";
  if (!token.empty()) request.client_request_token = token;
  std::string text = fmt::format("TransactWriteItems {}", token);
  std::set<std::string> touched;
  for (uint64_t i = 0, count = 2 + below(3); i < count; ++i) {
    TransactWrite write{.kind = one_in(4)   ? TransactWrite::Kind::kConditionCheck
                                : one_in(4) ? TransactWrite::Kind::kDelete
                                            : TransactWrite::Kind::kPut,
                        .table_name = any_table(),
                        .item = any_item(now_ms)};
    if (write.kind != TransactWrite::Kind::kPut) write.item = key_item(write.item);
    if (write.kind == TransactWrite::Kind::kConditionCheck) write.condition.expression = "attribute_exists(p)";
    if (!touched.insert(write.table_name + key_text(write.item)).second) continue;
    text += fmt::format(" {}{} {}",
                        write.kind == TransactWrite::Kind::kConditionCheck ? "check "
                        : write.kind == TransactWrite::Kind::kDelete       ? "delete "
                                                                           : "",
                        write.table_name, key_text(write.item));
    request.writes.push_back(std::move(write));
  }
  SimulatedRequest result{.text = text,
                          .send =
                              [request](Engine& engine) {
                                return outcome_of(call_as_loop(engine, &Database::transact_write_items, request));
                              },
                          .effect =
                              [request, token](World& world) {
                                const bool repeated = !token.empty() && world.tokens.contains(token);
                                bool creating = false;
                                bool refused = false;
                                bool missing = false;
                                for (const TransactWrite& write : request.writes) {
                                  const ModelTable* table = world.find(write.table_name);
                                  missing = missing || table == nullptr;
                                  if (table == nullptr) continue;
                                  creating = creating || table->creating;
                                  refused = refused || (write.kind == TransactWrite::Kind::kConditionCheck &&
                                                        !table->items.contains(key_text(write.item)));
                                }
                                // The table is looked up before the token.
                                if (missing) return repeated ? Expected::kEither : Expected::kRefusal;
                                if (repeated) return creating ? Expected::kEither : Expected::kSuccess;
                                if (refused) return Expected::kRefusal;
                                for (const TransactWrite& write : request.writes) {
                                  if (write.kind == TransactWrite::Kind::kConditionCheck) continue;
                                  ModelTable& table = world.change(write.table_name);
                                  if (write.kind == TransactWrite::Kind::kDelete) {
                                    table.erase(key_text(write.item));
                                  } else {
                                    table.put(key_text(write.item), write.item);
                                  }
                                }
                                if (!token.empty()) world.tokens.insert(token);
                                return creating ? Expected::kEither : Expected::kSuccess;
                              }};
  if (!token.empty()) retries_.push_back(result);
  return result;
}

// Expected to succeed only in worlds that contain the returned item.
SimulatedRequest RequestSource::get() {
  const GetItemRequest request{.table_name = any_table(), .key = any_key()};
  const std::string key = key_text(request.key);
  auto found = std::make_shared<std::optional<Item>>();  // shared by the two halves of this request
  return {.text = fmt::format("GetItem {} {}", request.table_name, key),
          .send =
              [request, found](Engine& engine) {
                const auto answer = call_as_loop(engine, &Database::get_item, request);
                if (answer.has_value()) *found = answer->item;
                return outcome_of(answer);
              },
          .effect = on_table(request.table_name,
                             [key, found](ModelTable& table) {
                               const auto item = table.items.find(key);
                               const bool agrees = *found ? item != table.items.end() && item->second == **found
                                                          : item == table.items.end();
                               return agrees ? Expected::kSuccess : Expected::kRefusal;
                             }),
          .is_read = true};
}

}  // namespace trestle
