#include "engine/engine.h"
#include "engine/items/request_fingerprint.h"
#include "engine/items/write_transaction.h"

namespace trestle {
namespace {

constexpr int64_t kTrimEveryMs = 60'000;

std::unexpected<Error> mismatch() {
  return failure(ErrorCode::kIdempotentParameterMismatch,
                 "The request uses the same client token as a previous, but non-identical request");
}

}  // namespace

// A token makes the request take effect once. While the first request is in progress its token is in the registry;
// after that it is in the store, written by the same commit.
Result<TransactWriteItemsResponse> Engine::transact_write_items(const TransactWriteItemsRequest& request, Call& call) {
  WriteTransaction transaction(*this, request, call);
  TRY(transaction.prepare());
  if (!request.client_request_token) return transaction.run(std::nullopt);

  const std::string& token = *request.client_request_token;
  const RequestToken used{
      .time_ms = options_.clock->now_ms(), .fingerprint = request_fingerprint(request), .read_units = {}};
  TransactionRegistry::TokenClaim claim(*transactions_, token, used.fingerprint);
  switch (claim.answer()) {
    case TransactionRegistry::TokenAnswer::kMismatch:
      return mismatch();
    case TransactionRegistry::TokenAnswer::kInProgress:
      return failure(ErrorCode::kTransactionInProgress, "Transaction from previous request is still in progress");
    case TransactionRegistry::TokenAnswer::kFree:
      break;
  }
  TRY_INTO(const auto earlier, find_token(*store_, token, used.time_ms));
  if (earlier) {
    if (earlier->fingerprint != used.fingerprint) return mismatch();
    return transaction.replay(*earlier);
  }
  auto response = transaction.run(used);
  claim.committed(transaction.commit());

  int64_t trimmed_ms = tokens_trimmed_ms_.load(std::memory_order_relaxed);
  if (used.time_ms - trimmed_ms >= kTrimEveryMs &&
      tokens_trimmed_ms_.compare_exchange_strong(trimmed_ms, used.time_ms, std::memory_order_relaxed)) {
    background_.add("trim tokens", [this](JobRun&) { return trim_request_tokens(); });
  }
  return response;
}

}  // namespace trestle
