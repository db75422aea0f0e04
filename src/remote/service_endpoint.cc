#include "remote/service_endpoint.h"

namespace trestle {
namespace {

constexpr std::string_view kSuffixes[] = {".amazonaws.com", ".amazonaws.com.cn"};

// The labels before Amazon's domain: "dynamodb.eu-west-1".
std::optional<std::string_view> amazon_labels(std::string_view host) {
  for (const std::string_view suffix : kSuffixes) {
    if (host.ends_with(suffix)) return host.substr(0, host.size() - suffix.size());
  }
  return std::nullopt;
}

}  // namespace

bool is_amazon_host(std::string_view host) { return amazon_labels(host).has_value(); }

std::optional<std::string> region_of_host(std::string_view host) {
  const auto labels = amazon_labels(host);
  if (!labels) return std::nullopt;
  const size_t dot = labels->rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return std::string(labels->substr(dot + 1));
}

http::Endpoint streams_endpoint(const http::Endpoint& endpoint) {
  http::Endpoint streams = endpoint;
  const auto region = region_of_host(endpoint.host);
  if (!region || endpoint.host.starts_with("streams.")) return streams;
  const bool china = endpoint.host.ends_with(".cn");
  const std::string name = endpoint.host.starts_with("dynamodb-fips.") ? "streams.dynamodb-fips." : "streams.dynamodb.";
  streams.host = name + *region + (china ? ".amazonaws.com.cn" : ".amazonaws.com");
  return streams;
}

}  // namespace trestle
