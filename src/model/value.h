// Attribute values and items in packed form: the only representation between the protocol layer and the disk.
//
// A packed value can be read, compared, filtered, projected and written as JSON in place, without building a tree, and
// is stored unchanged. It is canonical: maps are sorted by name, sets by value, and numbers are canonical text
// (model/number.h), so two values are equal exactly when their bytes are equal.
//
//   value := 01                                      NULL
//          | 02 | 03                                 BOOL false, true
//          | 04 sized | 05 sized | 06 sized          S, N (canonical text), B     sized := varint length, bytes
//          | 07 body | 08 body | 09 body             SS, NS, BS                   elements: sized
//          | 0A body | 0B body                       L: values; M: (sized name, value)*
//   body  := u32 little endian length of the rest, varint count, elements
//   item  := 01 (format), u32 little endian DynamoDB size, varint count, (sized name, value)*
//
// These bytes are on disk: never change a code, add one. Vectors: docs/formats.md, value_test.cc.
//
// Views borrow: the creator of a view must keep the bytes alive. Views assume valid bytes, which were packed by this
// file or accepted by is_valid_item(). Concurrent reads are safe.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace trestle {

enum class ValueType : uint8_t {
  kNull,
  kBool,
  kString,
  kNumber,
  kBinary,
  kStringSet,
  kNumberSet,
  kBinarySet,
  kList,
  kMap,
};

// "NULL", "BOOL", "S", "N", "B", "SS", "NS", "BS", "L", "M".
std::string_view type_name(ValueType type);
inline bool is_set(ValueType type) { return type >= ValueType::kStringSet && type <= ValueType::kBinarySet; }
inline bool is_scalar(ValueType type) { return type >= ValueType::kString && type <= ValueType::kBinary; }

class SetView;
class ListView;
class MapView;

class ValueView {
 public:
  ValueView() = default;
  // Exactly one packed value.
  explicit ValueView(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes() const { return bytes_; }
  ValueType type() const;
  bool boolean() const { return bytes_[0] == 3; }
  // The payload of an S, N or B.
  std::string_view scalar() const;
  SetView set() const;
  ListView list() const;
  MapView map() const;

  // The size of this value as DynamoDB counts it, in bytes.
  size_t size_bytes() const;
  // 0 for a scalar or set, 1 for a list or map that contains no other, and so on.
  unsigned depth() const;

  friend bool operator==(ValueView a, ValueView b) { return a.bytes_ == b.bytes_; }

 private:
  std::string_view bytes_;
};

// The order of two S, two N or two B; nothing for any other pair of types.
std::optional<std::strong_ordering> compare(ValueView a, ValueView b);

// The length of the packed value at the start of `bytes`.
size_t packed_length(std::string_view bytes);

// Elements of SS, NS (canonical text) or BS, in order.
class SetView {
 public:
  class iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    explicit iterator(std::string_view rest, size_t left) : rest_(rest), left_(left) { load(); }
    std::string_view operator*() const { return element_; }
    iterator& operator++() {
      --left_;
      load();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& a, const iterator& b) { return a.left_ == b.left_; }

   private:
    void load() {
      if (left_ > 0) read_sized(rest_, element_);
    }
    std::string_view rest_;
    std::string_view element_;
    size_t left_ = 0;
  };

  SetView(std::string_view elements, size_t count) : elements_(elements), count_(count) {}
  size_t size() const { return count_; }
  iterator begin() const { return iterator(elements_, count_); }
  iterator end() const { return iterator({}, 0); }
  bool contains(std::string_view element) const;

 private:
  std::string_view elements_;
  size_t count_;
};

class ListView {
 public:
  class iterator {
   public:
    using value_type = ValueView;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    iterator(std::string_view rest, size_t left) : rest_(rest), left_(left) { load(); }
    ValueView operator*() const { return ValueView(rest_.substr(0, length_)); }
    iterator& operator++() {
      rest_.remove_prefix(length_);
      --left_;
      load();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& a, const iterator& b) { return a.left_ == b.left_; }

   private:
    void load() { length_ = left_ > 0 ? packed_length(rest_) : 0; }
    std::string_view rest_;
    size_t length_ = 0;
    size_t left_ = 0;
  };

  ListView(std::string_view elements, size_t count) : elements_(elements), count_(count) {}
  size_t size() const { return count_; }
  iterator begin() const { return iterator(elements_, count_); }
  iterator end() const { return iterator({}, 0); }
  std::optional<ValueView> at(size_t index) const;

 private:
  std::string_view elements_;
  size_t count_;
};

struct Field {
  std::string_view name;
  ValueView value;
};

class MapView {
 public:
  class iterator {
   public:
    using value_type = Field;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    iterator(std::string_view rest, size_t left) : rest_(rest), left_(left) { load(); }
    const Field& operator*() const { return field_; }
    const Field* operator->() const { return &field_; }
    iterator& operator++() {
      --left_;
      load();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& a, const iterator& b) { return a.left_ == b.left_; }

   private:
    void load() {
      if (left_ == 0) return;
      read_sized(rest_, field_.name);
      const size_t length = packed_length(rest_);
      field_.value = ValueView(rest_.substr(0, length));
      rest_.remove_prefix(length);
    }
    std::string_view rest_;
    Field field_;
    size_t left_ = 0;
  };

  MapView() = default;
  MapView(std::string_view entries, size_t count) : entries_(entries), count_(count) {}
  size_t size() const { return count_; }
  iterator begin() const { return iterator(entries_, count_); }
  iterator end() const { return iterator({}, 0); }
  std::optional<ValueView> find(std::string_view name) const;
  // The packed entries, to copy them as a whole.
  std::string_view entries() const { return entries_; }

 private:
  std::string_view entries_;
  size_t count_ = 0;
};

// ---- Packing. Each appends one value to out.

void append_null(std::string& out);
void append_bool(std::string& out, bool value);
void append_string(std::string& out, std::string_view value);
void append_number(std::string& out, std::string_view canonical);
void append_binary(std::string& out, std::string_view value);
// Appends a set. `elements` must have the right type (numbers canonical) and no duplicates; they may be in any order.
void append_set(std::string& out, ValueType type, std::vector<std::string_view> elements);

// Writes a list or map front to back: call begin, append `count` packed values (for a map, sized names each followed by
// its value, in ascending order of name), then call end with the result of begin.
size_t begin_list(std::string& out, size_t count);
size_t begin_map(std::string& out, size_t count);
void end_container(std::string& out, size_t start);

// An owned packed value.
class Value {
 public:
  Value() = default;
  explicit Value(std::string bytes) : bytes_(std::move(bytes)) {}
  explicit Value(ValueView view) : bytes_(view.bytes()) {}
  static Value null();
  static Value boolean(bool value);
  static Value string(std::string_view value);
  static Value number(std::string_view canonical);
  static Value number(int64_t value);
  static Value binary(std::string_view value);
  static Value set(ValueType type, std::vector<std::string_view> elements);
  static Value list(std::span<const ValueView> elements);
  static Value map(std::vector<Field> fields);  // in any order; names must differ

  ValueView view() const { return ValueView(bytes_); }
  operator ValueView() const { return view(); }  // NOLINT: a Value can be used wherever a view can
  const std::string& bytes() const { return bytes_; }
  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::string bytes_;
};

// A borrowed packed item.
class ItemView {
 public:
  ItemView() = default;
  explicit ItemView(std::string_view bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  std::string_view bytes() const { return bytes_; }
  // The size of the whole item as DynamoDB counts it: every name and value.
  size_t size_bytes() const;
  MapView attributes() const;
  std::optional<ValueView> find(std::string_view name) const { return attributes().find(name); }
  friend bool operator==(ItemView a, ItemView b) { return a.bytes_ == b.bytes_; }

 private:
  std::string_view bytes_;
};

// An owned packed item.
class Item {
 public:
  Item() = default;
  explicit Item(std::string bytes) : bytes_(std::move(bytes)) {}
  explicit Item(ItemView view) : bytes_(view.bytes()) {}
  // Fields in any order. Of fields with the same name, one is stored.
  explicit Item(std::vector<Field> fields);
  Item(std::initializer_list<std::pair<std::string_view, Value>> fields);

  ItemView view() const { return ItemView(bytes_); }
  operator ItemView() const { return view(); }  // NOLINT: as for Value
  size_t size_bytes() const { return view().size_bytes(); }
  MapView attributes() const { return view().attributes(); }
  std::optional<ValueView> find(std::string_view name) const { return view().find(name); }
  const std::string& bytes() const { return bytes_; }
  friend bool operator==(const Item&, const Item&) = default;

 private:
  std::string bytes_;
};

// The attributes of the item with these names, if it has them.
Item project(ItemView item, const std::vector<std::string>& names);

// Changes an item: replaces and removes fields of an old item by name, then packs the result. Borrows the old item and
// every value that is set.
class ItemEditor {
 public:
  ItemEditor() = default;
  explicit ItemEditor(ItemView item);
  void set(std::string_view name, ValueView value);
  void remove(std::string_view name);
  std::optional<ValueView> find(std::string_view name) const;
  Item build() const;

 private:
  std::vector<Field> fields_;  // sorted by name
};

// A page of items in a single buffer.
class ItemList {
 public:
  void add(ItemView item) {
    bytes_.append(item.bytes());
    ends_.push_back(bytes_.size());
  }
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  ItemView operator[](size_t i) const {
    const size_t start = i == 0 ? 0 : ends_[i - 1];
    return ItemView(std::string_view(bytes_).substr(start, ends_[i] - start));
  }

 private:
  std::string bytes_;
  std::vector<size_t> ends_;
};

// Whether untrusted bytes are a well-formed, canonical item. Never reads beyond the bytes.
bool is_valid_item(std::string_view bytes);

}  // namespace trestle
