#include "design/plan/plan_units.h"

#include <algorithm>
#include <cmath>

#include "model/limits.h"

namespace trestle::design {
namespace {

constexpr int64_t kItemMost = kItemBytesMax;

Bytes plus(Bytes a, const Bytes& b) {
  return {a.least + b.least, a.typical + b.typical, std::min(a.most + b.most, kItemMost)};
}
Bytes exactly(int64_t bytes) { return {bytes, bytes, bytes}; }

int64_t typical_of(const FieldType& type) {
  if (const size_t length = fixed_length(type); length > 0) return static_cast<int64_t>(length);
  switch (type.base) {
    case BaseType::kToken:
      return (type.min.value_or(32) * 8 + 5) / 6;
    case BaseType::kHex:
      return type.min.value_or(32);
    case BaseType::kEmail:
      return 24;
    case BaseType::kDomain:
    case BaseType::kPatternDomain:
      return 18;
    case BaseType::kUrl:
      return 48;
    case BaseType::kE164:
    case BaseType::kIp:
      return 13;
    case BaseType::kCidr:
      return 15;
    case BaseType::kZone:
      return 13;
    case BaseType::kEpoch:
      return type.milliseconds ? 8 : 6;
    case BaseType::kInt:
    case BaseType::kNumber:
    case BaseType::kMoney:
      return 4;
    case BaseType::kBool:
      return 1;
    case BaseType::kEnum:
      return type.values.empty() ? 8 : static_cast<int64_t>(type.values[0].size());
    case BaseType::kString:
      return std::clamp<int64_t>(24, type.min.value_or(0), type.max.value_or(24));
    case BaseType::kText:
      return std::min<int64_t>(1024, type.max.value_or(1024));
    case BaseType::kSet:
    case BaseType::kList:
    case BaseType::kMap:
      return 3 + 3 * (1 + (type.element ? typical_of(*type.element) : 16));
    case BaseType::kRecord:
      return 80;
    case BaseType::kBinary:
    case BaseType::kAny:
      return 200;
    default:
      return 24;
  }
}

Bytes template_bytes(const Design& design, const Entity& entity, const Template& key) {
  Bytes total;
  for (const TemplatePart& part : key.parts) {
    if (part.is_literal()) {
      total = plus(total, exactly(static_cast<int64_t>(part.literal.size())));
    } else if (part.format.kind == Format::Kind::kHash || part.format.kind == Format::Kind::kPad) {
      total = plus(total, exactly(part.format.digits));
    } else if (const Field* field = entity.field(part.field)) {
      total = plus(total, field_bytes(design, field->type));
    } else {
      total = plus(total, {1, 1, 4});
    }
  }
  return total;
}

std::vector<const KeyAttribute*> attributes_of(const KeySchema& key) {
  std::vector<const KeyAttribute*> all;
  for (const auto& attribute : key.hash) all.push_back(&attribute);
  for (const auto& attribute : key.range) all.push_back(&attribute);
  return all;
}

Bytes keys_bytes(const Design& design, const Entity& entity, const KeySchema& schema,
                 const std::vector<Template>& key) {
  Bytes total;
  const auto attributes = attributes_of(schema);
  for (size_t i = 0; i < attributes.size() && i < key.size(); ++i) {
    total = plus(
        total, plus(exactly(static_cast<int64_t>(attributes[i]->name.size())), template_bytes(design, entity, key[i])));
  }
  return total;
}

Bytes stored_field(const Design& design, const Entity& entity, const Field& field) {
  Bytes value = field_bytes(design, field.type);
  for (const Spill& spill : entity.spills) {
    if (spill.field == field.name) value.most = std::min(value.most, spill.over_bytes);
  }
  Bytes whole = plus(exactly(static_cast<int64_t>(field.name.size())), value);
  if (field.optional) whole.least = 0;
  return whole;
}

Units rounded(const Bytes& bytes, double unit, double price) {
  const auto units = [&](int64_t size) { return std::max(1.0, std::ceil(static_cast<double>(size) / unit)) * price; };
  return {units(bytes.least), units(bytes.typical), units(bytes.most)};
}

}  // namespace

Units& Units::operator+=(const Units& other) {
  best += other.best;
  typical += other.typical;
  worst += other.worst;
  return *this;
}

Cost& Cost::operator+=(const Cost& other) {
  read += other.read;
  write += other.write;
  for (const IndexUnits& added : other.indexes) {
    const auto same = [&](const IndexUnits& units) { return units.table == added.table && units.index == added.index; };
    const auto found = std::find_if(indexes.begin(), indexes.end(), same);
    if (found == indexes.end())
      indexes.push_back(added);
    else
      found->write += added.write;
  }
  return *this;
}

Cost operator*(const Cost& cost, double factor) {
  Cost result{.read = cost.read * factor, .write = cost.write * factor, .indexes = cost.indexes};
  for (IndexUnits& index : result.indexes) index.write = index.write * factor;
  return result;
}

Cost Cost::perhaps(Cost cost) {
  const auto unless = [](Units& units) { units.best = units.typical = 0; };
  unless(cost.read);
  unless(cost.write);
  for (IndexUnits& index : cost.indexes) unless(index.write);
  return cost;
}

Cost Cost::either(const Cost& a, const Cost& b) {
  Cost result = a;
  result.read.best = std::min(a.read.best, b.read.best);
  result.write.best = std::min(a.write.best, b.write.best);
  result.read.worst = std::max(a.read.worst, b.read.worst);
  result.write.worst = std::max(a.write.worst, b.write.worst);
  return result;
}

Bytes field_bytes(const Design& design, const FieldType& type) {
  const int64_t typical = typical_of(type);
  int64_t most = bytes_max(type).value_or(kItemMost);
  int64_t least = std::min(typical, std::max<int64_t>(type.base == BaseType::kString ? type.min.value_or(1) : 1, 1));
  if (is_unique_by_nature(type) || is_time(type)) least = typical;
  (void)design;
  return {least, typical, std::max(std::min(most, kItemMost), typical)};
}

Bytes item_bytes(const Design& design, const Entity& entity) {
  Bytes total;
  const Table* table = design.table(entity.table);
  if (table != nullptr) {
    total = keys_bytes(design, entity, table->key, entity.key);
    if (!table->type_attribute.empty())
      total = plus(total, exactly(static_cast<int64_t>(table->type_attribute.size() + entity.type.size())));
    if (const std::string* expiry = entity.expiry_attribute(*table))
      total = plus(total, exactly(static_cast<int64_t>(expiry->size()) + 6));
    for (const IndexEntry& entry : entity.index) {
      if (const Index* index = table->index(entry.index)) {
        Bytes keys = keys_bytes(design, entity, index->key, entry.key);
        if (entry.condition) keys.least = 0;
        total = plus(total, keys);
      }
    }
  }
  for (const Field& field : entity.fields) total = plus(total, stored_field(design, entity, field));
  if (entity.item_bytes > 0) total.typical = entity.item_bytes;
  total.least = std::min(total.least, total.typical);
  total.most = std::max(total.most, total.typical);
  return total;
}

Bytes guard_bytes(const Design& design, const Entity& entity, const Guard& guard) {
  Bytes total;
  if (const Table* table = design.table(entity.table)) {
    total = keys_bytes(design, entity, table->key, guard.key);
    total = plus(total, exactly(static_cast<int64_t>(table->type_attribute.size() + guard.type.size())));
  }
  for (const std::string& name : guard.keeps) {
    if (const Field* field = entity.field(name)) total = plus(total, stored_field(design, entity, *field));
  }
  return total;
}

Bytes entry_bytes(const Design& design, const Entity& entity, const Index& index) {
  const Bytes whole = item_bytes(design, entity);
  if (index.projection.type == ProjectionType::kAll) return whole;
  Bytes total;
  const Table* table = design.table(entity.table);
  if (table != nullptr) total = keys_bytes(design, entity, table->key, entity.key);
  for (const IndexEntry& entry : entity.index) {
    if (entry.index == index.name) total = plus(total, keys_bytes(design, entity, index.key, entry.key));
  }
  for (const std::string& name : index.projection.non_key_attributes) {
    if (const Field* field = entity.field(name)) total = plus(total, stored_field(design, entity, *field));
  }
  return {std::min(total.least, whole.least), std::min(total.typical, whole.typical), std::min(total.most, whole.most)};
}

Units read_units(const Bytes& bytes, bool consistent) { return rounded(bytes, kReadUnitBytes, consistent ? 1 : 0.5); }
Units write_units(const Bytes& bytes) { return rounded(bytes, kWriteUnitBytes, 1); }

}  // namespace trestle::design
