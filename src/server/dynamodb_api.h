// DynamoDB's API over HTTP: parses a request, runs its operation from the operation table and sends the reply.
//
// Checks run in DynamoDB's order: method and content type, JSON, operation, signature, then the checks of the operation
// itself. A reply is sent once everything it depends on is durable, by the thread that is notified of that; the event
// loop never waits for an fsync. Thread-safe.
#pragma once

#include <functional>
#include <string>

#include "access/access_control.h"
#include "access/credentials.h"
#include "base/clock.h"
#include "model/database.h"
#include "server/auth/browser_access.h"
#include "server/auth/signing.h"
#include "server/http/http.h"
#include "server/http/worker_pool.h"
#include "server/observe/audit_log.h"
#include "server/observe/request_log.h"
#include "server/observe/request_metrics.h"
#include "server/operations.h"

namespace trestle {

struct DynamoDbApiOptions {
  const Credentials* credentials = nullptr;  // null: signatures are not checked
  std::string region = "us-east-1";
  RequestMetrics* metrics = nullptr;      // null: nothing is counted
  RequestLog* log = nullptr;              // null: nothing is logged
  const AccessControl* access = nullptr;  // null: every caller may do everything
  AuditLog* audit = nullptr;              // null: no audit log; needs `access`
  BrowserAccess browsers = {};
  std::function<std::string()> metrics_page = {};  // the body of GET /metrics; null: the path is not served
  std::function<std::string(std::string_view query)> insights_page = {};  // GET /insights, likewise
  // Whether a vector search may take long at this moment; if so, a worker thread runs it, not the event loop. Null:
  // never.
  std::function<bool()> searches_take_long = {};
  unsigned search_workers = 4;
  size_t searches_max = 256;  // limit on searches waiting for a worker; further ones are refused (503)
  // Threads for calls that must read items from disk, so that the event loop does not block; 0: it blocks.
  unsigned disk_workers = 0;
  size_t disk_calls_max = 256;  // limit on calls waiting for a worker; further ones block the event loop
};

class DynamoDbApi final : public HttpHandler {
 public:
  DynamoDbApi(Database& database, const Clock& clock, DynamoDbApiOptions options)
      : database_(database),
        clock_(clock),
        options_(std::move(options)),
        searches_("searches", options_.searches_take_long ? options_.search_workers : 0, options_.searches_max),
        disk_calls_("disk reads", options_.disk_workers, options_.disk_calls_max) {}

  void handle(const HttpRequest& request, ReplyHandle reply) override;
  bool before_replies() override { return database_.flush_log().has_value(); }
  // Finishes the calls that workers have accepted and rejects new ones. Replies may still wait for the disk: the owner
  // of the database must wait for them before destroying this object (Engine::wait_for_callbacks).
  void stop() {
    searches_.stop();
    disk_calls_.stop();
  }

 private:
  // What metrics and logs record of a request.
  struct Account;

  // The state of a request before its operation runs, and where to send the reply.
  struct Received {
    HttpReply http;
    ReplyHandle reply;
    std::string request_id;
    int64_t began_us = 0;
  };
  enum class Thread { kLoop, kWorker };
  enum class Disk { kMustNotWait, kMayWait };
  void answer(const HttpRequest& request, Received received, Thread thread, Disk disk);
  // Queues the request for a worker. Returns false, leaving `received` unchanged, if the queue is full.
  bool hand_over(WorkerPool& workers, const HttpRequest& request, Received& received);
  // Whether a worker should run the call.
  bool takes_long(const HttpRequest& request) const;
  // Runs the operation and writes its response into `http`. The reply may be sent once call.commit is durable.
  Result<void> run(const HttpRequest& request, Call& call, HttpReply& http, Account& account);
  // Like the above, after authentication. `operation` null: DescribeEndpoints.
  Result<void> run(const Operation* operation, const HttpRequest& request, JsonInput input, Admission* admission,
                   Call& call, HttpReply& http);
  void record_outcome(const Account& account, const HttpReply& http);
  void audit(const Account& account);

  Database& database_;
  const Clock& clock_;
  const DynamoDbApiOptions options_;
  SigningKeyCache keys_;
  // Last: their tasks use all of the above.
  WorkerPool searches_;
  WorkerPool disk_calls_;
};

}  // namespace trestle
