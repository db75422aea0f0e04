// POST /reset: empties the server, so that every test can begin with the tables and items of the server's start.
//
// Answers 200 when every call that begins from then on sees the new data; calls in progress finish on the old data. A
// server that must not be emptied answers 403 and says why. Web pages of other origins, and callers under a foreign
// host name, are refused as for every other path. Other requests go to the next handler, which must outlive this one.
// Thread-safe.
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
    std::string refusal;                                    // why it is not possible; empty: it is
    std::function<BasicResult<void, std::string>()> reset;  // called by one thread at a time
    std::function<void()> clean_up;                         // called by the same thread after the answer
  };
  explicit ResetApi(Parts parts) : parts_(std::move(parts)), pool_("reset", parts_.refusal.empty() ? 1 : 0, 64) {}

  void handle(const HttpRequest& request, ReplyHandle reply) override;
  bool before_replies() override { return parts_.next.before_replies(); }
  // Finishes resets in progress and refuses others.
  void stop() { pool_.stop(); }

 private:
  const Parts parts_;
  WorkerPool pool_;  // last: its tasks use all of the above
};

}  // namespace trestle
