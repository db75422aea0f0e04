#include <algorithm>
#include <memory>

#include "engine/items/capacity_sum.h"
#include "engine/items/item_key.h"
#include "engine/statements/select_statement.h"
#include "engine/statements/statement_operations.h"
#include "engine/statements/write_statement.h"
#include "engine/tables/find_table.h"
#include "expression/partiql/partiql_parser.h"
#include "storage/cached_reads.h"

namespace trestle {
namespace {

// A statement of the batch, parsed and prepared as far as possible. If `error` is set, that is its response.
struct BatchMember {
  std::optional<PartiqlStatement> statement;
  std::string table_name;
  std::unique_ptr<SelectStatement> read;
  std::unique_ptr<WriteStatement> write;
  std::optional<Error> error;
  std::optional<std::string> target;  // the encoded key of its item
};

BatchMember parse_member(const Statement& request_statement) {
  BatchMember member;
  if (request_statement.parameters_fault) {
    member.error = Error{ErrorCode::kValidation, *request_statement.parameters_fault};
    return member;
  }
  auto statement = parse_partiql(request_statement.text);
  if (!statement) {
    member.error = std::move(statement).error();
    return member;
  }
  member.table_name = table_name_of(statement->table_name).value_or(statement->table_name);
  member.statement = std::move(*statement);
  if (member.statement->verb == PartiqlVerb::kExists) {
    member.error = Error{ErrorCode::kValidation, "EXISTS can only be used in ExecuteTransaction write requests."};
  }
  return member;
}

Result<void> check_one_kind(const std::vector<BatchMember>& members) {
  bool reads = false;
  bool writes = false;
  for (const BatchMember& member : members) {
    if (member.statement) (member.statement->is_read() ? reads : writes) = true;
  }
  if (reads && writes) return invalid("Read and write requests together in the same batch is not supported.");
  return {};
}

Result<void> check_distinct_items(const std::vector<BatchMember>& members) {
  std::vector<std::string_view> targets;
  for (const BatchMember& member : members) {
    if (member.target) targets.push_back(*member.target);
  }
  return check_batch_keys(std::move(targets));
}

}  // namespace

// A request that mixes reads and writes, or names an item twice, is rejected as a whole. Otherwise the statements are
// independent: the failure of one does not affect the others.
Result<BatchExecuteStatementResponse> batch_execute_statement(ItemParts& parts,
                                                              const BatchExecuteStatementRequest& request, Call& call) {
  // Each statement may wait for the disk after the first has had an effect.
  if (CachedReads::must_not_wait() && request.statements.size() > 1) {
    CachedReads::note_miss();
    return failure(ErrorCode::kServiceUnavailable, "a thread that may wait repeats the call");
  }
  std::vector<BatchMember> members;
  members.reserve(request.statements.size());  // prepared statements refer to their member
  for (const Statement& request_statement : request.statements) members.push_back(parse_member(request_statement));
  TRY(check_one_kind(members));

  std::vector<std::string_view> names;
  for (const BatchMember& member : members) {
    if (member.statement) names.push_back(member.statement->table_name);
  }
  note_table(parts, names, call);

  for (size_t i = 0; i < members.size(); ++i) {
    BatchMember& member = members[i];
    if (member.error) continue;
    Result<std::string> target;
    if (member.statement->is_read()) {
      member.read = std::make_unique<SelectStatement>(parts, *member.statement, request.statements[i], call);
      target = member.read->prepare_item("BatchExecuteStatement");
    } else {
      member.write = std::make_unique<WriteStatement>(parts, *member.statement, request.statements[i], call);
      target = member.write->prepare();
    }
    if (target) {
      member.target = std::move(*target);
    } else {
      member.error = std::move(target).error();
    }
  }
  TRY(check_distinct_items(members));

  BatchExecuteStatementResponse response;
  CapacitySum capacity;
  std::vector<std::pair<std::string_view, double>> failed_units;  // of failed conditions, by table
  for (BatchMember& member : members) {
    BatchStatementResponse& answer = response.responses.emplace_back();
    if (member.error) {
      answer.error = std::move(member.error);
      continue;
    }
    answer.table_name = member.table_name;
    if (member.read) {
      auto got = member.read->get(request.return_consumed_capacity);
      if (!got) {
        answer.table_name.reset();
        answer.error = std::move(got).error();
        continue;
      }
      answer.item = std::move(got->item);
      capacity.add(got->consumed_capacity);
      continue;
    }
    const double units_before = call.refused_units;
    auto written = member.write->run(request.return_consumed_capacity);
    if (!written) {
      failed_units.emplace_back(member.table_name, call.refused_units - units_before);
      answer.error = std::move(written).error();
      answer.error->item = nullptr;  // DynamoDB never returns the item here, although the API has a member for it
      continue;
    }
    answer.item = std::move(written->attributes);
    capacity.add(written->consumed_capacity);
  }
  for (const auto& [table_name, units] : failed_units) capacity.add_to_total(table_name, units);
  response.consumed_capacity = capacity.release();
  return response;
}

}  // namespace trestle
