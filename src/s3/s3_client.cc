#include "s3/s3_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "base/backoff.h"
#include "base/percent_encoding.h"
#include "base/request_signature.h"
#include "base/utf8.h"
#include "http/endpoint.h"
#include "http/signature.h"
#include "remote/service_endpoint.h"

namespace trestle {
namespace {

constexpr unsigned kRetriesMax = 3;

std::string hex(const Sha256Digest& digest) {
  std::string out;
  append_hex(out, digest);
  return out;
}

std::string query_text(const std::vector<std::pair<std::string, std::string>>& query) {
  std::string out;
  for (const auto& [name, value] : query) {
    if (!out.empty()) out += '&';
    out += fmt::format("{}={}", percent_encode(name), percent_encode(value));
  }
  return out;
}

}  // namespace

BasicResult<std::unique_ptr<S3Client>, std::string> S3Client::open(const S3ClientOptions& options) {
  Parts parts;
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
  return std::unique_ptr<S3Client>(new S3Client(std::move(parts)));
}

// Retries after transient failures: no reply, or a status of 500 and above.
http::Result<HttpAnswer> S3Client::send(const S3Request& request) const {
  const Backoff backoff;
  for (unsigned failures = 0;;) {
    auto answer = call_http(signed_call(request));
    if (answer.has_value() && answer->status < 500) return answer;
    if (failures++ == kRetriesMax) return answer;
    sleep_for_ms({}, backoff.delay_ms(failures));
  }
}

HttpCall S3Client::signed_call(const S3Request& s3_request) const {
  const auto credentials = parts_.credentials->current();
  const std::string date_time = http::format_date_time(std::time(nullptr));
  const SigningScope scope{.date = std::string_view(date_time).substr(0, 8), .region = parts_.region, .service = "s3"};
  const std::string path =
      percent_encode("/" + s3_request.bucket + (s3_request.object.empty() ? "" : "/" + s3_request.object), "/");
  const std::string query = query_text(s3_request.query);
  const std::string digest = hex(sha256(s3_request.body));
  const bool has_token = !credentials->session_token.empty();
  const std::string names =
      std::string("host;x-amz-content-sha256;x-amz-date") + (has_token ? ";x-amz-security-token" : "");
  std::string request = fmt::format("{}\n{}{}\n{}\nhost:{}\nx-amz-content-sha256:{}\nx-amz-date:{}\n",
                                    s3_request.method, parts_.path, path, query, parts_.host, digest, date_time);
  if (has_token) request += fmt::format("x-amz-security-token:{}\n", credentials->session_token);
  request += fmt::format("\n{}\n{}", names, digest);
  const Sha256Digest key = signing_key(credentials->secret_key, scope);

  HttpCall call{.method = s3_request.method,
                .url = parts_.url,
                .path = query.empty() ? path : path + "?" + query,
                .headers = {},
                .body = s3_request.body};
  call.headers = {
      {"x-amz-content-sha256", digest},
      {"x-amz-date", date_time},
      {"Authorization", authorization_value({.access_key = credentials->access_key,
                                             .scope = scope,
                                             .signed_headers = names,
                                             .signature = signature(key, string_to_sign(date_time, scope, request))})}};
  if (has_token) call.headers.emplace_back("x-amz-security-token", credentials->session_token);
  if (!s3_request.range.empty()) call.headers.emplace_back("Range", s3_request.range);
  return call;
}

std::optional<std::string_view> xml_element(std::string_view xml, std::string_view name, size_t& at) {
  const std::string open = fmt::format("<{}>", name), close = fmt::format("</{}>", name);
  const size_t start = xml.find(open, at);
  if (start == xml.npos) return std::nullopt;
  const size_t end = xml.find(close, start + open.size());
  if (end == xml.npos) return std::nullopt;
  at = end + close.size();
  return xml.substr(start + open.size(), end - start - open.size());
}

std::optional<std::string_view> xml_element(std::string_view xml, std::string_view name) {
  size_t at = 0;
  return xml_element(xml, name, at);
}

namespace {

constexpr std::pair<std::string_view, char> kEntities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

// The character of "&#38;" or "&#x26;" at the front of the text, and the reference's length; nothing if there is none.
std::optional<std::pair<uint32_t, size_t>> numbered_character(std::string_view text) {
  constexpr size_t kDigitsMax = 8;
  if (!text.starts_with("&#")) return std::nullopt;
  const size_t end = text.find(';');
  const bool is_hexadecimal = text.size() > 2 && text[2] == 'x';
  const size_t begin = is_hexadecimal ? 3 : 2;
  if (end == text.npos || end <= begin || end - begin > kDigitsMax) return std::nullopt;
  uint32_t point = 0;
  const char* const last = text.data() + end;
  const auto read = std::from_chars(text.data() + begin, last, point, is_hexadecimal ? 16 : 10);
  const bool is_character = point > 0 && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
  if (read.ec != std::errc{} || read.ptr != last || !is_character) return std::nullopt;
  return std::pair(point, end + 1);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto known =
        std::ranges::find_if(kEntities, [&](const auto& known_entity) { return text.starts_with(known_entity.first); });
    if (known != std::end(kEntities)) {
      out += known->second;
      text.remove_prefix(known->first.size());
    } else if (const auto numbered = numbered_character(text)) {
      append_utf8(out, numbered->first);
      text.remove_prefix(numbered->second);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto known = std::ranges::find(kEntities, c, &std::pair<std::string_view, char>::second);
    if (known != std::end(kEntities)) {
      out += known->first;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace trestle
