// Attribute values and items: JSON to packed bytes and back, without an intermediate tree.
//
// There are two kinds of errors. JSON of the wrong shape ("S": 5) fails immediately, with SerializationException. A
// value of the right shape that is invalid (a number of 39 digits, an empty set) is only noted: DynamoDB validates
// values after it has checked every member of the request, so the operation reports the fault later. An item or value
// with a noted fault is meaningless.
//
//   ValueReader values(ValueWording::kCurrent);
//   TRY_INTO(Noted<Item> item, values.item(member.value));        // shape
//   ...constraints...
//   if (item.fault) return invalid(*item.fault);                  // value
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/limits.h"
#include "model/value.h"
#include "protocol/json/json_input.h"

namespace trestle {

// DynamoDB has two layers that validate requests, and they word some faults differently. PutItem, UpdateItem,
// DeleteItem, GetItem, BatchGetItem and Query use the current wording; Scan and BatchWriteItem the older one. The
// parameters of PartiQL statements are read in the older layer too, as Java's BigDecimal reads numbers.
enum class ValueWording { kCurrent, kOlder, kStatement };

// The error in an attribute name, in DynamoDB's words; absent if the name is valid.
std::optional<std::string_view> attribute_name_fault(std::string_view name);

// Something read, and the first thing that is wrong with it, in DynamoDB's words without envelope or prefix.
template <class T>
struct Noted {
  T value;
  std::optional<std::string> fault;
  bool very_deep = false;  // nested beyond what DynamoDB's current layer reads at all
};

// Reads values in one wording. Cheap to make; borrows buffers of the calling thread while a call runs.
class ValueReader {
 public:
  // `depth_max`: a value nested deeper is faulty.
  explicit ValueReader(ValueWording wording, unsigned depth_max = kNestingDepthMax)
      : wording_(wording), depth_max_(depth_max) {}

  // A map of attribute names to values: an item or a key. The last of several members with the same name wins.
  Result<Noted<Item>> item(JsonElement json) const;
  // The same for an element of a list, where DynamoDB's complaint about wrong shapes differs.
  Result<Noted<Item>> item_element(JsonElement json) const;
  // Reads one value; `place` decides the error for a value that is not an object.
  Result<Noted<Value>> value(JsonElement json, JsonPlace place) const;
  // A list of values: AttributeValueList. The fault is the first of any element.
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
