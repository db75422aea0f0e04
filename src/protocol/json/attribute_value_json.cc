#include "protocol/json/attribute_value_json.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/base64.h"
#include "model/limits.h"
#include "model/number.h"
#include "protocol/json/base64.h"

namespace trestle {

std::optional<std::string_view> attribute_name_fault(std::string_view name) {
  if (name.empty()) return "Empty attribute name";
  if (name.size() > kAttributeNameBytesMax) {
    return "One or more parameter values were invalid: Attribute name is too large, must be less than 65536 bytes";
  }
  return std::nullopt;
}

namespace {

// DynamoDB validates a request with a value nested deeper than this in its older layer.
constexpr unsigned kCurrentLayerDepthMax = 63;

// The type that a member of an AttributeValue denotes; nullopt for unknown members.
std::optional<ValueType> type_named(std::string_view name) {
  switch (name.size()) {
    case 1:
      switch (name[0]) {
        case 'S':
          return ValueType::kString;
        case 'N':
          return ValueType::kNumber;
        case 'B':
          return ValueType::kBinary;
        case 'L':
          return ValueType::kList;
        case 'M':
          return ValueType::kMap;
        default:
          return std::nullopt;
      }
    case 2:
      if (name[1] != 'S') return std::nullopt;
      switch (name[0]) {
        case 'S':
          return ValueType::kStringSet;
        case 'N':
          return ValueType::kNumberSet;
        case 'B':
          return ValueType::kBinarySet;
        default:
          return std::nullopt;
      }
    case 4:
      if (name == "BOOL") return ValueType::kBool;
      if (name == "NULL") return ValueType::kNull;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// The older layer stores the position of a number's first digit in 32 bits, counted from one, so the largest exponent
// wraps around.
bool exponent_wraps(std::string_view number) {
  const size_t e = number.find_first_of("eE");
  return e != std::string_view::npos && number.substr(e + 1) == "2147483647";
}

// Whether the exponent is a 32-bit integer.
bool exponent_fits(std::string_view number) {
  const size_t e = number.find_first_of("eE");
  if (e == std::string_view::npos) return true;
  number.remove_prefix(e + 1);
  if (number.starts_with('+')) number.remove_prefix(1);
  int32_t exponent = 0;
  return std::from_chars(number.data(), number.data() + number.size(), exponent).ec != std::errc::result_out_of_range &&
         exponent != INT32_MIN;
}

struct Entry {
  std::string_view name;
  JsonElement value;
  size_t position = 0;  // position in the document
};

// The entries of a map sorted by name, with only the last entry of each name. They are on a stack of this thread, above
// those of the enclosing maps. The destructor pops them.
class SortedEntries {
 public:
  explicit SortedEntries(simdjson::dom::object object) : base_(stack().size()) {
    auto& entries = stack();
    bool sorted = true;
    for (const auto field : object) {
      if (entries.size() > base_ && !(entries.back().name < field.key)) sorted = false;
      entries.push_back({field.key, field.value, entries.size()});
    }
    if (!sorted) sort();
    count_ = stack().size() - base_;
  }
  ~SortedEntries() { stack().resize(base_, Entry{}); }
  SortedEntries(const SortedEntries&) = delete;
  SortedEntries& operator=(const SortedEntries&) = delete;

  size_t size() const { return count_; }
  // By value, because nested maps may reallocate the stack.
  Entry operator[](size_t i) const { return stack()[base_ + i]; }

 private:
  static std::vector<Entry>& stack() {
    static thread_local std::vector<Entry> entries;
    return entries;
  }
  void sort() {
    auto& entries = stack();
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(base_);
    std::sort(begin, entries.end(), [](const Entry& a, const Entry& b) {
      const auto order = a.name <=> b.name;
      return order != 0 ? order < 0 : a.position < b.position;
    });
    auto unique_end = begin;
    for (auto at = begin; at != entries.end(); ++at) {
      if (at + 1 != entries.end() && (at + 1)->name == at->name) continue;
      *unique_end++ = *at;
    }
    entries.erase(unique_end, entries.end());
  }

  size_t base_;
  size_t count_ = 0;
};

// Packs values one after another. Returns errors for wrong shapes; records the first invalid value in `fault`.
class Packer {
 public:
  template <class T>
  Packer(ValueWording wording, unsigned depth_max, Noted<T>& noted)
      : wording_(wording), depth_max_(depth_max), fault_(noted.fault), very_deep_(noted.very_deep) {}

  void check_name(std::string_view name) {
    if (const auto fault = attribute_name_fault(name)) [[unlikely]]
      note(*fault);
  }

  // `depth`: 1 for an attribute's own value, plus one for each enclosing list or map.
  Result<void> pack(JsonElement json, JsonPlace place, unsigned depth, std::string& out) {
    if (json.is_null()) {
      note("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
      return {};
    }
    simdjson::dom::object object;
    if (json.get_object().get(object) != simdjson::SUCCESS) [[unlikely]] {
      TRY(json_structure(json, "AttributeValue", place));
    }
    if (depth > depth_max_) [[unlikely]] {
      if (depth > kCurrentLayerDepthMax) very_deep_ = true;
      note(
          "Nesting Levels have exceeded supported limits: "
          "Attributes in the item have nested levels beyond supported limit");
    }
    const size_t start = out.size();
    unsigned types = 0;
    for (const auto field : object) {
      if (field.value.is_null()) continue;
      const std::optional<ValueType> type = type_named(field.key);
      if (!type) continue;
      if (types++ > 0) out.resize(start);
      TRY(pack_as(*type, field.value, depth, out));
    }
    if (types == 1) [[likely]]
      return {};
    note(types == 0 ? "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
                    : "Supplied AttributeValue has more than one datatypes set, "
                      "must contain exactly one of the supported datatypes");
    return {};
  }

 private:
  [[gnu::cold, gnu::noinline]] void note(std::string_view message) {
    if (!fault_) fault_.emplace(message);
  }
  [[gnu::cold, gnu::noinline]] void note_parameter(std::string_view message) {
    if (!fault_) fault_.emplace(kInvalidParameterPrefix).append(message);
  }

  Result<void> pack_as(ValueType type, JsonElement json, unsigned depth, std::string& out) {
    switch (type) {
      case ValueType::kString: {
        TRY_INTO(const std::string_view text, json_string(json));
        append_string(out, text);
        return {};
      }
      case ValueType::kNumber: {
        TRY_INTO(const std::string_view text, json_string(json));
        append_number(out, canonical(text));
        return {};
      }
      case ValueType::kBinary: {
        static thread_local std::string bytes;
        bytes.clear();
        TRY(json_binary(json, bytes));
        append_binary(out, bytes);
        return {};
      }
      case ValueType::kBool: {
        TRY_INTO(const bool value, json_boolean(json));
        append_bool(out, value);
        return {};
      }
      case ValueType::kNull: {
        TRY_INTO(const bool value, json_boolean(json));
        if (!value) note_parameter("Null attribute value types must have the value of true");
        append_null(out);
        return {};
      }
      case ValueType::kStringSet:
        return pack_string_set(json, out);
      case ValueType::kNumberSet:
        return pack_number_set(json, out);
      case ValueType::kBinarySet:
        return pack_binary_set(json, out);
      case ValueType::kList:
        return pack_list(json, depth, out);
      case ValueType::kMap:
        return pack_map(json, depth, out);
    }
    return {};
  }

  std::string canonical(std::string_view text) {
    if (text.empty()) [[unlikely]] {
      note(wording_ == ValueWording::kCurrent ? "The parameter cannot be converted to a numeric value: "
                                              : "The parameter cannot be converted to a numeric value");
      return {};
    }
    auto number = canonical_number(text);
    if (number.has_value()) [[likely]]
      return std::move(*number);
    if (wording_ != ValueWording::kCurrent && exponent_wraps(text)) {
      note("Number underflow. Attempting to store a number with magnitude smaller than supported range");
    } else if (wording_ == ValueWording::kStatement && !exponent_fits(text)) {
      note("The parameter cannot be converted to a numeric value: " + std::string(text));
    } else {
      note(number.error().message);
    }
    return {};
  }

  Result<void> pack_list(JsonElement json, unsigned depth, std::string& out) {
    TRY_INTO(const JsonArray array, json_list(json));
    const size_t start = begin_list(out, array.size());
    for (const JsonElement element : array) TRY(pack(element, JsonPlace::kElement, depth + 1, out));
    end_container(out, start);
    return {};
  }

  Result<void> pack_map(JsonElement json, unsigned depth, std::string& out) {
    simdjson::dom::object object;
    if (json.get_object().get(object) != simdjson::SUCCESS) TRY(json_map(json, "AttributeValue"));
    if (wording_ == ValueWording::kStatement) return pack_map_as_written(object, depth, out);
    const SortedEntries entries(object);
    const size_t start = begin_map(out, entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
      const Entry entry = entries[i];
      check_name(entry.name);
      append_sized(out, entry.name);
      TRY(pack(entry.value, JsonPlace::kElement, depth + 1, out));
    }
    end_container(out, start);
    return {};
  }

  // Like pack_map, but visits the entries in document order, which is the order in which faults are reported.
  Result<void> pack_map_as_written(simdjson::dom::object object, unsigned depth, std::string& out) {
    std::map<std::string_view, std::string> entries;
    for (const auto field : object) {
      check_name(field.key);
      std::string value;
      TRY(pack(field.value, JsonPlace::kElement, depth + 1, value));
      entries.insert_or_assign(field.key, std::move(value));
    }
    const size_t start = begin_map(out, entries.size());
    for (const auto& [name, value] : entries) {
      append_sized(out, name);
      out.append(value);
    }
    end_container(out, start);
    return {};
  }

  // ---- Sets. Elements are checked for duplicates in the order of the request, because the message shows them.

  Result<void> pack_string_set(JsonElement json, std::string& out) {
    TRY_INTO(std::vector<std::string_view> elements, json_string_list(json));
    if (elements.empty()) note_parameter("An string set  may not be empty");
    if (const size_t repeat = first_repeat(elements); repeat < elements.size()) {
      note_duplicates(elements, repeat, ValueType::kStringSet);
      return {};
    }
    append_set(out, ValueType::kStringSet, std::move(elements));
    return {};
  }

  Result<void> pack_number_set(JsonElement json, std::string& out) {
    TRY_INTO(const std::vector<std::string_view> texts, json_string_list(json));
    if (texts.empty()) note_parameter("An number set  may not be empty");
    std::vector<std::string> numbers;
    numbers.reserve(texts.size());
    for (std::string_view text : texts) numbers.push_back(canonical(text));
    std::vector<std::string_view> elements(numbers.begin(), numbers.end());
    if (first_repeat(elements) < elements.size()) {
      if (wording_ == ValueWording::kCurrent) {
        note_parameter("Input collection contains duplicates.");
      } else {
        note("Input collection contains duplicates");
      }
      return {};
    }
    append_set(out, ValueType::kNumberSet, std::move(elements));
    return {};
  }

  Result<void> pack_binary_set(JsonElement json, std::string& out) {
    TRY_INTO(const JsonArray array, json_list(json));
    std::vector<std::string> binaries;
    for (const JsonElement element : array) {
      if (element.is_null()) continue;
      binaries.emplace_back();
      TRY(json_binary(element, binaries.back()));
    }
    if (binaries.empty()) note_parameter("Binary sets should not be empty");
    std::vector<std::string_view> elements(binaries.begin(), binaries.end());
    if (const size_t repeat = first_repeat(elements); repeat < elements.size()) {
      note_duplicates(elements, repeat, ValueType::kBinarySet);
      return {};
    }
    append_set(out, ValueType::kBinarySet, std::move(elements));
    return {};
  }

  // The index of the first element that equals an earlier one; elements.size() if there is none.
  static size_t first_repeat(const std::vector<std::string_view>& elements) {
    std::vector<size_t> order(elements.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return elements[a] != elements[b] ? elements[a] < elements[b] : a < b; });
    size_t first = elements.size();
    for (size_t i = 1; i < order.size(); ++i) {
      if (elements[order[i]] == elements[order[i - 1]]) first = std::min(first, order[i]);
    }
    return first;
  }

  // The older layer's message shows the collection as sent. The current layer collects it in an ordered set, and its
  // message shows the elements collected before the duplicate, the duplicate, and the rest.
  void note_duplicates(std::vector<std::string_view> elements, size_t repeat, ValueType type) {
    const bool current = wording_ == ValueWording::kCurrent;
    if (current) std::sort(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(repeat));
    const bool binary = type == ValueType::kBinarySet;
    std::string shown = "Input collection [";
    for (size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) shown.append(current && binary ? "," : ", ");
      if (current) shown.append("\"");
      if (binary) {
        append_base64(shown, elements[i]);
      } else {
        shown.append(elements[i]);
      }
      if (current) shown.append("\"");
    }
    note_parameter(shown.append(binary ? "]of type BS contains duplicates." : "] contains duplicates."));
  }

  ValueWording wording_;
  unsigned depth_max_;
  std::optional<std::string>& fault_;
  bool& very_deep_;
};

}  // namespace

Result<Noted<Item>> ValueReader::pack_item(JsonInput fields) const {
  static thread_local std::string packed;  // the values, one after another
  static thread_local std::vector<size_t> ends;
  packed.clear();
  ends.clear();
  Noted<Item> item;
  Packer packer(wording_, depth_max_, item);
  const SortedEntries entries(fields.object());
  for (size_t i = 0; i < entries.size(); ++i) {
    packer.check_name(entries[i].name);
    TRY(packer.pack(entries[i].value, JsonPlace::kElement, 1, packed));
    ends.push_back(packed.size());
  }
  if (item.fault) return item;
  std::vector<Field> views;
  views.reserve(entries.size());
  size_t start = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    views.push_back({entries[i].name, ValueView(std::string_view(packed).substr(start, ends[i] - start))});
    start = ends[i];
  }
  item.value = Item(std::move(views));
  return item;
}

Result<Noted<Item>> ValueReader::item(JsonElement json) const {
  TRY_INTO(const JsonInput fields, json_map(json, "AttributeValue"));
  return pack_item(fields);
}

Result<Noted<Item>> ValueReader::item_element(JsonElement json) const {
  if (!json.is_object() && !json.is_array()) {
    return serialization_failure(std::string(kNotParameterized));
  }
  return item(json);
}

Result<Noted<Value>> ValueReader::value(JsonElement json, JsonPlace place) const {
  Noted<Value> noted;
  Packer packer(wording_, depth_max_, noted);
  std::string packed;
  TRY(packer.pack(json, place, 1, packed));
  if (!noted.fault) noted.value = Value(std::move(packed));
  return noted;
}

Result<Noted<std::vector<Value>>> ValueReader::values(JsonElement json) const {
  TRY_INTO(const JsonArray array, json_list(json));
  Noted<std::vector<Value>> noted;
  for (const JsonElement element : array) {
    TRY_INTO(Noted<Value> element_value, value(element, JsonPlace::kElement));
    if (!noted.fault) noted.fault = std::move(element_value.fault);
    noted.very_deep |= element_value.very_deep;
    noted.value.push_back(std::move(element_value.value));
  }
  return noted;
}

}  // namespace trestle
