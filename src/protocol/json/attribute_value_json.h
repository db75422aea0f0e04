// Attribute values and items: converts JSON to packed bytes and back, without an intermediate tree.
//
// There are two kinds of errors. JSON of the wrong shape ("S": 5) fails immediately, with SerializationException. An
// invalid value of the right shape (a number of 39 digits, an empty set) is only recorded as a fault: DynamoDB
// validates values after it has checked every member of the request, so the operation reports the fault later. The
// contents of an item or value with a fault are undefined.
//
//   ValueReader values(ValueWording::kCurrent);
//   TRY_INTO(Noted<Item> item, values.item(member.value));        // fails if the shape is wrong
//   ...constraints...
//   if (item.fault) return invalid(*item.fault);                  // fails if the value is invalid
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/limits.h"
#include "model/value.h"
#include "protocol/json/json_input.h"

namespace trestle {

// DynamoDB has two layers that validate requests, with different messages for some faults. PutItem, UpdateItem,
// DeleteItem, GetItem, BatchGetItem and Query use the current wording; Scan and BatchWriteItem use the older one. The
// parameters of PartiQL statements also use the older layer, which parses numbers with Java's BigDecimal.
enum class ValueWording { kCurrent, kOlder, kStatement };

// The error in an attribute name, in DynamoDB's words; nullopt if the name is valid.
std::optional<std::string_view> attribute_name_fault(std::string_view name);

// A value that was read, and the first fault in it, in DynamoDB's words without envelope or prefix.
template <class T>
struct Noted {
  T value;
  std::optional<std::string> fault;
  bool very_deep = false;  // nested deeper than DynamoDB's current layer reads
};

// Reads values, with messages in one wording. Cheap to construct; uses buffers of the calling thread during a call.
class ValueReader {
 public:
  // `depth_max`: a value nested deeper has a fault.
  explicit ValueReader(ValueWording wording, unsigned depth_max = kNestingDepthMax)
      : wording_(wording), depth_max_(depth_max) {}

  // A map of attribute names to values: an item or a key. Of several members with the same name, the last one counts.
  Result<Noted<Item>> item(JsonElement json) const;
  // Like item(), for an element of a list, where DynamoDB's message about a wrong shape differs.
  Result<Noted<Item>> item_element(JsonElement json) const;
  // Reads one value; `place` decides the error for a value that is not an object.
  Result<Noted<Value>> value(JsonElement json, JsonPlace place) const;
  // A list of values: AttributeValueList. The fault is that of the first faulty element.
  Result<Noted<std::vector<Value>>> values(JsonElement json) const;

 private:
  Result<Noted<Item>> pack_item(JsonInput fields) const;

  ValueWording wording_;
  unsigned depth_max_;
};

// {"S":"a"}
void append_value_json(std::string& out, ValueView value);
// {"name":{"S":"a"},...}
void append_item_json(std::string& out, ItemView item);

}  // namespace trestle
