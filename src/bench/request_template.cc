#include "bench/request_template.h"

#include <fmt/format.h>

#include <cstring>

#include "base/check.h"
#include "base/request_signature.h"

namespace trestle::bench {

namespace {

constexpr size_t kDataPoolBytes = 1u << 16;

// Random letters and digits from which <data> is cut, at an offset below kDataPoolBytes. They are about as compressible
// as text, unlike zeros.
const std::string& data_pool() {
  static const std::string pool = [] {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    Random random(1);
    std::string letters(kDataPoolBytes + kDataBytesMax, '\0');
    for (char& letter : letters) letter = kLetters[random.below(kLetters.size())];
    return letters;
  }();
  return pool;
}

void write_digits(char* out, size_t digits, uint64_t value) {
  for (size_t i = digits; i > 0; --i) {
    out[i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

// "DynamoDB_20120810.GetItem". Streams are a separate service; a path is unchanged.
std::string target_of(std::string_view operation) {
  if (operation.starts_with('/')) return std::string(operation);
  const bool streams = operation == "DescribeStream" || operation == "GetShardIterator" || operation == "GetRecords";
  return fmt::format("DynamoDB{}_20120810.{}", streams ? "Streams" : "", operation);
}

}  // namespace

RequestTemplate::RequestTemplate(const RequestContext& context, const RequestShape& shape)
    : context_(context), target_(target_of(shape.operation)), items_(shape.items) {
  CHECK(shape.items > 0 && shape.data_bytes <= kDataBytesMax);
  const std::string body = place_marks(shape);
  build_head(body.size());
  body_offset_ = bytes_.size();
  bytes_ += body;
  if (is_plain()) context_.signer = nullptr;
  if (context_.signer != nullptr) sign(std::time(nullptr));
}

std::string RequestTemplate::place_marks(const RequestShape& shape) {
  std::string body;
  uint64_t item = 0;
  std::string_view rest = shape.body;
  for (size_t open; (open = rest.find('<')) != std::string_view::npos;) {
    body += rest.substr(0, open);
    const size_t close = rest.find('>', open);
    CHECK(close != std::string_view::npos, "a mark is never closed");
    const std::string_view name = rest.substr(open + 1, close - open - 1);
    rest.remove_prefix(close + 1);
    if (name == "next") {
      ++item;
      continue;
    }
    Slot slot{.mark = Mark::kData, .offset = body.size(), .bytes = shape.data_bytes, .item = item};
    if (name == "key" || name == "partition") {
      slot.mark = name == "key" ? Mark::kKey : Mark::kPartition;
      slot.bytes = kKeyBytes;
    } else if (name == "sort") {
      slot.mark = Mark::kSort;
      slot.bytes = kSortBytes;
    } else {
      CHECK(name == "data", name);
    }
    body.append(slot.bytes, name[0]);
    slots_.push_back(slot);
  }
  body += rest;
  return body;
}

void RequestTemplate::build_head(size_t body_bytes) {
  if (is_plain()) {
    bytes_ = fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                         target_, context_.endpoint.host_header(), body_bytes);
    return;
  }
  const Signer* signer = context_.signer.get();
  const std::string date_time = http::format_date_time(std::time(nullptr));
  bytes_ = fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-amz-json-1.0\r\n",
                       context_.endpoint.path, context_.endpoint.host_header());
  bytes_ += fmt::format("X-Amz-Target: {}\r\nX-Amz-Date: ", target_);
  date_time_offset_ = bytes_.size();
  bytes_ += date_time + "\r\n";
  if (signer != nullptr && !signer->credentials().session_token.empty()) {
    bytes_ += fmt::format("X-Amz-Security-Token: {}\r\n", signer->credentials().session_token);
  }
  const SigningScope scope{
      .date = std::string_view(date_time).substr(0, 8), .region = context_.region, .service = "dynamodb"};
  const std::string signature(64, '0');
  const size_t authorization_offset = bytes_.size();
  bytes_ += "Authorization: ";
  bytes_ += authorization_value(
      {.access_key = signer != nullptr ? signer->credentials().access_key : "AKIATRESTLEBENCH0000",
       .scope = scope,
       .signed_headers = signer != nullptr ? signer->signed_headers() : "host;x-amz-date;x-amz-target",
       .signature = signature});
  scope_date_offset_ = bytes_.find(scope_text(scope), authorization_offset);
  signature_offset_ = bytes_.size() - signature.size();
  bytes_ +=
      fmt::format("\r\n{}Content-Length: {}\r\n\r\n", context_.keep_alive ? "" : "Connection: close\r\n", body_bytes);
}

std::string_view RequestTemplate::fill(uint64_t key, Random& random) {
  char* body = bytes_.data() + body_offset_;
  for (const Slot& slot : slots_) {
    const uint64_t item = (key + slot.item) % items_;
    char* out = body + slot.offset;
    switch (slot.mark) {
      case Mark::kKey:
        *out = 'k';
        write_digits(out + 1, slot.bytes - 1, item);
        break;
      case Mark::kPartition:
        *out = 'p';
        write_digits(out + 1, slot.bytes - 1, item / kItemsPerPartition);
        break;
      case Mark::kSort:
        *out = 's';
        write_digits(out + 1, slot.bytes - 1, item % kItemsPerPartition);
        break;
      case Mark::kData:
        std::memcpy(out, data_pool().data() + random.below(kDataPoolBytes), slot.bytes);
        break;
    }
  }
  if (context_.signer != nullptr) sign(std::time(nullptr));
  return bytes_;
}

void RequestTemplate::sign(std::time_t now_s) {
  if (now_s != stamped_s_) {
    const std::string date_time = http::format_date_time(now_s);
    bytes_.replace(date_time_offset_, date_time.size(), date_time);
    bytes_.replace(scope_date_offset_, 8, date_time, 0, 8);
    stamped_s_ = now_s;
  }
  const std::string_view all = bytes_;
  const std::string signature = context_.signer->sign({.host = context_.endpoint.host_header(),
                                                       .path = context_.endpoint.path,
                                                       .date_time = all.substr(date_time_offset_, 16),
                                                       .target = target_,
                                                       .body = all.substr(body_offset_)});
  bytes_.replace(signature_offset_, signature.size(), signature);
}

}  // namespace trestle::bench
