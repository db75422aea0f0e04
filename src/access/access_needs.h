// The permissions that a request needs: actions on resources, with the context keys that conditions test. Every
// operation of the API has a note_needs(). A permission that it omits is not checked, and a request without needs
// requires no permission.
//
//   AccessNeeds needs({.resources = resources, .region = "us-east-1", .account = "000000000000"});
//   note_needs(request, needs);
//   for (const Access& access : needs.list()) ...
//
// Resources are this server's ARNs, however the request names them: a table's name and its ARN in any region are the
// same resource.
//
// dynamodb:LeadingKeys are the partition keys that a request can touch, in the table or in the index that it reads. If
// the request does not determine them, the context key represents every value (policy/access_context.h). That is so for
// a Scan, a PartiQL statement whose WHERE does not fix the key, a table that does not exist, GetRecords, exports,
// backups, restores, and operations that affect all items at once. dynamodb:Attributes are the top-level attributes
// that a request names anywhere.
//
// Not thread-safe. Holds no references to the request after note_needs() has returned.
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

  // `action` is given without the prefix "dynamodb:".
  AccessContext& add(std::string_view action, std::string resource);
  // The ARN of a table, given by name or ARN, with an optional suffix such as "index/by-artist".
  std::string table_resource(std::string_view name_or_arn, std::string_view below = {}) const;
  // Converts an ARN of a table, stream, backup, export or import to this server's.
  std::string arn_resource(std::string_view arn) const;
  // The ARN with this relative id, "table/*" for example.
  std::string resource(std::string_view relative_id) const;
  // An ARN without a region.
  std::string global_table_resource(std::string_view name) const;
  // The key of a table, or of one of its indexes. Null if there is no such table or index.
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

// For one statement of a batch: BatchExecuteStatement authorizes and answers each statement separately.
void note_statement_needs(const Statement& statement, std::string_view enclosing_operation,
                          ReturnConsumedCapacity consumed, AccessNeeds& needs);

void set_consumed_capacity(ReturnConsumedCapacity value, AccessContext& context);

}  // namespace trestle
