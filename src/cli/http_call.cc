#include "cli/http_call.h"

#include <fmt/format.h>

#include <map>

#include "http/endpoint.h"

namespace trestle {

std::set<std::string> endpoint_names(const std::vector<std::string>& endpoints) {
  std::set<std::string> names;
  for (const std::string& endpoint : endpoints) names.insert(endpoint.substr(0, endpoint.find('=')));
  return names;
}

BasicResult<runtime::EndpointCall, std::string> endpoint_call(const std::vector<std::string>& endpoints) {
  std::map<std::string, std::string> urls;
  for (const std::string& endpoint : endpoints) {
    const size_t equals = endpoint.find('=');
    if (equals == std::string::npos || equals == 0)
      return std::unexpected(fmt::format("--endpoint {}: expected name=URL", endpoint));
    const std::string url = endpoint.substr(equals + 1);
    if (const auto parsed = http::parse_endpoint(url); !parsed)
      return std::unexpected(fmt::format("--endpoint {}: {}", endpoint, parsed.error().message));
    urls[endpoint.substr(0, equals)] = url;
  }
  return runtime::EndpointCall([urls](const std::string& endpoint, const std::string& key, const std::string& body) {
    const auto url = urls.find(endpoint);
    if (url == urls.end())
      return runtime::EndpointReply{
          .error = fmt::format("no endpoint `{}` is configured (--endpoint {}=URL)", endpoint, endpoint)};
    const bool cloud_event = body.starts_with(runtime::kCloudEventStart);
    auto answer =
        call_http({.url = url->second,
                   .path = {},
                   .headers = {{"Content-Type", cloud_event ? "application/cloudevents+json" : "application/json"},
                               {"Idempotency-Key", key}},
                   .body = body});
    if (!answer) return runtime::EndpointReply{.error = std::move(answer.error().message)};
    return runtime::EndpointReply{.status = answer->status, .body = std::move(answer->body)};
  });
}

}  // namespace trestle
