// The permissions that a request needs: actions on resources, with the context keys that conditions test. Every
// operation of the API has its note_needs(); what it leaves out cannot be protected, and a request that notes nothing
// needs no permission.
//
//   AccessNeeds needs({.resources = resources, .region = "us-east-1", .account = "000000000000"});
//   note_needs(request, needs);
//   for (const Access& access : needs.list()) ...
//
// Resources are this server's ARNs, however the request names them: a name and an ARN of any region are the same table.
//
// dynamodb:LeadingKeys are the partition keys of the table, or of the index that is read, that a request can touch.
// Where the request does not determine them (a Scan, a PartiQL statement whose WHERE does not fix the key, a table that
// does not exist, GetRecords, exports, backups, restores, and operations that affect all items at once) the key
// represents every value (policy/access_context.h). dynamodb:Attributes are the top-level attributes that a request
// names anywhere.
//
// Not thread-safe. Borrows nothing of the request once note_needs() has returned.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "access/protected_resources.h"
#include "model/database.h"
#include "policy/evaluate.h"

namespace trestle {

struct AccessScope {
  const ProtectedResources& resources;
  std::string_view region;
  std::string_view account;
  bool detailed = true;                 // false: actions and resources only, for logging
  const AccessContext* rest = nullptr;  // keys shared by all accesses of the request
};

class AccessNeeds {
 public:
  explicit AccessNeeds(const AccessScope& scope) : scope_(scope) {}

  const std::vector<Access>& list() const { return list_; }
  std::vector<Access> release() { return std::move(list_); }
  // The context of the access added last.
  AccessContext& last() { return list_.back().context; }
  bool detailed() const { return scope_.detailed; }

  // ---- For note_needs().

  // `action` without its "dynamodb:".
  AccessContext& add(std::string_view action, std::string resource);
  // A table by name or ARN, and what lies under it: "index/by-artist".
  std::string table_resource(std::string_view name_or_arn, std::string_view below = {}) const;
  // An ARN of a table, stream, backup, export or import as this server's.
  std::string arn_resource(std::string_view arn) const;
  // "table/*", for example.
  std::string resource(std::string_view relative_id) const;
  // An ARN without a region.
  std::string global_table_resource(std::string_view name) const;
  // The key of a table, or of one of its indexes; null if it does not exist.
  std::shared_ptr<const KeySchema> find_key(std::string_view name_or_arn,
                                            const std::optional<std::string>& index_name = std::nullopt) const;
  const ProtectedResources& resources() const { return scope_.resources; }

 private:
  const AccessScope scope_;
  std::vector<Access> list_;
};

#define TRESTLE_DECLARE(Name, name) void note_needs(const Name##Request& request, AccessNeeds& needs);
TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE

// For one of several statements: BatchExecuteStatement answers each separately.
void note_statement_needs(const Statement& statement, std::string_view enclosing_operation,
                          ReturnConsumedCapacity consumed, AccessNeeds& needs);

void set_consumed_capacity(ReturnConsumedCapacity value, AccessContext& context);

}  // namespace trestle
