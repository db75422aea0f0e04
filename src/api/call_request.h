// A call of a design's operation, parsed from an HTTP request: inputs, paging, and values of headers.
//
// Built on the event loop from views into its buffer; holds only copies, so another thread can execute the call.
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
  std::string if_none_match;  // GET only
};

// From the body of a POST, or the query of a GET or HEAD. `is_list`: limit, next and descending are taken out of the
// inputs. Fails with 400, naming each field or header.
runtime::Outcome<CallRequest> read_call(const HttpRequest& request, const design::Operation& operation, bool is_list);

// Whether If-None-Match names that revision.
bool names_revision(std::string_view if_none_match, std::string_view revision);
// A revision as an ETag: in quotes.
std::string etag_of(std::string_view revision);

}  // namespace trestle::api
