// DynamoDB's API for the tables of the endpoint that the designs run on (`--on`): POST /on. All other paths go to the
// next handler.
//
// Requests are made with the server's own credentials, so it is served only with --browse-on. Callers are verified as
// for POST /. Calls wait on a network, so they run on threads of their own; when too many wait, the answer is 503.
//
// Everything it is given must outlive it. Threads may share it.
#pragma once

#include "server/dynamodb_api.h"
#include "server/http/http.h"
#include "server/http/worker_pool.h"

namespace trestle {

class OnApi final : public HttpHandler {
 public:
  OnApi(Database& remote, const Clock& clock, DynamoDbApiOptions options, HttpHandler& next)
      : api_(remote, clock, std::move(options)), next_(next) {}

  void handle(const HttpRequest& request, ReplyHandle reply) override;
  bool before_replies() override { return next_.before_replies(); }

 private:
  DynamoDbApi api_;
  HttpHandler& next_;
  WorkerPool pool_{"on", 8, 256};  // last: its tasks use all of the above
};

}  // namespace trestle
