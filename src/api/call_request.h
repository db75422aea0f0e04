// A call of a design's operation, parsed from an HTTP request: inputs, paging options and header values.
//
// Built on the event loop from views into its buffer. It contains only copies, so another thread can execute the call.
#pragma once

#include <string>
#include <string_view>

#include "runtime/runtime.h"
#include "server/http/http.h"

namespace trestle::api {

struct CallRequest {
  runtime::Plain inputs;  // a map, without limit, next and descending
  runtime::ListOptions list;
  std::string next;  // the page token as received, not yet decoded into `list.position`
  runtime::CallContext context;
  std::string if_none_match;  // GET only
};

// Parses the body of a POST, or the query of a GET or HEAD. `is_list`: limit, next and descending are removed from the
// inputs. Fails with 400, naming each field or header.
runtime::Outcome<CallRequest> read_call(const HttpRequest& request, const design::Operation& operation, bool is_list);

// Whether If-None-Match contains that revision.
bool names_revision(std::string_view if_none_match, std::string_view revision);
// A revision as a quoted ETag.
std::string etag_of(std::string_view revision);

}  // namespace trestle::api
