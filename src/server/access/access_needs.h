// What a request wants to do, in the terms of policies: actions on resources, with the context keys that conditions ask
// for. Every operation of the API has its own note_needs(); what it leaves out cannot be protected, and a request that
// notes nothing needs no permission.
//
//   AccessNeeds needs({.catalog = engine.catalog(), .region = "us-east-1", .account = "000000000000"});
//   note_needs(request, needs);
//   for (const Access& access : needs.list()) ...
//
// Resources are this server's ARNs whatever the request calls them: a name and an ARN of any region are the same table.
//
// dynamodb:LeadingKeys are the partition keys of the table, or of the index that is read, that a request can touch.
// Where they cannot be told from the request (a Scan, a PartiQL statement whose WHERE does not pin the key, a table
// that is not there, GetRecords, exports, backups, restores, and what decides over all items at once) the key stands
// for all of them (policy/access_context.h). dynamodb:Attributes are the top-level attributes that a request names
// anywhere.
//
// Not shared by threads. Borrows nothing of the request once note_needs() has returned.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/database.h"
#include "policy/evaluate.h"
#include "storage/catalog/catalog.h"

namespace trestle {

struct AccessScope {
  const Catalog& catalog;
  std::string_view region;
  std::string_view account;
  bool detailed = true;                 // false: actions and resources alone, for those who only log
  const AccessContext* rest = nullptr;  // what all accesses of the request have in common
};

class AccessNeeds {
 public:
  explicit AccessNeeds(const AccessScope& scope) : scope_(scope) {}

  const std::vector<Access>& list() const { return list_; }
  std::vector<Access> release() { return std::move(list_); }
  // Of the access that was added last.
  AccessContext& last() { return list_.back().context; }
  bool detailed() const { return scope_.detailed; }

  // ---- For note_needs().

  // `action` without its "dynamodb:".
  AccessContext& add(std::string_view action, std::string resource);
  // A table by name or ARN, and what lies under it: "index/by-artist".
  std::string table_resource(std::string_view name_or_arn, std::string_view below = {}) const;
  // An ARN of a table, stream, backup, export or import as this server's.
  std::string arn_resource(std::string_view arn) const;
  // "table/*" and its like.
  std::string resource(std::string_view relative_id) const;
  // Of no region.
  std::string global_table_resource(std::string_view name) const;
  // Null: no such table.
  std::shared_ptr<const TableVersion> find_table(std::string_view name_or_arn) const;
  // The key of a table, or of one of its indexes. Null: there is none.
  const KeySchema* find_key(const TableVersion* table, const std::optional<std::string>& index_name) const;

 private:
  const AccessScope scope_;
  std::vector<Access> list_;
};

#define TRESTLE_DECLARE(Name, name) void note_needs(const Name##Request& request, AccessNeeds& needs);
TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE

// Of one statement of several: BatchExecuteStatement answers each by itself.
void note_statement_needs(const Statement& statement, std::string_view enclosing_operation,
                          ReturnConsumedCapacity consumed, AccessNeeds& needs);

void set_consumed_capacity(ReturnConsumedCapacity value, AccessContext& context);

}  // namespace trestle
