// Shapes must list every field of their structures, because the random values of the other tests cover only listed
// fields.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "model/shapes/all_shapes.h"
#include "protocol/shapes/server_json.h"
#include "protocol/shapes/shape_types.h"

namespace trestle {
namespace {

struct AnyField {
  template <class T>
  operator T() const {  // converts to any type
    std::unreachable();
  }
};
// The number of fields of an aggregate: the number of values that can initialise it. A base class counts as one field.
template <class T, class... Fields>
consteval size_t field_count() {
  if constexpr (requires { T{Fields()..., AnyField()}; }) {
    return field_count<T, Fields..., AnyField>();
  } else {
    return sizeof...(Fields);
  }
}

// The number of fields that are not in the JSON.
template <class T>
inline constexpr size_t kUnlisted = 0;
template <>
inline constexpr size_t kUnlisted<Statement> = 1;  // parameters_fault
template <>
inline constexpr size_t kUnlisted<TransactGet> = 1;  // fault
template <>
inline constexpr size_t kUnlisted<TransactWrite> = 2;  // fault, key_fault
template <>
inline constexpr size_t kUnlisted<UpdateTableRequest> = 1;  // replica_updates

template <class T, class Members>
void check_fields(size_t listed_elsewhere = 0);

// Counts the fields of a structure that its shape lists, and checks nested structures.
template <class T>
class FieldCounter {
 public:
  template <class Owner, class Field, class... Rules>
  void member(std::string_view, Field Owner::* field, const Rules&... rules) {
    inlined(field, rules...);
  }
  template <class Owner, class Field, class... Rules>
  void inlined(Field Owner::* field, const Rules&... rules) {
    note(field);
    check_inside<Field>(rules...);
  }
  template <class Owner, class Tag, class Field, class... Rules>
  void alternative(std::string_view, Tag Owner::* tag, Tag, Field Owner::* field, const Rules&... rules) {
    note(tag);
    inlined(field, rules...);
  }
  template <class Owner, class Tag, class Members, class... Rules>
  void alternative(std::string_view, Tag Owner::* tag, Tag, Members members, const Rules&...) {
    note(tag);
    members(*this);
  }
  template <class Members, class... Rules>
  void structure(std::string_view, Members members, const Rules&...) {
    members(*this);
  }
  void constant(std::string_view, auto) {}
  template <class Field, class... Rules>
  void unused(std::string_view, Field, const Rules&...) {}

  size_t listed() const { return fields_.size(); }
  // The number of fields of the base class.
  size_t in_base() const { return in_base_; }

 private:
  template <class Owner, class Field>
  void note(Field Owner::* field) {
    fields_.insert(&(object_.*field));
    if constexpr (!std::is_same_v<Owner, T>) in_base_ = field_count<Owner>();
  }
  template <class Field, class... Rules>
  void check_inside(const Rules&... rules) {
    if constexpr (is_optional<Field> || (is_list<Field> && !is_map<Field, Rules...>)) {
      check_inside<typename Field::value_type>(rules...);
    } else if constexpr ((is_keyed_by<Rules> || ...)) {
      check_keyed<typename Field::value_type>(rules...);
    } else if constexpr (is_map<Field>) {
      check_inside<typename Field::value_type::second_type>();
    } else if constexpr (std::is_same_v<ShapeOf<Field, Rules...>, Shape<Field>> && Shaped<Field>) {
      check_fields<Field, Shape<Field>>();
    }
  }
  // The rule lists the key separately.
  template <class Element, class... Rules>
  void check_keyed(const Rules&... rules) {
    Element element;
    using Value = std::remove_reference_t<decltype(std::get<1>(map_member(element, rules...)))>;
    if constexpr (std::is_same_v<Value, Element>) {
      check_fields<Element, Shape<Element>>(1);
    } else {
      check_inside<Value>();
    }
  }

  T object_;
  std::set<const void*> fields_;
  size_t in_base_ = 0;
};

template <class T, class Members>
void check_fields(size_t listed_elsewhere) {
  if constexpr (std::is_aggregate_v<T>) {
    FieldCounter<T> counter;
    Members::members(counter);
    const size_t fields = field_count<T>() + counter.in_base() - (counter.in_base() > 0 ? 1 : 0);
    EXPECT_EQ(counter.listed() + listed_elsewhere + kUnlisted<T>, fields) << testing::internal::GetTypeName<T>();
  }
}

template <class T>
void check_fields_of() {
  if constexpr (Shaped<T>) check_fields<T, Shape<T>>();
}

TEST(Shape, lists_every_field) {
#define TRESTLE_CHECK(Name, name)   \
  check_fields_of<Name##Request>(); \
  check_fields_of<Name##Response>();
  TRESTLE_OPERATIONS(TRESTLE_CHECK)
#undef TRESTLE_CHECK
}

}  // namespace
}  // namespace trestle
