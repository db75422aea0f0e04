#include "cli/s3_blobs.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <optional>

#include "base/backoff.h"
#include "base/sha256.h"
#include "cli/http_call.h"
#include "http/endpoint.h"
#include "http/signature.h"
#include "remote/credential_source.h"
#include "remote/service_endpoint.h"
#include "runtime/moment.h"

namespace trestle {
namespace {

using runtime::Outcome;
using runtime::Refused;

constexpr unsigned kRetriesMax = 3;

std::string hex(const Sha256Digest& digest) {
  std::string out;
  append_hex(out, digest);
  return out;
}

// As SigV4 wants paths and queries; a slash stays in a path.
std::string percent_encoded(std::string_view text, bool keep_slash) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                       c == '_' || c == '~' || (keep_slash && c == '/');
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// The text between <name> and </name>, from `at` on; moves `at` behind it. Nothing if there is no more.
std::optional<std::string_view> element(std::string_view xml, std::string_view name, size_t& at) {
  const std::string open = fmt::format("<{}>", name), close = fmt::format("</{}>", name);
  const size_t start = xml.find(open, at);
  if (start == xml.npos) return std::nullopt;
  const size_t end = xml.find(close, start + open.size());
  if (end == xml.npos) return std::nullopt;
  at = end + close.size();
  return xml.substr(start + open.size(), end - start - open.size());
}

std::optional<std::string_view> element(std::string_view xml, std::string_view name) {
  size_t at = 0;
  return element(xml, name, at);
}

class S3Blobs final : public runtime::BlobStore {
 public:
  struct Parts {
    std::string url;   // of the endpoint, without a slash at the end
    std::string host;  // the Host header
    std::string path;  // the endpoint's own, without a slash at the end
    std::string bucket;
    std::string prefix;  // of object names; empty or ends with a slash
    std::string region;
    std::unique_ptr<CredentialSource> credentials;
  };
  explicit S3Blobs(Parts parts) : parts_(std::move(parts)) {}

  Outcome<void> put(std::string_view name, std::string_view bytes) override {
    TRY_INTO(const HttpAnswer answer, send("PUT", parts_.prefix + std::string(name), {}, std::string(bytes)));
    if (answer.status != 200) return refused("written", name, answer);
    return {};
  }

  Outcome<std::string> get(std::string_view name) override {
    TRY_INTO(HttpAnswer answer, send("GET", parts_.prefix + std::string(name), {}, {}));
    if (answer.status != 200) return refused("read", name, answer);
    return std::move(answer.body);
  }

  Outcome<void> erase(std::string_view name) override {
    TRY_INTO(const HttpAnswer answer, send("DELETE", parts_.prefix + std::string(name), {}, {}));
    if (answer.status != 204 && answer.status != 200 && answer.status != 404) return refused("erased", name, answer);
    return {};
  }

  Outcome<void> each(std::string_view prefix,
                     const std::function<void(std::string_view name, int64_t age_ms)>& visit) override {
    std::string token;
    do {
      std::string query;  // sorted by name, as it is signed
      if (!token.empty()) query += fmt::format("continuation-token={}&", percent_encoded(token, false));
      query += fmt::format("list-type=2&prefix={}", percent_encoded(parts_.prefix + std::string(prefix), false));
      TRY_INTO(const HttpAnswer answer, send("GET", {}, query, {}));
      if (answer.status != 200) return refused("listed", prefix, answer);
      list(answer.body, visit);
      const auto more = element(answer.body, "NextContinuationToken");
      token = more && element(answer.body, "IsTruncated") == "true" ? std::string(*more) : std::string();
    } while (!token.empty());
    return {};
  }

 private:
  static int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }

  // Names hold nothing that XML would write otherwise.
  void list(std::string_view xml, const std::function<void(std::string_view name, int64_t age_ms)>& visit) const {
    size_t at = 0;
    while (const auto contents = element(xml, "Contents", at)) {
      const auto key = element(*contents, "Key");
      const auto changed = element(*contents, "LastModified");
      const auto changed_ms = changed ? runtime::parse_time(*changed) : std::nullopt;
      if (key && key->starts_with(parts_.prefix) && changed_ms) {
        visit(key->substr(parts_.prefix.size()), now_ms() - *changed_ms);
      }
    }
  }

  static std::unexpected<Refused> refused(std::string_view what, std::string_view name, const HttpAnswer& answer) {
    const auto code = element(answer.body, "Code");
    return std::unexpected(Refused{.status = 503,
                                   .message = fmt::format("The blob {} could not be {}: S3 answers {} {}.", name, what,
                                                          answer.status, code.value_or("")),
                                   .retry_after_s = 1,
                                   .retryable = true});
  }

  // Tries again after what may pass: no answer, 500 and above.
  Outcome<HttpAnswer> send(const char* method, const std::string& object, const std::string& query, std::string body) const {
    const Backoff backoff;
    for (unsigned failures = 0;;) {
      auto answer = call_http(signed_call(method, object, query, body));
      if (answer.has_value() && answer->status < 500) return std::move(*answer);
      if (failures++ == kRetriesMax) {
        if (answer.has_value()) return std::move(*answer);
        return std::unexpected(
            Refused{.status = 503, .message = answer.error().message, .retry_after_s = 1, .retryable = true});
      }
      sleep_for_ms({}, backoff.delay_ms(failures));
    }
  }

  HttpCall signed_call(const char* method, const std::string& object, const std::string& query,
                       const std::string& body) const {
    const auto credentials = parts_.credentials->current();
    const std::string date_time = http::format_date_time(std::time(nullptr));
    const std::string date = date_time.substr(0, 8);
    const std::string path = percent_encoded("/" + parts_.bucket + (object.empty() ? "" : "/" + object), true);
    const std::string digest = hex(sha256(body));
    const bool has_token = !credentials->session_token.empty();
    const std::string names = std::string("host;x-amz-content-sha256;x-amz-date") + (has_token ? ";x-amz-security-token" : "");
    std::string request = fmt::format("{}\n{}{}\n{}\nhost:{}\nx-amz-content-sha256:{}\nx-amz-date:{}\n", method, parts_.path,
                                      path, query, parts_.host, digest, date_time);
    if (has_token) request += fmt::format("x-amz-security-token:{}\n", credentials->session_token);
    request += fmt::format("\n{}\n{}", names, digest);
    const std::string scope = fmt::format("{}/{}/s3/aws4_request", date, parts_.region);
    const std::string to_sign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", date_time, scope, hex(sha256(request)));
    const Sha256Digest day = hmac_sha256("AWS4" + credentials->secret_key, date);
    const Sha256Digest key = hmac_sha256(hmac_sha256(hmac_sha256(day, parts_.region), "s3"), "aws4_request");

    HttpCall call{.method = method, .url = parts_.url, .path = query.empty() ? path : path + "?" + query, .body = body};
    call.headers = {{"x-amz-content-sha256", digest},
                    {"x-amz-date", date_time},
                    {"Authorization", fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                                                  credentials->access_key, scope, names, hex(hmac_sha256(key, to_sign)))}};
    if (has_token) call.headers.emplace_back("x-amz-security-token", credentials->session_token);
    return call;
  }

  const Parts parts_;
};

}  // namespace

BasicResult<std::unique_ptr<runtime::BlobStore>, std::string> s3_blobs(const S3Options& options) {
  constexpr std::string_view kScheme = "s3://";
  S3Blobs::Parts parts;
  std::string_view place = options.place;
  if (!place.starts_with(kScheme)) return std::unexpected(fmt::format("{}: s3://bucket/prefix is expected", place));
  place.remove_prefix(kScheme.size());
  const size_t slash = place.find('/');
  parts.bucket = place.substr(0, slash);
  if (slash != place.npos) parts.prefix = place.substr(slash + 1);
  if (!parts.prefix.empty() && !parts.prefix.ends_with('/')) parts.prefix += '/';
  if (parts.bucket.empty()) return std::unexpected(fmt::format("{}: the bucket's name is missing", options.place));

  parts.region = options.region;
  for (const char* variable : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (parts.region.empty()) parts.region = http::environment(variable);
  }
  if (parts.region.empty()) parts.region = "us-east-1";
  parts.url = options.endpoint.empty() ? fmt::format("https://s3.{}.amazonaws.com", parts.region) : options.endpoint;
  while (parts.url.ends_with('/')) parts.url.pop_back();
  const auto endpoint = http::parse_endpoint(parts.url);
  if (!endpoint.has_value()) return std::unexpected(fmt::format("{}: {}", parts.url, endpoint.error().message));
  parts.host = endpoint->host_header();
  parts.path = endpoint->path == "/" ? "" : endpoint->path;
  auto credentials = CredentialSource::open({.required = is_amazon_host(endpoint->host)});
  if (!credentials.has_value()) return std::unexpected(credentials.error().message);
  parts.credentials = std::move(*credentials);
  return std::make_unique<S3Blobs>(std::move(parts));
}

}  // namespace trestle
