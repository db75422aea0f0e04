// Lowers INSERT, UPDATE, DELETE and EXISTS to the equivalent action on one item, and runs it.
//
// INSERT is a put that requires that the item does not exist. UPDATE is an update of an existing item. DELETE is a
// deletion whose condition matters only if the item exists. EXISTS is a condition check.
#pragma once

#include "engine/parts.h"
#include "engine/statements/statement_plan.h"
#include "model/database.h"
#include "model/transact_requests.h"

namespace trestle {

// kTransaction: a key that does not fit the table is not an error here; the transaction reports it as a cancellation
// reason.
enum class WriteContext { kAlone, kTransaction };

Result<TransactWrite> lower_write(const PartiqlStatement& statement, const Statement& request_statement,
                                  const TableDescription& table, WriteContext context);

// The message of an INSERT whose item exists.
inline constexpr const char* kDuplicateItem = "Duplicate primary key exists in table";

// Converts an error of the lowered write to PartiQL's error, if that differs.
Error statement_error(Error error);

class WriteStatement {
 public:
  WriteStatement(ItemParts& parts, const PartiqlStatement& statement, const Statement& request_statement, Call& call)
      : parts_(parts), statement_(statement), request_statement_(request_statement), call_(call) {}

  // Returns the encoded key of the item that the statement writes.
  Result<std::string> prepare();
  // Call it after prepare() has succeeded.
  Result<WriteItemResponse> run(ReturnConsumedCapacity detail);

 private:
  Result<WriteItemResponse> apply(TransactWrite write, ReturnConsumedCapacity detail);

  ItemParts& parts_;
  const PartiqlStatement& statement_;
  const Statement& request_statement_;
  Call& call_;
  TransactWrite write_;
};

}  // namespace trestle
