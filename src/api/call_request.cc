#include "api/call_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/query_inputs.h"
#include "base/ascii.h"
#include "runtime/values/plain_json.h"

namespace trestle::api {
namespace {

using runtime::FieldFault;
using runtime::Outcome;
using runtime::Plain;
using Faults = std::vector<FieldFault>;

constexpr int64_t kLimitMax = 1000;
constexpr size_t kIdempotencyKeyMax = 255;

Outcome<Plain> body_inputs(std::string_view body) {
  if (is_blank(body)) return Plain::map();
  auto json = runtime::parse_plain_json(body);
  if (!json.has_value()) return runtime::refuse(400, fmt::format("The body is not valid JSON. {}", json.error()));
  if (!json->is(Plain::Kind::kMap)) return runtime::refuse(400, "The body must be a JSON object of inputs.");
  return std::move(*json);
}

// Removes a member from the inputs and returns it; absent if it is missing or null.
Plain take(Plain& inputs, std::string_view name) {
  Plain value = inputs.member(name);
  if (!value.is_absent()) inputs.erase(name);
  return value.exists() ? value : Plain();
}

std::optional<int64_t> integer_of(const Plain& value) {
  if (!value.is(Plain::Kind::kNumber)) return std::nullopt;
  const std::string& text = value.string();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void take_list_options(const design::Operation& operation, CallRequest& call, Faults& faults) {
  const auto own = [&](std::string_view name) { return operation.input(name) != nullptr; };
  if (!own("limit")) {
    if (const Plain limit = take(call.inputs, "limit"); limit.exists()) {
      call.list.limit = integer_of(limit);
      if (!call.list.limit || *call.list.limit < 1 || *call.list.limit > kLimitMax)
        faults.push_back({.field = "limit", .reason = fmt::format("must be a whole number from 1 to {}", kLimitMax)});
    }
  }
  if (!own("descending")) {
    if (const Plain descending = take(call.inputs, "descending"); descending.exists()) {
      if (descending.is(Plain::Kind::kBool)) {
        call.list.descending = descending.truth();
      } else {
        faults.push_back({.field = "descending", .reason = "must be true or false"});
      }
    }
  }
  if (!own("next")) {
    if (const Plain next = take(call.inputs, "next"); next.exists()) {
      if (next.is(Plain::Kind::kText) && !next.string().empty()) {
        call.next = next.string();
      } else {
        faults.push_back({.field = "next", .reason = "must be the token from the previous page"});
      }
    }
  }
}

// The text between the quotes of an ETag; nullopt if it is malformed. Weak ETags compare like strong ones here, because
// a revision identifies the item, not its bytes.
std::optional<std::string> tag_text(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  if (tag.size() < 2 || tag.front() != '"' || tag.back() != '"') return std::nullopt;
  tag = tag.substr(1, tag.size() - 2);
  if (tag.find('"') != std::string_view::npos) return std::nullopt;
  return std::string(tag);
}

void read_headers(const HttpRequest& request, const design::Operation& operation, CallRequest& call, Faults& faults) {
  if (!operation.is_write) {
    call.if_none_match = request.header("if-none-match");
    return;
  }
  if (const HttpHeader* match = request.find("if-match"); match != nullptr && match->value != "*") {
    call.context.if_match = tag_text(match->value);
    if (!call.context.if_match)
      faults.push_back({.field = "If-Match", .reason = "must be one ETag from a reply, in quotes, or *"});
  }
  if (const HttpHeader* key = request.find("idempotency-key")) {
    const bool printable = std::ranges::all_of(key->value, [](char c) { return c >= 0x20 && c < 0x7F; });
    if (key->value.empty() || key->value.size() > kIdempotencyKeyMax || !printable) {
      faults.push_back({.field = "Idempotency-Key",
                        .reason = fmt::format("must be 1 to {} printable characters", kIdempotencyKeyMax)});
    }
    call.context.idempotency_key = std::string(key->value);
  }
}

}  // namespace

Outcome<CallRequest> read_call(const HttpRequest& request, const design::Operation& operation, bool is_list) {
  CallRequest call;
  if (request.method == "POST") {
    TRY_INTO(call.inputs, body_inputs(request.body));
  } else {
    TRY_INTO(call.inputs, query_inputs(request.query, operation, is_list));
  }
  Faults faults;
  if (is_list) take_list_options(operation, call, faults);
  read_headers(request, operation, call, faults);
  if (!faults.empty()) {
    return std::unexpected(
        runtime::Refused{.status = 400, .message = "Some inputs are invalid.", .fields = std::move(faults)});
  }
  return call;
}

bool names_revision(std::string_view if_none_match, std::string_view revision) {
  if (if_none_match == "*") return true;
  while (!if_none_match.empty()) {
    const size_t comma = std::min(if_none_match.find(','), if_none_match.size());
    std::string_view tag = if_none_match.substr(0, comma);
    if_none_match.remove_prefix(std::min(comma + 1, if_none_match.size()));
    while (tag.starts_with(' ')) tag.remove_prefix(1);
    while (tag.ends_with(' ')) tag.remove_suffix(1);
    if (tag_text(tag) == revision) return true;
  }
  return false;
}

std::string etag_of(std::string_view revision) { return fmt::format("\"{}\"", revision); }

}  // namespace trestle::api
