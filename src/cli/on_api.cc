#include "cli/on_api.h"

#include <memory>
#include <string>
#include <vector>

namespace trestle {
namespace {

// A copy of a request that outlives its connection's buffer.
class KeptRequest {
 public:
  explicit KeptRequest(const HttpRequest& request)
      : method_(request.method),
        path_(request.path),
        query_(request.query),
        body_(request.body),
        body_as_sent_(request.body_as_sent),
        peer_(request.peer),
        tls_(request.tls) {
    for (const HttpHeader& header : request.headers) headers_.emplace_back(header.name, header.value);
    for (const auto& [name, value] : headers_) header_views_.push_back({.name = name, .value = value});
  }
  KeptRequest(const KeptRequest&) = delete;
  KeptRequest& operator=(const KeptRequest&) = delete;

  HttpRequest view() const {
    return {.method = method_,
            .path = path_,
            .query = query_,
            .headers = header_views_,
            .body = body_,
            .body_as_sent = body_as_sent_,
            .peer = peer_,
            .tls = tls_};
  }

 private:
  const std::string method_, path_, query_, body_, body_as_sent_, peer_;
  const bool tls_;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::vector<HttpHeader> header_views_;
};

}  // namespace

void OnApi::handle(const HttpRequest& request, ReplyHandle reply) {
  if (request.path != "/on" || request.method != "POST") return next_.handle(request, std::move(reply));
  auto kept = std::make_shared<KeptRequest>(request);
  auto held =
      std::make_shared<ReplyHandle>(std::move(reply));  // shared so that it is still here when the queue is full
  api::WorkerPool::Task task = [this, kept, held] { api_.handle(kept->view(), std::move(*held)); };
  if (!pool_.submit(task)) held->send({.status = 503, .content_type = "text/plain", .body = "Too many calls wait.\n"});
}

}  // namespace trestle
