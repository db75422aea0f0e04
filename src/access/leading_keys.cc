#include "access/leading_keys.h"

#include <algorithm>

#include "base/base64.h"

namespace trestle {

void LeadingKeys::add(ItemView item) {
  if (key_ == nullptr || item.empty()) return add_everything();
  add(item.find(key_->hash.front().name));
}

void LeadingKeys::add(std::optional<ValueView> value) {
  // If the value has another type, the operation will reject it.
  if (key_ == nullptr || !value || value->type() != key_->hash.front().type) return add_everything();
  std::string text(value->scalar());
  if (value->type() == ValueType::kBinary) text = base64_text(text);
  if (std::ranges::find(values_, text) == values_.end()) values_.push_back(std::move(text));
}

void LeadingKeys::put_into(AccessContext& context) {
  if (everything_ || values_.empty()) {
    context.set_everything(access_key::kLeadingKeys);
  } else {
    context.set(access_key::kLeadingKeys, std::move(values_));
  }
}

}  // namespace trestle
