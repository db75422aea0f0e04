// DynamoDB's API for the tables at the endpoint that the designs run on (`--on`): POST /on. All other paths go to the
// next handler.
//
// Requests are signed with the server's own credentials, so this is served only with --browse-on. Callers are
// authenticated as for POST /. Calls wait for the network, so they run on separate threads; when the queue is full, the
// reply is 503.
//
// The constructor's arguments must outlive it. Thread-safe.
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
