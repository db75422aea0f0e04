#include "server/auth/signing.h"

#include <algorithm>
#include <ctime>
#include <vector>

#include "base/ascii.h"
#include "base/percent_encoding.h"

namespace trestle {

namespace {

template <class Visit>
void split(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const size_t end = text.find(separator);
    visit(text.substr(0, end));
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

// Drops ".", ".." and empty segments; encodes each segment as received.
void append_canonical_path(std::string& out, std::string_view path) {
  if (path == "/") {
    out.push_back('/');
    return;
  }
  std::vector<std::string_view> segments;
  split(path, '/', [&](std::string_view segment) {
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
  });
  for (const std::string_view segment : segments) out.append("/").append(percent_encode(segment));
  if (segments.empty() || path.ends_with('/')) out.push_back('/');
}

void append_canonical_query(std::string& out, std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  split(query, '&', [&](std::string_view parameter) {
    if (parameter.empty()) return;
    const size_t equals = parameter.find('=');
    const std::string_view value = equals == parameter.npos ? std::string_view{} : parameter.substr(equals + 1);
    std::string name = percent_encode(percent_decode(parameter.substr(0, equals)));
    if (name != "X-Amz-Signature") parameters.emplace_back(std::move(name), percent_encode(percent_decode(value)));
  });
  std::sort(parameters.begin(), parameters.end());
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) out.push_back('&');
    out.append(parameters[i].first).append("=").append(parameters[i].second);
  }
}

// A run of blanks is written as one.
void append_header_value(std::string& out, std::string_view value) {
  char before = 0;
  for (const char c : value) {
    if (c != ' ' || before != ' ') out.push_back(c);
    before = c;
  }
}

void append_canonical_header(std::string& out, std::span<const HttpHeader> headers, std::string_view name) {
  out.append(name).push_back(':');
  bool first = true;
  for (const HttpHeader& header : headers) {
    if (!equals_ignoring_case(header.name, name)) continue;
    if (!first) out.push_back(',');
    append_header_value(out, header.value);
    first = false;
  }
  out.push_back('\n');
}

}  // namespace

std::optional<int64_t> parse_amz_date_ms(std::string_view date) {
  if (date.size() != 16 || date[8] != 'T' || date[15] != 'Z') return std::nullopt;
  const auto number = [&](size_t begin, size_t size) {
    int value = 0;
    for (const char c : date.substr(begin, size)) {
      if (!is_digit(c)) return -1;
      value = value * 10 + (c - '0');
    }
    return value;
  };
  std::tm utc{};
  utc.tm_year = number(0, 4) - 1900;
  utc.tm_mon = number(4, 2) - 1;
  utc.tm_mday = number(6, 2);
  utc.tm_hour = number(9, 2);
  utc.tm_min = number(11, 2);
  utc.tm_sec = number(13, 2);
  const bool valid = utc.tm_year > 0 && utc.tm_mon >= 0 && utc.tm_mon < 12 && utc.tm_mday >= 1 && utc.tm_mday <= 31 &&
                     utc.tm_hour >= 0 && utc.tm_hour < 24 && utc.tm_min >= 0 && utc.tm_min < 60 && utc.tm_sec >= 0 &&
                     utc.tm_sec <= 60;
  if (!valid) return std::nullopt;
  return int64_t{timegm(&utc)} * 1000;
}

std::optional<std::string> query_parameter(std::string_view query, std::string_view name) {
  std::optional<std::string> found;
  split(query, '&', [&](std::string_view parameter) {
    const size_t equals = parameter.find('=');
    if (found || percent_decode(parameter.substr(0, equals)) != name) return;
    found = percent_decode(equals == parameter.npos ? std::string_view{} : parameter.substr(equals + 1));
  });
  return found;
}

std::string canonical_request(const HttpRequest& request, std::string_view signed_headers) {
  std::string out;
  out.reserve(512);
  out.append(request.method).push_back('\n');
  append_canonical_path(out, request.path);
  out.push_back('\n');
  append_canonical_query(out, request.query);
  out.push_back('\n');
  split(signed_headers, ';', [&](std::string_view name) { append_canonical_header(out, request.headers, name); });
  out.append("\n").append(signed_headers).append("\n");
  append_hex(out, sha256(request.body_as_sent));
  return out;
}

Sha256Digest SigningKeyCache::get(const Credential& credential, const SigningScope& scope) {
  std::string name;
  name.reserve(96);
  // The secret is part of the cache key, so that the signing key of a replaced secret is not found.
  name.append(credential.access_key_id).append("\n").append(credential.secret_access_key).append("\n");
  name.append(scope.date).append("/").append(scope.region).append("/").append(scope.service);
  {
    MutexLock lock(mutex_);
    if (const auto found = keys_.find(name); found != keys_.end()) return found->second;
  }
  const Sha256Digest key = signing_key(credential.secret_access_key, scope);
  MutexLock lock(mutex_);
  if (keys_.size() >= kEntriesMax) keys_.clear();
  keys_.emplace(std::move(name), key);
  return key;
}

}  // namespace trestle
