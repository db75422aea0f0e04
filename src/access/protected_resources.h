// The interface through which access control queries the database it protects, for keys and policies of tables and
// streams. The server implements it with its engine (server/engine_resources.h), so that this room depends on neither
// storage nor engine.
//
// Implementations are thread-safe. Results are shared pointers, because a table may change while a request is being
// authorized.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/partiql/partiql_lowering.h"
#include "model/table.h"

namespace trestle {

struct ResourcePolicy {
  std::string arn;                          // of the table or stream
  std::shared_ptr<const std::string> text;  // null: there is no policy
};

// The partitions that the WHERE clause of a PartiQL statement selects.
struct SelectedPartitions {
  std::vector<Value> keys;  // empty: any
  bool full_scan = false;   // false if the statement will be rejected
};

class ProtectedResources {
 public:
  virtual ~ProtectedResources() = default;

  // Whether any table or stream has a policy. Called for each request.
  virtual bool has_policies() const = 0;
  virtual ResourcePolicy table_policy(std::string_view table_name) const = 0;
  virtual ResourcePolicy stream_policy(std::string_view stream_arn, std::string_view table_name) const = 0;
  // The key of a table, or of one of its indexes. Null if there is no such table or index.
  virtual std::shared_ptr<const KeySchema> key(std::string_view table_name,
                                               const std::optional<std::string>& index_name) const = 0;
  // The ARN of the stream that a shard iterator belongs to, or nothing if the iterator is invalid.
  virtual std::optional<std::string> stream_of(std::string_view shard_iterator) const = 0;
  virtual SelectedPartitions selected_partitions(const PartiqlStatement& statement, const PartiqlLowering& lowering,
                                                 const KeySchema& key) const = 0;
};

}  // namespace trestle
