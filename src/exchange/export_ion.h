// Writes items as Amazon Ion text, as DynamoDB exports them. Pure.
//   string "a"   number decimal: 103. 6d2 -1.5   binary {{YQ==}}   boolean true   null null   list [..]   map {a:..}
//   sets $dynamodb_SS::["a"]   $dynamodb_NS::[1.]   $dynamodb_BS::[{{YQ==}}]
// Attribute names are symbols, in single quotes where Ion requires them. The text has no line breaks.
#pragma once

#include <string>
#include <string_view>

#include "model/value.h"

namespace trestle {

void append_ion_item(std::string& out, ItemView item);
// `number`: in the canonical form of items (model/number.h).
void append_ion_decimal(std::string& out, std::string_view number);
void append_ion_symbol(std::string& out, std::string_view name);

}  // namespace trestle
