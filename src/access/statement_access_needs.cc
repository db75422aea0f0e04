// The permissions that PartiQL statements need, determined by the same parser and plan that the engine uses.
#include "access/access_needs.h"
#include "access/leading_keys.h"
#include "access/named_attributes.h"
#include "expression/partiql/partiql_parser.h"

namespace trestle {
namespace {

std::string_view action_of(PartiqlVerb verb) {
  switch (verb) {
    case PartiqlVerb::kSelect:
    case PartiqlVerb::kExists:
      return "PartiQLSelect";
    case PartiqlVerb::kInsert:
      return "PartiQLInsert";
    case PartiqlVerb::kUpdate:
      return "PartiQLUpdate";
    case PartiqlVerb::kDelete:
      break;
  }
  return "PartiQLDelete";
}

std::string_view returned_text(PartiqlReturning returning, bool item_on_failure) {
  switch (returning) {
    case PartiqlReturning::kAllOld:
      return "ALL_OLD";
    case PartiqlReturning::kAllNew:
      return "ALL_NEW";
    case PartiqlReturning::kModifiedOld:
      return item_on_failure ? "ALL_OLD" : "UPDATED_OLD";
    case PartiqlReturning::kModifiedNew:
      return item_on_failure ? "ALL_OLD" : "UPDATED_NEW";
    case PartiqlReturning::kNone:
      break;
  }
  return item_on_failure ? "ALL_OLD" : "NONE";
}

// Adds all attributes that the statement mentions in columns, conditions, changes and ORDER BY.
void add_attributes(const PartiqlStatement& statement, NamedAttributes& attributes) {
  const auto add_path = [&](const PartiqlPath& path) {
    if (!path.empty()) attributes.add(path.front().name);
  };
  for (const PartiqlPath& column : statement.columns) add_path(column);
  for (const PartiqlNode& node : statement.nodes) {
    if (node.kind == PartiqlKind::kPath) add_path(node.path);
  }
  for (const PartiqlChange& change : statement.changes) add_path(change.path);
  for (const PartiqlOrder& order : statement.order) attributes.add(order.attribute);
}

// Adds the partition keys that the WHERE clause selects. Returns whether the statement scans the table or index.
bool add_selected_keys(const PartiqlStatement& statement, const PartiqlLowering& lowering, const AccessNeeds& needs,
                       LeadingKeys& keys) {
  if (keys.key() == nullptr) return false;
  const SelectedPartitions selected = needs.resources().selected_partitions(statement, lowering, *keys.key());
  for (const Value& key : selected.keys) keys.add(key.view());
  return selected.full_scan;
}

void note_statement(const PartiqlStatement& parsed, const Statement& request_statement, const AccessNeeds& needs,
                    AccessContext& context) {
  LeadingKeys keys(needs.find_key(parsed.table_name, parsed.index_name));
  NamedAttributes attributes;
  add_attributes(parsed, attributes);
  PartiqlLowering lowering(parsed, request_statement.parameters);
  switch (parsed.verb) {
    case PartiqlVerb::kSelect: {
      const bool scans = add_selected_keys(parsed, lowering, needs, keys);
      context.set(access_key::kFullTableScan, std::string(scans ? "true" : "false"));
      context.set(access_key::kSelect, std::string(parsed.columns.empty() ? "ALL_ATTRIBUTES" : "SPECIFIC_ATTRIBUTES"));
      break;
    }
    case PartiqlVerb::kInsert:
      if (const auto item = lowering.inserted_item(); item.has_value()) {
        keys.add(item->view());
        attributes.add(item->view());
      }
      break;
    case PartiqlVerb::kExists:
    case PartiqlVerb::kUpdate:
    case PartiqlVerb::kDelete:
      add_selected_keys(parsed, lowering, needs, keys);
      break;
  }
  if (!parsed.is_read()) {
    context.set(access_key::kReturnValues,
                std::string(returned_text(parsed.returning, request_statement.return_item_on_failure)));
  }
  keys.put_into(context);
  context.set(access_key::kAttributes, attributes.release());
}

}  // namespace

// A statement that cannot be parsed needs no permission, because the operation rejects it.
void note_statement_needs(const Statement& statement, std::string_view enclosing_operation,
                          ReturnConsumedCapacity consumed, AccessNeeds& needs) {
  const auto parsed = parse_partiql(statement.text);
  if (!parsed.has_value()) return;
  AccessContext& context =
      needs.add(action_of(parsed->verb), parsed->index_name
                                             ? needs.table_resource(parsed->table_name, "index/" + *parsed->index_name)
                                             : needs.table_resource(parsed->table_name));
  if (!needs.detailed()) return;
  note_statement(*parsed, statement, needs, context);
  if (!enclosing_operation.empty()) {
    context.set(access_key::kEnclosingOperation, std::string(enclosing_operation));
  }
  set_consumed_capacity(consumed, context);
}

void note_needs(const ExecuteStatementRequest& request, AccessNeeds& needs) {
  note_statement_needs(request.statement, {}, request.return_consumed_capacity, needs);
}

void note_needs(const BatchExecuteStatementRequest& request, AccessNeeds& needs) {
  for (const Statement& statement : request.statements) {
    note_statement_needs(statement, {}, request.return_consumed_capacity, needs);
  }
}

void note_needs(const ExecuteTransactionRequest& request, AccessNeeds& needs) {
  for (const Statement& statement : request.statements) {
    note_statement_needs(statement, "ExecuteTransaction", request.return_consumed_capacity, needs);
  }
}

}  // namespace trestle
