#include "model/value.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "model/limits.h"
#include "model/number.h"

namespace trestle {
namespace {

// The first bytes of packed values. They are on disk: never change a code, only add one.
enum Code : char {
  kCodeNull = 1,
  kCodeFalse = 2,
  kCodeTrue = 3,
  kCodeString = 4,
  kCodeNumber = 5,
  kCodeBinary = 6,
  kCodeStringSet = 7,
  kCodeNumberSet = 8,
  kCodeBinarySet = 9,
  kCodeList = 10,
  kCodeMap = 11,
};
constexpr char kItemFormat = 1;
constexpr size_t kLengthBytes = 4;
constexpr size_t kItemHeaderBytes = 1 + kLengthBytes;

uint32_t load_u32_le(const char* p) {
  const auto* b = reinterpret_cast<const unsigned char*>(p);
  return uint32_t{b[3]} << 24 | uint32_t{b[2]} << 16 | uint32_t{b[1]} << 8 | uint32_t{b[0]};
}

void store_u32_le(char* p, size_t value) {
  CHECK(value <= UINT32_MAX);
  for (int i = 0; i < 4; ++i) p[i] = static_cast<char>(value >> (8 * i));
}

struct Body {
  std::string_view elements;
  size_t count;
};

// Splits the body of a set, list or map.
Body body_of(std::string_view value) {
  std::string_view rest = value.substr(1 + kLengthBytes);
  uint64_t count;
  read_varint(rest, count);
  return {rest, count};
}

size_t begin_container(std::string& out, Code code, size_t count) {
  out.push_back(code);
  const size_t start = out.size();
  out.append(kLengthBytes, '\0');
  append_varint(out, count);
  return start;
}

Code set_code(ValueType type) {
  return type == ValueType::kStringSet   ? kCodeStringSet
         : type == ValueType::kNumberSet ? kCodeNumberSet
                                         : kCodeBinarySet;
}

size_t map_size_bytes(MapView map) {
  size_t size = 0;
  for (const Field& field : map) size += field.name.size() + field.value.size_bytes();
  return size;
}

// The order of set elements: canonical numbers numerically, everything else by bytes.
bool set_less(ValueType type, std::string_view a, std::string_view b) {
  return type == ValueType::kNumberSet ? compare_numbers(a, b) < 0 : a < b;
}

bool field_before(const Field& field, std::string_view name) { return field.name < name; }

Item pack_item(const std::vector<Field>& fields) {
  size_t bytes = kItemHeaderBytes + 5;
  for (const Field& field : fields) bytes += field.name.size() + field.value.bytes().size() + 3;
  std::string out;
  out.reserve(bytes);
  out.push_back(kItemFormat);
  out.append(kLengthBytes, '\0');
  append_varint(out, fields.size());
  size_t size = 0;
  for (const Field& field : fields) {
    append_sized(out, field.name);
    out.append(field.value.bytes());
    size += field.name.size() + field.value.size_bytes();
  }
  store_u32_le(out.data() + 1, size);
  return Item(std::move(out));
}

void sort_fields(std::vector<Field>& fields) {
  std::sort(fields.begin(), fields.end(), [](const Field& a, const Field& b) { return a.name < b.name; });
  const auto same = [](const Field& a, const Field& b) { return a.name == b.name; };
  fields.erase(std::unique(fields.begin(), fields.end(), same), fields.end());
}

// ---- Validation of untrusted bytes.

// Accepts a varint only in its shortest form, because equal values must have equal bytes.
bool admit_varint(std::string_view& in, uint64_t& value) {
  const char* start = in.data();
  return read_varint(in, value) && (in.data() == start + 1 || in.data()[-1] != '\0');
}

bool admit_sized(std::string_view& in, std::string_view& bytes) {
  uint64_t size;
  if (!admit_varint(in, size) || size > in.size()) return false;
  bytes = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

bool admit_value(std::string_view& in, unsigned depth);

bool admit_fields(std::string_view& in, uint64_t count, unsigned depth) {
  std::string_view previous;
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view name;
    if (!admit_sized(in, name) || (i > 0 && name <= previous)) return false;
    previous = name;
    if (!admit_value(in, depth)) return false;
  }
  return true;
}

bool admit_number(std::string_view text) {
  const auto canonical = canonical_number(text);
  return canonical.has_value() && *canonical == text;
}

bool admit_set(std::string_view& in, uint64_t count, ValueType type) {
  std::string_view previous;
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view element;
    if (!admit_sized(in, element)) return false;
    if (type == ValueType::kNumberSet && !admit_number(element)) return false;
    if (i > 0 && !set_less(type, previous, element)) return false;
    previous = element;
  }
  return count > 0;
}

bool admit_container(std::string_view& in, Code code, unsigned depth) {
  if (in.size() < kLengthBytes || depth > kNestingDepthMax) return false;
  const size_t length = load_u32_le(in.data());
  in.remove_prefix(kLengthBytes);
  if (length > in.size()) return false;
  std::string_view body = in.substr(0, length);
  in.remove_prefix(length);
  uint64_t count;
  if (!admit_varint(body, count) || count > body.size()) return false;
  bool admitted = true;
  if (code == kCodeMap) {
    admitted = admit_fields(body, count, depth + 1);
  } else if (code == kCodeList) {
    for (uint64_t i = 0; i < count && admitted; ++i) admitted = admit_value(body, depth + 1);
  } else {
    admitted = admit_set(body, count,
                         code == kCodeStringSet   ? ValueType::kStringSet
                         : code == kCodeNumberSet ? ValueType::kNumberSet
                                                  : ValueType::kBinarySet);
  }
  return admitted && body.empty();
}

bool admit_value(std::string_view& in, unsigned depth) {
  if (in.empty()) return false;
  const Code code = static_cast<Code>(in.front());
  in.remove_prefix(1);
  switch (code) {
    case kCodeNull:
    case kCodeFalse:
    case kCodeTrue:
      return true;
    case kCodeString:
    case kCodeNumber:
    case kCodeBinary: {
      std::string_view payload;
      return admit_sized(in, payload) && (code != kCodeNumber || admit_number(payload));
    }
    case kCodeStringSet:
    case kCodeNumberSet:
    case kCodeBinarySet:
    case kCodeList:
    case kCodeMap:
      return admit_container(in, code, depth);
  }
  return false;
}

}  // namespace

std::string_view type_name(ValueType type) {
  static constexpr std::string_view kNames[] = {"NULL", "BOOL", "S", "N", "B", "SS", "NS", "BS", "L", "M"};
  return kNames[static_cast<size_t>(type)];
}

ValueType ValueView::type() const {
  switch (static_cast<Code>(bytes_.front())) {
    case kCodeNull:
      return ValueType::kNull;
    case kCodeFalse:
    case kCodeTrue:
      return ValueType::kBool;
    case kCodeString:
      return ValueType::kString;
    case kCodeNumber:
      return ValueType::kNumber;
    case kCodeBinary:
      return ValueType::kBinary;
    case kCodeStringSet:
      return ValueType::kStringSet;
    case kCodeNumberSet:
      return ValueType::kNumberSet;
    case kCodeBinarySet:
      return ValueType::kBinarySet;
    case kCodeList:
      return ValueType::kList;
    case kCodeMap:
      return ValueType::kMap;
  }
  check_failed(__FILE__, __LINE__, "known value code");
}

std::string_view ValueView::scalar() const {
  std::string_view rest = bytes_.substr(1);
  std::string_view payload;
  read_sized(rest, payload);
  return payload;
}

SetView ValueView::set() const {
  const Body body = body_of(bytes_);
  return SetView(body.elements, body.count);
}

ListView ValueView::list() const {
  const Body body = body_of(bytes_);
  return ListView(body.elements, body.count);
}

MapView ValueView::map() const {
  const Body body = body_of(bytes_);
  return MapView(body.elements, body.count);
}

size_t ValueView::size_bytes() const {
  switch (type()) {
    case ValueType::kNull:
    case ValueType::kBool:
      return 1;
    case ValueType::kString:
    case ValueType::kBinary:
      return scalar().size();
    case ValueType::kNumber:
      return number_size_bytes(scalar());
    case ValueType::kStringSet:
    case ValueType::kBinarySet: {
      size_t size = 0;
      for (std::string_view element : set()) size += element.size();
      return size;
    }
    case ValueType::kNumberSet: {
      size_t size = 0;
      for (std::string_view element : set()) size += number_size_bytes(element);
      return size;
    }
    case ValueType::kList: {
      const ListView elements = list();
      size_t size = 3 + elements.size();
      for (ValueView element : elements) size += element.size_bytes();
      return size;
    }
    case ValueType::kMap: {
      const MapView fields = map();
      return 3 + fields.size() + map_size_bytes(fields);
    }
  }
  return 0;
}

unsigned ValueView::depth() const {
  unsigned deepest = 0;
  if (type() == ValueType::kList) {
    for (ValueView element : list()) deepest = std::max(deepest, element.depth());
  } else if (type() == ValueType::kMap) {
    for (const Field& field : map()) deepest = std::max(deepest, field.value.depth());
  } else {
    return 0;
  }
  return deepest + 1;
}

std::optional<std::strong_ordering> compare(ValueView a, ValueView b) {
  const ValueType type = a.type();
  if (type != b.type()) return std::nullopt;
  if (type == ValueType::kNumber) return compare_numbers(a.scalar(), b.scalar());
  if (type == ValueType::kString || type == ValueType::kBinary) return a.scalar() <=> b.scalar();
  return std::nullopt;
}

size_t packed_length(std::string_view bytes) {
  switch (static_cast<Code>(bytes.front())) {
    case kCodeNull:
    case kCodeFalse:
    case kCodeTrue:
      return 1;
    case kCodeString:
    case kCodeNumber:
    case kCodeBinary: {
      std::string_view rest = bytes.substr(1);
      uint64_t size;
      read_varint(rest, size);
      return bytes.size() - rest.size() + size;
    }
    default:
      return 1 + kLengthBytes + load_u32_le(bytes.data() + 1);
  }
}

bool SetView::contains(std::string_view element) const {
  for (std::string_view candidate : *this) {
    if (candidate == element) return true;
  }
  return false;
}

std::optional<ValueView> ListView::at(size_t index) const {
  if (index >= count_) return std::nullopt;
  auto it = begin();
  for (size_t i = 0; i < index; ++i) ++it;
  return *it;
}

std::optional<ValueView> MapView::find(std::string_view name) const {
  std::string_view rest = entries_;
  for (size_t i = 0; i < count_; ++i) {
    std::string_view candidate;
    read_sized(rest, candidate);
    const size_t length = packed_length(rest);
    if (candidate == name) return ValueView(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return std::nullopt;
}

void append_null(std::string& out) { out.push_back(kCodeNull); }
void append_bool(std::string& out, bool value) { out.push_back(value ? kCodeTrue : kCodeFalse); }

void append_string(std::string& out, std::string_view value) {
  out.push_back(kCodeString);
  append_sized(out, value);
}

void append_number(std::string& out, std::string_view canonical) {
  out.push_back(kCodeNumber);
  append_sized(out, canonical);
}

void append_binary(std::string& out, std::string_view value) {
  out.push_back(kCodeBinary);
  append_sized(out, value);
}

void append_set(std::string& out, ValueType type, std::vector<std::string_view> elements) {
  std::sort(elements.begin(), elements.end(),
            [type](std::string_view a, std::string_view b) { return set_less(type, a, b); });
  const size_t start = begin_container(out, set_code(type), elements.size());
  for (std::string_view element : elements) append_sized(out, element);
  end_container(out, start);
}

size_t begin_list(std::string& out, size_t count) { return begin_container(out, kCodeList, count); }
size_t begin_map(std::string& out, size_t count) { return begin_container(out, kCodeMap, count); }

void end_container(std::string& out, size_t start) {
  store_u32_le(out.data() + start, out.size() - start - kLengthBytes);
}

Value Value::null() { return Value(std::string(1, kCodeNull)); }
Value Value::boolean(bool value) { return Value(std::string(1, value ? kCodeTrue : kCodeFalse)); }

Value Value::string(std::string_view value) {
  std::string out;
  append_string(out, value);
  return Value(std::move(out));
}

Value Value::number(std::string_view canonical) {
  std::string out;
  append_number(out, canonical);
  return Value(std::move(out));
}

Value Value::number(int64_t value) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return number(std::string_view(text, static_cast<size_t>(end - text)));
}

Value Value::binary(std::string_view value) {
  std::string out;
  append_binary(out, value);
  return Value(std::move(out));
}

Value Value::set(ValueType type, std::vector<std::string_view> elements) {
  std::string out;
  append_set(out, type, std::move(elements));
  return Value(std::move(out));
}

Value Value::list(std::span<const ValueView> elements) {
  std::string out;
  const size_t start = begin_list(out, elements.size());
  for (ValueView element : elements) out.append(element.bytes());
  end_container(out, start);
  return Value(std::move(out));
}

Value Value::map(std::vector<Field> fields) {
  sort_fields(fields);
  std::string out;
  const size_t start = begin_map(out, fields.size());
  for (const Field& field : fields) {
    append_sized(out, field.name);
    out.append(field.value.bytes());
  }
  end_container(out, start);
  return Value(std::move(out));
}

size_t ItemView::size_bytes() const { return bytes_.empty() ? 0 : load_u32_le(bytes_.data() + 1); }

MapView ItemView::attributes() const {
  if (bytes_.empty()) return {};
  std::string_view rest = bytes_.substr(kItemHeaderBytes);
  uint64_t count;
  read_varint(rest, count);
  return MapView(rest, count);
}

Item::Item(std::vector<Field> fields) {
  sort_fields(fields);
  *this = pack_item(fields);
}

Item::Item(std::initializer_list<std::pair<std::string_view, Value>> fields) {
  std::vector<Field> views;
  for (const auto& [name, value] : fields) views.push_back({name, value.view()});
  *this = Item(std::move(views));
}

Item project(ItemView item, const std::vector<std::string>& names) {
  std::vector<Field> fields;
  for (const std::string& name : names) {
    if (const auto value = item.find(name)) fields.push_back({name, *value});
  }
  return Item(std::move(fields));
}

ItemEditor::ItemEditor(ItemView item) {
  const MapView attributes = item.attributes();
  fields_.reserve(attributes.size() + 2);
  for (const Field& field : attributes) fields_.push_back(field);
}

void ItemEditor::set(std::string_view name, ValueView value) {
  auto it = std::lower_bound(fields_.begin(), fields_.end(), name, field_before);
  if (it != fields_.end() && it->name == name) {
    it->value = value;
  } else {
    fields_.insert(it, Field{name, value});
  }
}

void ItemEditor::remove(std::string_view name) {
  auto it = std::lower_bound(fields_.begin(), fields_.end(), name, field_before);
  if (it != fields_.end() && it->name == name) fields_.erase(it);
}

std::optional<ValueView> ItemEditor::find(std::string_view name) const {
  auto it = std::lower_bound(fields_.begin(), fields_.end(), name, field_before);
  if (it == fields_.end() || it->name != name) return std::nullopt;
  return it->value;
}

Item ItemEditor::build() const { return pack_item(fields_); }

bool is_valid_item(std::string_view bytes) {
  if (bytes.size() < kItemHeaderBytes || bytes.front() != kItemFormat) return false;
  std::string_view rest = bytes.substr(kItemHeaderBytes);
  uint64_t count;
  if (!admit_varint(rest, count) || count > rest.size()) return false;
  if (!admit_fields(rest, count, 0) || !rest.empty()) return false;
  const ItemView item(bytes);
  return item.size_bytes() == map_size_bytes(item.attributes());
}

}  // namespace trestle
