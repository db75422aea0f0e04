// Ion text as DynamoDB JSON: the subset of Ion that DynamoDB writes and reads.
//
//   {Item: {pk: "a", n: 1.5, big: 1d30, bytes: {{aGk=}}, tags: $dynamodb_SS::["x", "y"], none: null}}
//   {"Item":{"pk":{"S":"a"},"n":{"N":"1.5"},"big":{"N":"1E30"},"bytes":{"B":"aGk="},...}}
//
// Numbers keep their digits. Timestamps, clobs, s-expressions and other annotations are no items' values and are
// refused. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trestle {

// Appends `ion`, which must be a single struct, as JSON. The error is a sentence.
BasicResult<void, std::string> ion_to_json(std::string_view ion, std::string& out);

// Finds the top-level values of a text that arrives in pieces.
class IonScanner {
 public:
  enum class Found {
    kValue,     // a struct: from start() to end()
    kNothing,   // only space, comments and version markers, up to end()
    kMore,      // more of the text is needed
    kNoStruct,  // something else is at start()
  };
  // Looks at the front of `text`; `is_all`: no more comes. To go on with a longer text, call again from its front.
  Found find(std::string_view text, bool is_all);
  size_t start() const { return start_; }
  size_t end() const { return end_; }

 private:
  size_t start_ = 0;
  size_t end_ = 0;
};

}  // namespace trestle
