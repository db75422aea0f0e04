// A call of a design's operation as an HTTP request says it: inputs, how a list is read, and what the headers add.
//
// Made on the event loop, from views that die with it; holds copies only, so that another thread may make the call.
#pragma once

#include <string>
#include <string_view>

#include "runtime/runtime.h"
#include "server/http/http.h"

namespace trestle::api {

struct CallRequest {
  runtime::Plain inputs;  // a map, without limit, next and descending
  runtime::ListOptions list;
  std::string next;  // the token as it was sent; `list.position` is still to be opened from it
  runtime::CallContext context;
  std::string if_none_match;  // of a GET
};

// From the body of a POST, or the query of a GET or HEAD. `is_list`: limit, next and descending are taken out of the
// inputs. Fails with 400, naming each field or header.
runtime::Outcome<CallRequest> read_call(const HttpRequest& request, const design::Operation& operation, bool is_list);

// Whether If-None-Match names that revision.
bool names_revision(std::string_view if_none_match, std::string_view revision);
// A revision as an ETag: in quotes.
std::string etag_of(std::string_view revision);

}  // namespace trestle::api
