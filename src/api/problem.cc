#include "api/problem.h"

#include <fmt/format.h>

#include "protocol/json/json_output.h"

namespace trestle::api {
namespace {

struct Kind {
  int status;
  std::string_view name;
  std::string_view title;
};

constexpr Kind kKinds[] = {
    {400, "bad-input", "Bad input"},
    {401, "not-signed-in", "Not signed in"},
    {403, "not-allowed", "Not allowed"},
    {404, "not-found", "Not found"},
    {405, "wrong-method", "Wrong method"},
    {409, "conflict", "Conflict"},
    {410, "expired", "Expired"},
    {412, "precondition-failed", "Precondition failed"},
    {413, "too-large", "Too large"},
    {415, "wrong-content-type", "Wrong content type"},
    {422, "not-processable", "Not processable"},
    {429, "limited", "Too many requests"},
    {500, "internal", "Internal error"},
    {503, "unavailable", "Unavailable"},
};

const Kind& kind_of(int status) {
  for (const Kind& kind : kKinds) {
    if (kind.status == status) return kind;
  }
  static constexpr Kind kOther = {0, "refused", "Refused"};
  return kOther;
}

}  // namespace

std::string_view problem_name(int status) { return kind_of(status).name; }

void set_problem(const runtime::Refused& refused, HttpReply& reply, std::string_view challenge) {
  const Kind& kind = kind_of(refused.status);
  reply.status = refused.status;
  reply.content_type = kProblemJson;
  reply.body.clear();
  JsonOutput json(reply.body);
  json.begin_object();
  json.member("type", fmt::format("urn:trestle:problem:{}", kind.name));
  json.member("title", kind.title);
  json.member("status", int64_t{refused.status});
  json.member("detail", refused.message.empty() ? kind.title : std::string_view(refused.message));
  json.member("retryable", refused.retryable);
  if (!refused.fields.empty()) {
    json.key("errors").begin_array();
    for (const runtime::FieldFault& fault : refused.fields) {
      json.begin_object();
      json.member("field", std::string_view(fault.field));
      json.member("reason", std::string_view(fault.reason));
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  if (refused.status == 429 || refused.status == 503) {
    reply.add_header("Retry-After", std::to_string(std::max<int64_t>(1, refused.retry_after_s)));
  }
  if (refused.status == 401) {
    reply.add_header("WWW-Authenticate", challenge.empty() ? std::string_view("Bearer realm=\"trestle\"") : challenge);
  }
}

}  // namespace trestle::api
