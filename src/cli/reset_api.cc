#include "cli/reset_api.h"

#include <memory>

#include "base/json/json_writer.h"

namespace trestle {
namespace {

HttpReply reply_of(int status, const Json& body) {
  return {.status = status, .content_type = "application/json", .body = body.line() + "\n"};
}

HttpReply refused(int status, std::string why) { return reply_of(status, Json::object({{"message", std::move(why)}})); }

}  // namespace

void ResetApi::handle(const HttpRequest& request, ReplyHandle reply) {
  if (request.path != "/reset" || request.method != "POST") return parts_.next.handle(request, std::move(reply));
  if (auto why = parts_.browsers.refusal(request, false)) return reply.send(refused(403, std::move(*why)));
  if (!parts_.refusal.empty()) return reply.send(refused(403, parts_.refusal));
  // Shared, because it is still needed if the queue is full.
  auto waiting = std::make_shared<ReplyHandle>(std::move(reply));
  WorkerPool::Task task = [this, waiting] {
    const auto done = parts_.reset();
    waiting->send(done ? reply_of(200, Json::object()) : refused(500, done.error()));
    parts_.clean_up();
  };
  if (!pool_.submit(task)) waiting->send(refused(503, "Too many resets are waiting."));
}

}  // namespace trestle
