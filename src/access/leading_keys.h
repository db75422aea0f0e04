// The partition keys that a request touches, for dynamodb:LeadingKeys. They are converted to the text that conditions
// compare: a string unchanged, a number in canonical form, binary in base64.
//
// For an index with several hash attributes the first one counts. If any key is unknown, the request counts as touching
// all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/table.h"
#include "policy/access_context.h"

namespace trestle {

class LeadingKeys {
 public:
  // A null `key` means that the table or index does not exist.
  explicit LeadingKeys(std::shared_ptr<const KeySchema> key) : key_(std::move(key)) {}

  // Adds the partition of an item or a key.
  void add(ItemView item);
  void add(std::optional<ValueView> value);
  void add_everything() { everything_ = true; }
  const KeySchema* key() const { return key_.get(); }

  void put_into(AccessContext& context);

 private:
  const std::shared_ptr<const KeySchema> key_;
  std::vector<std::string> values_;
  bool everything_ = false;
};

}  // namespace trestle
