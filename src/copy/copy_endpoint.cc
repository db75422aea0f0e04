#include "copy/copy_endpoint.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/engine.h"
#include "remote/remote_database.h"
#include "remote/service_endpoint.h"

namespace trestle::copy {
namespace {

constexpr std::string_view kAmazon = "aws:";

Result<std::unique_ptr<Database>> open_endpoint(const CopyEndpoint& endpoint, const std::string& url) {
  RemoteOptions options;
  options.endpoint = url;
  options.profile = endpoint.profile;
  options.connections_max = endpoint.connections_max;
  // The two sides may be in different regions, but the environment can name only one.
  const auto parsed = http::parse_endpoint(url);
  if (parsed.has_value()) options.region = region_of_host(parsed->host).value_or("");
  auto opened = RemoteDatabase::open(options);
  if (!opened) return std::unexpected(std::move(opened.error()));
  return std::unique_ptr<Database>(std::move(*opened));
}

Result<std::unique_ptr<Database>> open_folder(const CopyEndpoint& endpoint) {
  std::error_code error;
  if (!endpoint.may_create && !std::filesystem::is_directory(endpoint.text, error)) {
    return invalid(fmt::format("{} is neither a URL (http://host:port, https://...), nor aws:REGION, nor a data folder",
                               endpoint.text));
  }
  EngineOptions options;
  options.store.folder = endpoint.text;
  options.expiry.interval_ms = 0;
  options.throttles = false;
  auto opened = Engine::open(std::move(options));
  if (!opened) return std::unexpected(std::move(opened.error()));
  return std::unique_ptr<Database>(std::move(*opened));
}

}  // namespace

std::optional<std::string> url_of(const std::string& text) {
  if (text.starts_with("http://") || text.starts_with("https://")) return text;
  if (!text.starts_with(kAmazon)) return std::nullopt;
  const std::string region = text.substr(kAmazon.size());
  return fmt::format("https://dynamodb.{}.amazonaws.com{}", region, region.starts_with("cn-") ? ".cn" : "");
}

Result<std::unique_ptr<Database>> open_copy_endpoint(const CopyEndpoint& endpoint) {
  const auto url = url_of(endpoint.text);
  return url ? open_endpoint(endpoint, *url) : open_folder(endpoint);
}

}  // namespace trestle::copy
