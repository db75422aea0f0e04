#include "engine/transactions/request_fingerprint.h"
#include "engine/transactions/transaction_operations.h"
#include "engine/transactions/write_transaction.h"

namespace trestle {
namespace {

constexpr int64_t kTrimEveryMs = 60'000;

std::unexpected<Error> mismatch() {
  return failure(ErrorCode::kIdempotentParameterMismatch,
                 "The request uses the same client token as a previous, but non-identical request");
}

}  // namespace

// With a client request token, the request takes effect only once. While the first request is in progress, its token is
// in the registry; afterwards it is in the store, where the transaction's commit has written it.
Result<TransactWriteItemsResponse> transact_write_items(EngineParts& parts, const TransactWriteItemsRequest& request,
                                                        Call& call) {
  WriteTransaction transaction(parts, request, call);
  TRY(transaction.prepare());
  if (!request.client_request_token) return transaction.run(std::nullopt);

  const std::string& token = *request.client_request_token;
  const RequestToken token_record{
      .time_ms = parts.options.clock->now_ms(), .fingerprint = request_fingerprint(request), .read_units = {}};
  TransactionRegistry::TokenClaim claim(*parts.transactions, token, token_record.fingerprint);
  switch (claim.answer()) {
    case TransactionRegistry::TokenAnswer::kMismatch:
      return mismatch();
    case TransactionRegistry::TokenAnswer::kInProgress:
      return failure(ErrorCode::kTransactionInProgress, "Transaction from previous request is still in progress");
    case TransactionRegistry::TokenAnswer::kFree:
      break;
  }
  TRY_INTO(const auto earlier, find_token(*parts.store, token, token_record.time_ms));
  if (earlier) {
    if (earlier->fingerprint != token_record.fingerprint) return mismatch();
    return transaction.replay(*earlier);
  }
  auto response = transaction.run(token_record);
  claim.committed(transaction.commit());

  int64_t trimmed_ms = parts.tokens_trimmed_ms.load(std::memory_order_relaxed);
  if (token_record.time_ms - trimmed_ms >= kTrimEveryMs &&
      parts.tokens_trimmed_ms.compare_exchange_strong(trimmed_ms, token_record.time_ms, std::memory_order_relaxed)) {
    parts.background.add("trim tokens", [&parts](JobRun&) { return trim_request_tokens(parts); });
  }
  return response;
}

}  // namespace trestle
