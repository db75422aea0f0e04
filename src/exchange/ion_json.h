// Converts Ion text to DynamoDB JSON, for the subset of Ion that DynamoDB writes and reads.
//
//   {Item: {pk: "a", n: 1.5, big: 1d30, bytes: {{aGk=}}, tags: $dynamodb_SS::["x", "y"], none: null}}
//   {"Item":{"pk":{"S":"a"},"n":{"N":"1.5"},"big":{"N":"1E30"},"bytes":{"B":"aGk="},...}}
//
// Numbers keep their digits. Timestamps, clobs, s-expressions and other annotations cannot be values of items and are
// rejected. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trestle {

// Appends `ion`, which must be a single struct, as JSON. The error is a message for people.
BasicResult<void, std::string> ion_to_json(std::string_view ion, std::string& out);

// Finds the top-level values in text that arrives in pieces.
class IonScanner {
 public:
  enum class Found {
    kValue,     // a struct, from start() to end()
    kNothing,   // only space, comments and version markers, up to end()
    kMore,      // more text is needed
    kNoStruct,  // something other than a struct at start()
  };
  // Examines the front of `text`. `is_all`: there is no more text. After kMore, call again with a longer text that
  // begins at the same place.
  Found find(std::string_view text, bool is_all);
  size_t start() const { return start_; }
  size_t end() const { return end_; }

 private:
  size_t start_ = 0;
  size_t end_ = 0;
};

}  // namespace trestle
