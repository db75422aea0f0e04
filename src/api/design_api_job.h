// A request in progress, and what the source files of the API share. Internal to them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/call_trace.h"
#include "api/design_api.h"
#include "runtime/values/plain.h"

namespace trestle::api {

inline constexpr std::string_view kRoot = "/designs";
inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kWriteMethods = "POST, OPTIONS";
inline constexpr std::string_view kPageMethods = "GET, HEAD, OPTIONS";

// Whether the caller is in the group.
bool has_group(const runtime::Plain& caller, std::string_view group);

inline runtime::Refused refused(int status, std::string message) {
  return {.status = status, .message = std::move(message), .fields = {}};
}

struct DesignApi::Job {
  const Served* served = nullptr;
  const Endpoint* endpoint = nullptr;
  CallRequest call = {};
  HttpReply http = {};
  ReplyHandle reply = {};
  std::string error = {};
  std::string request_id = {};
  std::string caller = {};
  std::string peer = {};
  int64_t began_us = 0;
  size_t request_bytes = 0;
  std::shared_ptr<CallTrace> trace = {};  // shared with the call's observer; null: no trace requested

  // What a page token is bound to.
  PageBinding binding() const;
};

}  // namespace trestle::api
