// POST /reset: empties the server, so that every test can start with the tables and items that the server started with.
//
// Replies 200 once every call that begins afterwards sees the new data; calls in progress finish on the old data. A
// server that must not be emptied replies 403 with the reason. Web pages of other origins, and callers under an
// unlisted host name, are refused as for every other path. Other requests go to the next handler, which must outlive
// this one. Thread-safe.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "server/auth/browser_access.h"
#include "server/http/http.h"
#include "server/http/worker_pool.h"

namespace trestle {

class ResetApi final : public HttpHandler {
 public:
  struct Parts {
    HttpHandler& next;
    BrowserAccess browsers;
    std::string refusal;                                    // why resets are refused; empty: they are allowed
    std::function<BasicResult<void, std::string>()> reset;  // called by one thread at a time
    std::function<void()> clean_up;                         // called by the same thread after the reply
  };
  explicit ResetApi(Parts parts) : parts_(std::move(parts)), pool_("reset", parts_.refusal.empty() ? 1 : 0, 64) {}

  void handle(const HttpRequest& request, ReplyHandle reply) override;
  bool before_replies() override { return parts_.next.before_replies(); }
  // Finishes resets in progress and rejects new ones.
  void stop() { pool_.stop(); }

 private:
  const Parts parts_;
  WorkerPool pool_;  // last: its tasks use all of the above
};

}  // namespace trestle
