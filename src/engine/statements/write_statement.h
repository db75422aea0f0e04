// INSERT, UPDATE and DELETE, and EXISTS, as the write on one item that each is.
//
// INSERT is a put where there is no such item, UPDATE an update of an item that exists, DELETE a deletion whose
// condition matters only if the item exists.
#pragma once

#include "engine/parts.h"
#include "engine/statements/statement_plan.h"
#include "model/database.h"
#include "model/transact_requests.h"

namespace trestle {

// In a transaction a key that does not fit the table is left as it is: the transaction reports it as the reason of its
// cancellation.
enum class WriteContext { kAlone, kTransaction };

Result<TransactWrite> lower_write(const PartiqlStatement& statement, const Statement& request_statement,
                                  const TableDescription& table, WriteContext context);

// An error of a write in PartiQL's words, where they differ from those of the operation it became.
Error statement_error(Error error);

class WriteStatement {
 public:
  WriteStatement(ItemParts& parts, const PartiqlStatement& statement, const Statement& request_statement, Call& call)
      : parts_(parts), statement_(statement), request_statement_(request_statement), call_(call) {}

  // Returns the encoded key of the item that the statement writes.
  Result<std::string> prepare();
  // Once prepare() has succeeded.
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
