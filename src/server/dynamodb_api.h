// DynamoDB's API over HTTP: parses a request, runs its operation from the operation table and sends the reply.
//
// Checks run in DynamoDB's order: method and content type, JSON, operation, signature, then the checks of the operation
// itself. A reply is sent once everything it depends on is durable, by the thread that is notified of that.
//
// An event loop waits neither for the disk nor for a change of a table. A call that would have to wait, every call that
// changes tables, and every call with a large body is copied and repeated by a worker thread (Operation::work decides
// which, and, for items, what the call would have waited for). The copy counts against the server's limit on buffers;
// beyond that limit, and if too many calls are waiting, the reply is 503. Thread-safe.
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
  // False: every call runs, and may wait, on the thread that calls handle().
  bool has_workers = false;
  // Threads of each kind, and the limit on calls that wait for them.
  // For calls that read items from disk. So many keep an SSD busy.
  unsigned disk_workers = 16;
  size_t disk_calls_max = 16'384;
  // For calls that wait for a change of their table or for an item that another thread writes. They have their own
  // threads, because a slow sync during such a change must not stop reads of other tables.
  unsigned lock_workers = 8;
  size_t lock_waits_max = 16'384;
  unsigned search_workers = 4;  // for vector searches that take long
  size_t searches_max = 256;
  unsigned table_workers = 4;  // for changes of tables
  size_t table_changes_max = 256;
};

class DynamoDbApi final : public HttpHandler {
 public:
  DynamoDbApi(Database& database, const Clock& clock, DynamoDbApiOptions options)
      : database_(database),
        clock_(clock),
        options_(std::move(options)),
        pages_("pages", options_.has_workers ? 1 : 0, kPagesMax),
        searches_("searches", options_.has_workers ? options_.search_workers : 0, options_.searches_max),
        table_changes_("table changes", options_.has_workers ? options_.table_workers : 0, options_.table_changes_max),
        disk_calls_("disk reads", options_.has_workers ? options_.disk_workers : 0, options_.disk_calls_max,
                    kDiskNiceness),
        lock_waits_("lock waits", options_.has_workers ? options_.lock_workers : 0, options_.lock_waits_max,
                    kDiskNiceness) {}

  void handle(const HttpRequest& request, ReplyHandle reply) override;
  bool before_replies() override { return database_.flush_log().has_value(); }
  // Finishes the calls that workers have begun, drops those that wait for a worker, and rejects new ones. Call it when
  // the connections are closed. Replies may still wait for the disk: the owner of the database must wait for them
  // before destroying this object (Engine::wait_for_callbacks).
  void stop() {
    pages_.stop();
    searches_.stop();
    table_changes_.stop();
    disk_calls_.stop();
    lock_waits_.stop();
  }

 private:
  static constexpr size_t kPagesMax = 64;
  // Calls on event loops, whose items are in memory, should not be delayed by calls that wait for the disk anyway.
  static constexpr int kDiskNiceness = 5;

  // What metrics and logs record of a request.
  struct RequestRecord;

  // The state of a request before its operation runs, and where to send the reply.
  struct Received {
    HttpReply http;
    ReplyHandle reply;
    std::string request_id;
    int64_t began_us = 0;
    std::shared_ptr<void> space = {};  // of a call that another thread handed over: Call::space and Call::spaces
    std::shared_ptr<void> spaces = {};
  };
  enum class Thread { kLoop, kWorker };
  void answer(const HttpRequest& request, Received received, Thread thread);
  // Queues the request for a worker. Returns false, leaving `received` unchanged, if the queue or the server's buffers
  // are full.
  bool hand_over(WorkerPool& workers, const HttpRequest& request, Received& received);
  WorkerPool& workers_for(Work work, const Call& call);
  // Makes a page on a worker, because it takes locks that may be held for long.
  void answer_page(std::function<std::string()> make, HttpReply http, ReplyHandle reply);
  // Runs the operation and writes its response into `http`. The reply may be sent once call.commit is durable.
  Result<void> run(const HttpRequest& request, Call& call, HttpReply& http, RequestRecord& record);
  // Like the above, after authentication. `operation` null: DescribeEndpoints.
  Result<void> run(const Operation* operation, const HttpRequest& request, JsonInput input, Admission* admission,
                   Call& call, HttpReply& http);
  void record_outcome(const RequestRecord& record, const HttpReply& http);
  void audit(const RequestRecord& record);

  Database& database_;
  const Clock& clock_;
  const DynamoDbApiOptions options_;
  SigningKeyCache keys_;
  // Last: their tasks use all of the above.
  WorkerPool pages_;
  WorkerPool searches_;
  WorkerPool table_changes_;
  WorkerPool disk_calls_;
  WorkerPool lock_waits_;
};

}  // namespace trestle
