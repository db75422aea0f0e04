#include "cli/s3_blobs.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "runtime/values/moment.h"
#include "s3/s3_client.h"

namespace trestle {
namespace {

using runtime::Outcome;
using runtime::Refused;

class S3Blobs final : public runtime::BlobStore {
 public:
  struct Parts {
    std::unique_ptr<S3Client> client;
    std::string bucket;
    std::string prefix;  // prefix of object names; empty or ends with a slash
  };
  explicit S3Blobs(Parts parts) : parts_(std::move(parts)) {}

  Outcome<void> put(std::string_view name, std::string_view bytes) override {
    TRY_INTO(const HttpAnswer answer, send(object_request("PUT", name, bytes)));
    if (answer.status != 200) return refused("written", name, answer);
    return {};
  }

  Outcome<std::string> get(std::string_view name) override {
    TRY_INTO(HttpAnswer answer, send(object_request("GET", name)));
    if (answer.status != 200) return refused("read", name, answer);
    return std::move(answer.body);
  }

  Outcome<void> erase(std::string_view name) override {
    TRY_INTO(const HttpAnswer answer, send(object_request("DELETE", name)));
    if (answer.status != 204 && answer.status != 200 && answer.status != 404) return refused("erased", name, answer);
    return {};
  }

  Outcome<void> each(std::string_view prefix,
                     const std::function<void(std::string_view name, int64_t age_ms)>& visit) override {
    std::string token;
    do {
      S3Request request{.method = "GET", .bucket = parts_.bucket, .object = {}, .query = {}, .range = {}, .body = {}};
      if (!token.empty()) request.query.emplace_back("continuation-token", token);
      request.query.emplace_back("list-type", "2");
      request.query.emplace_back("prefix", parts_.prefix + std::string(prefix));
      TRY_INTO(const HttpAnswer answer, send(request));
      if (answer.status != 200) return refused("listed", prefix, answer);
      list(answer.body, visit);
      const auto more = xml_element(answer.body, "NextContinuationToken");
      token = more && xml_element(answer.body, "IsTruncated") == "true" ? std::string(*more) : std::string();
    } while (!token.empty());
    return {};
  }

 private:
  static int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }

  // Names contain no characters that XML escapes.
  void list(std::string_view xml, const std::function<void(std::string_view name, int64_t age_ms)>& visit) const {
    size_t at = 0;
    while (const auto contents = xml_element(xml, "Contents", at)) {
      const auto key = xml_element(*contents, "Key");
      const auto changed = xml_element(*contents, "LastModified");
      const auto changed_ms = changed ? runtime::parse_time(*changed) : std::nullopt;
      if (key && key->starts_with(parts_.prefix) && changed_ms) {
        visit(key->substr(parts_.prefix.size()), now_ms() - *changed_ms);
      }
    }
  }

  static std::unexpected<Refused> refused(std::string_view what, std::string_view name, const HttpAnswer& answer) {
    const auto code = xml_element(answer.body, "Code");
    return std::unexpected(Refused{.status = 503,
                                   .message = fmt::format("The blob {} could not be {}: S3 answered {} {}.", name, what,
                                                          answer.status, code.value_or("")),
                                   .retry_after_s = 1,
                                   .retryable = true});
  }

  S3Request object_request(const char* method, std::string_view name, std::string_view body = {}) const {
    return {.method = method,
            .bucket = parts_.bucket,
            .object = parts_.prefix + std::string(name),
            .query = {},
            .range = {},
            .body = std::string(body)};
  }

  Outcome<HttpAnswer> send(const S3Request& request) const {
    auto answer = parts_.client->send(request);
    if (answer.has_value()) return std::move(*answer);
    return std::unexpected(
        Refused{.status = 503, .message = answer.error().message, .retry_after_s = 1, .retryable = true});
  }

  const Parts parts_;
};

}  // namespace

BasicResult<std::unique_ptr<runtime::BlobStore>, std::string> s3_blobs(const S3Options& options) {
  constexpr std::string_view kScheme = "s3://";
  S3Blobs::Parts parts;
  std::string_view place = options.place;
  if (!place.starts_with(kScheme)) return std::unexpected(fmt::format("{}: expected s3://bucket/prefix", place));
  place.remove_prefix(kScheme.size());
  const size_t slash = place.find('/');
  parts.bucket = place.substr(0, slash);
  if (slash != place.npos) parts.prefix = place.substr(slash + 1);
  if (!parts.prefix.empty() && !parts.prefix.ends_with('/')) parts.prefix += '/';
  if (parts.bucket.empty()) return std::unexpected(fmt::format("{}: the bucket's name is missing", options.place));

  TRY_INTO(parts.client, S3Client::open({.endpoint = options.endpoint, .region = options.region}));
  return std::make_unique<S3Blobs>(std::move(parts));
}

}  // namespace trestle
