#include "cli/on_api.h"

#include <memory>

#include "server/http/owned_request.h"

namespace trestle {

void OnApi::handle(const HttpRequest& request, ReplyHandle reply) {
  if (request.path != "/on" || request.method != "POST") return next_.handle(request, std::move(reply));
  const auto busy = [](ReplyHandle handle) {
    handle.send({.status = 503, .content_type = "text/plain", .body = "Too many calls are waiting.\n"});
  };
  if (!reply.request_waits(OwnedRequest::memory_bytes(request))) return busy(std::move(reply));
  auto owned = std::make_shared<OwnedRequest>(request);
  auto held = std::make_shared<ReplyHandle>(std::move(reply));  // shared: still needed if the queue is full
  WorkerPool::Task task = [this, owned, held] { api_.handle(owned->get(), std::move(*held)); };
  if (!pool_.submit(task)) busy(std::move(*held));
}

}  // namespace trestle
