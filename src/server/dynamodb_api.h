// DynamoDB's API over HTTP: from a request's bytes to its reply's, by way of the operation table.
//
// The order in which things are refused is DynamoDB's: method and content type, JSON, operation, signature, then what the
// operation itself finds. An answer is sent once what it depends on is durable, by the thread that learns of it; the
// event loop never waits for the disk's sync.
// Threads may share it.
#pragma once

#include <string>

#include "base/clock.h"
#include "model/database.h"
#include "server/credentials.h"
#include "server/http.h"
#include "server/operations.h"
#include "server/signing.h"

namespace trestle {

struct DynamoDbApiOptions {
  const Credentials* credentials = nullptr;  // null: anyone may call
  std::string region = "us-east-1";
};

class DynamoDbApi final : public HttpHandler {
 public:
  DynamoDbApi(Database& database, const Clock& clock, DynamoDbApiOptions options)
      : database_(database), clock_(clock), options_(std::move(options)) {}

  void handle(const HttpRequest& request, ReplyHandle reply) override;

 private:
  void answer(const HttpRequest& request, HttpReply http, ReplyHandle reply);
  // Runs the operation and makes its reply in `http`; true if the answer must wait for call.commit.
  Result<void> run(const HttpRequest& request, Call& call, HttpReply& http);

  Database& database_;
  const Clock& clock_;
  const DynamoDbApiOptions options_;
  SigningKeyCache keys_;
};

}  // namespace trestle
