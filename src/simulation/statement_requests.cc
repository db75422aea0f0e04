// Random writes by PartiQL.
#include <fmt/format.h>

#include "simulation/request_parts.h"

namespace trestle {
namespace {

// A write by a statement, and what it does to a table of the model. It returns whether its condition holds.
struct StatementWrite {
  Statement statement;
  std::string table;
  std::string key;
  std::string text;
  std::function<bool(const ModelTable&)> holds;
  std::function<void(ModelTable&)> apply;
};

StatementWrite insert_statement(const std::string& table, const Item& item) {
  StatementWrite write{
      .statement = {}, .table = table, .key = key_text(item), .text = "INSERT", .holds = {}, .apply = {}};
  std::string members;
  for (const Field& field : item.attributes()) {
    members += fmt::format("{}'{}': ?", members.empty() ? "" : ", ", field.name);
    write.statement.parameters.emplace_back(field.value);
  }
  write.statement.text = fmt::format("INSERT INTO \"{}\" VALUE {{{}}}", table, members);
  write.holds = [key = write.key](const ModelTable& of) { return !of.items.contains(key); };
  write.apply = [key = write.key, item](ModelTable& of) { of.put(key, item); };
  return write;
}

StatementWrite update_statement(const std::string& table, const Item& key_of_item, int64_t version) {
  const std::string key = key_text(key_of_item);
  const Value n = Value::number(version);
  StatementWrite write{.statement = {}, .table = table, .key = key, .text = "UPDATE", .holds = {}, .apply = {}};
  write.statement.text = fmt::format("UPDATE \"{}\" SET n = ? REMOVE t WHERE p = ? AND s = ?", table);
  write.statement.parameters = {n, Value(*key_of_item.find("p")), Value(*key_of_item.find("s"))};
  write.holds = [key](const ModelTable& of) { return of.items.contains(key); };
  write.apply = [key, n](ModelTable& of) {
    ItemEditor item(of.items.at(key));
    item.set("n", n);
    item.remove("t");
    of.put(key, item.build());
  };
  return write;
}

StatementWrite delete_statement(const std::string& table, const Item& key_of_item) {
  const std::string key = key_text(key_of_item);
  StatementWrite write{.statement = {}, .table = table, .key = key, .text = "DELETE", .holds = {}, .apply = {}};
  write.statement.text = fmt::format("DELETE FROM \"{}\" WHERE p = ? AND s = ?", table);
  write.statement.parameters = {Value(*key_of_item.find("p")), Value(*key_of_item.find("s"))};
  write.holds = [](const ModelTable&) { return true; };
  write.apply = [key](ModelTable& of) { of.erase(key); };
  return write;
}

}  // namespace

SimulatedRequest RequestSource::execute_statement(int64_t now_ms) {
  const uint64_t kind = below(3);
  const std::string table = any_table();
  const StatementWrite write = kind == 0   ? insert_statement(table, any_item(now_ms))
                               : kind == 1 ? update_statement(table, any_key(), ++version_)
                                           : delete_statement(table, any_key());
  const ExecuteStatementRequest request{.statement = write.statement};
  return {
      .text = fmt::format("ExecuteStatement {} {} {}", write.text, table, write.key),
      .send =
          [request](Engine& engine) { return outcome_of(call_as_loop(engine, &Database::execute_statement, request)); },
      .effect = on_table(table, [write](ModelTable& of) {
        if (!write.holds(of)) return Expected::kRefusal;
        write.apply(of);
        return Expected::kSuccess;
      })};
}

SimulatedRequest RequestSource::execute_transaction(int64_t now_ms) {
  const std::string token = one_in(2) ? fmt::format("token-{}", ++names_) : "";
  ExecuteTransactionRequest request;
  if (!token.empty()) request.client_request_token = token;
  std::string text = fmt::format("ExecuteTransaction {}", token);
  std::vector<StatementWrite> writes;
  std::set<std::string> touched;
  for (uint64_t i = 0, count = 1 + below(3); i < count; ++i) {
    const std::string table = any_table();
    const uint64_t kind = below(4);
    StatementWrite write = kind == 0   ? update_statement(table, any_key(), ++version_)
                           : kind == 1 ? delete_statement(table, any_key())
                                       : insert_statement(table, any_item(now_ms));
    if (!touched.insert(table + write.key).second) continue;
    text += fmt::format(" {} {} {}", write.text, table, write.key);
    request.statements.push_back(write.statement);
    writes.push_back(std::move(write));
  }
  SimulatedRequest result{
      .text = text,
      .send = [request](
                  Engine& engine) { return outcome_of(call_as_loop(engine, &Database::execute_transaction, request)); },
      .effect =
          [writes, token](World& world) {
            const bool repeated = !token.empty() && world.tokens.contains(token);
            bool creating = false;
            bool holds = true;
            for (const StatementWrite& write : writes) {
              const ModelTable* table = world.find(write.table);
              // The table is looked up before the token.
              if (table == nullptr) return repeated ? Expected::kEither : Expected::kRefusal;
              creating = creating || table->creating;
              holds = holds && write.holds(*table);
            }
            if (!repeated) {
              if (!holds) return Expected::kRefusal;
              for (const StatementWrite& write : writes) write.apply(world.change(write.table));
              if (!token.empty()) world.tokens.insert(token);
            }
            return creating ? Expected::kEither : Expected::kSuccess;
          }};
  if (!token.empty()) retries_.push_back(result);
  return result;
}

}  // namespace trestle
