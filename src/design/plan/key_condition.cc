#include "design/plan/key_condition.h"

#include <fmt/format.h>

namespace trestle::design {
namespace {

std::string with_format(std::string_view name, const Format& format) {
  switch (format.kind) {
    case Format::Kind::kPlain:
      return std::string(name);
    case Format::Kind::kPad:
      return fmt::format("{}:0{}", name, format.digits);
    case Format::Kind::kCut:
      return fmt::format("{}:{}", name, format.unit);
    case Format::Kind::kHash:
      return fmt::format("{}:sha256/{}", name, format.digits);
    case Format::Kind::kEscape:
      return fmt::format("{}:escape", name);
    case Format::Kind::kLower:
      return fmt::format("{}:lower", name);
    case Format::Kind::kFold:
      return fmt::format("{}:fold", name);
  }
  return std::string(name);
}

const Expression* bound_to(const Access& access, std::string_view field) {
  for (const Binding& binding : access.by) {
    if (binding.field == field && !binding.element) return &binding.value;
  }
  return nullptr;
}

ConditionPiece piece_for(const Expression& value, const TemplatePart& part) {
  if (value.is(Expression::Kind::kText) || value.is(Expression::Kind::kNumber)) {
    if (part.format.kind == Format::Kind::kPlain) return {value.text, false};
    return {with_format(value.text, part.format), true};
  }
  // An input named like the field is printed without the dollar sign.
  if (value.is(Expression::Kind::kInput)) return {with_format(value.text, part.format), true};
  return {with_format(expression_text(value), part.format), true};
}

// The start of a template that the access binds, and the first part that it does not bind.
struct Determined {
  std::vector<ConditionPiece> pieces;
  const TemplatePart* next = nullptr;
  bool complete = true;
};
Determined determined(const Entity& entity, const Access& access, const Template& key) {
  Determined out;
  for (const TemplatePart& part : key.parts) {
    const Expression* value = part.is_literal() ? nullptr : bound_to(access, part.field);
    if (part.is_literal()) {
      out.pieces.push_back({part.literal, false});
    } else if (value != nullptr) {
      out.pieces.push_back(piece_for(*value, part));
    } else if (entity.shard(part.field) != nullptr) {
      out.pieces.push_back({with_format(part.field, part.format), true});
    } else {
      out.next = &part;
      out.complete = false;
      break;
    }
  }
  return out;
}

std::vector<ConditionPiece> followed_by(std::vector<ConditionPiece> pieces, const std::optional<Expression>& value,
                                        const TemplatePart& part) {
  if (value) pieces.push_back(piece_for(*value, part));
  return pieces;
}

// Nothing if the access does not restrict this attribute.
std::optional<KeyClause> clause_for(const Entity& entity, const Access& access, const KeyAttribute& attribute,
                                    const Template& key) {
  Determined known = determined(entity, access, key);
  KeyClause clause{.kind = KeyClause::Kind::kEqual, .attribute = attribute.name, .value = {}, .upper = {}};
  if (known.next != nullptr && known.next->field == access.range_field && !access.range_field.empty()) {
    clause.kind = KeyClause::Kind::kBetween;
    clause.value = followed_by(known.pieces, access.from, *known.next);
    clause.upper = followed_by(known.pieces, access.to, *known.next);
    return clause;
  }
  if (known.next != nullptr && known.next->field == access.prefix_field && !access.prefix_field.empty()) {
    clause.kind = KeyClause::Kind::kBeginsWith;
    clause.value = followed_by(known.pieces, access.prefix, *known.next);
    return clause;
  }
  if (!known.complete) {
    if (known.pieces.empty()) return std::nullopt;
    clause.kind = KeyClause::Kind::kBeginsWith;
  }
  clause.value = std::move(known.pieces);
  return clause;
}

}  // namespace

bool determines_sort_key(const std::vector<Template>& key, size_t hash_count, std::string_view field) {
  bool cut = false;
  for (size_t i = 0; i < hash_count && i < key.size(); ++i) {
    for (const TemplatePart& part : key[i].parts) {
      if (part.field != field) continue;
      if (part.format.kind != Format::Kind::kCut) return true;
      cut = true;
    }
  }
  return !cut;
}

std::vector<ConditionPiece> pieces_of(const Template& key) {
  std::vector<ConditionPiece> out;
  for (const TemplatePart& part : key.parts) {
    if (part.is_literal())
      out.push_back({part.literal, false});
    else
      out.push_back({with_format(part.field, part.format), true});
  }
  return out;
}

KeyCondition key_condition_of(const Design& design, const Access& access) {
  KeyCondition out;
  if (access.kind == Access::Kind::kRaw) {
    out = {.request = "Query", .table = access.raw_table, .index = access.raw_index, .clauses = {}};
    if (access.where) out.clauses.push_back({KeyClause::Kind::kRaw, "", {{expression_text(*access.where), false}}, {}});
    return out;
  }
  const Entity* entity = design.entity(access.entity);
  const Table* table = entity == nullptr ? nullptr : design.table(entity->table);
  if (table == nullptr) return out;
  out.table = table->name;
  const IndexEntry* entry = access.by_guard ? nullptr : entity->entry(access.index);
  const Guard* guard = access.by_guard ? entity->guard(access.index) : nullptr;
  const Index* index = entry == nullptr ? nullptr : table->index(entry->index);
  if (index != nullptr) out.index = index->name;
  out.then_owner = guard != nullptr;
  if (access.kind == Access::Kind::kScan) {
    out.request = "Scan";
    return out;
  }
  out.request = access.kind == Access::Kind::kGet && index == nullptr ? "GetItem" : "Query";
  const KeySchema& schema = index == nullptr ? table->key : index->key;
  const std::vector<Template>& key = guard != nullptr ? guard->key : entry != nullptr ? entry->key : entity->key;
  std::vector<KeyAttribute> attributes = schema.hash;
  attributes.insert(attributes.end(), schema.range.begin(), schema.range.end());
  for (size_t i = 0; i < attributes.size() && i < key.size(); ++i) {
    if (i >= schema.hash.size() && !access.others.empty()) break;
    Access known = access;
    if (i >= schema.hash.size() && out.request == "Query")
      std::erase_if(known.by, [&](const Binding& binding) {
        return !determines_sort_key(key, schema.hash.size(), binding.field);
      });
    auto clause = clause_for(*entity, known, attributes[i], key[i]);
    if (!clause) break;
    const bool open = clause->kind != KeyClause::Kind::kEqual;
    // DynamoDB compares a number as a whole, so a prefix of a number is not a valid condition.
    if (clause->kind == KeyClause::Kind::kBeginsWith && attributes[i].type == ValueType::kNumber) break;
    out.clauses.push_back(std::move(*clause));
    if (open) break;
  }
  if (out.request == "Query") {
    for (size_t i = 0; i < schema.hash.size() && i < key.size(); ++i) {
      for (const std::string& field : key[i].fields()) {
        const Shard* shard = entity->shard(field);
        if (shard != nullptr && bound_to(access, shard->of) == nullptr) out.per_shard = true;
      }
    }
  }
  return out;
}

std::string pieces_text(const std::vector<ConditionPiece>& pieces) {
  std::string out;
  for (const ConditionPiece& piece : pieces) out += piece.is_value ? "{" + piece.text + "}" : piece.text;
  return out;
}

std::string key_condition_text(const KeyCondition& condition) {
  std::string out;
  for (const KeyClause& clause : condition.clauses) {
    if (!out.empty()) out += " AND ";
    const std::string value = pieces_text(clause.value);
    switch (clause.kind) {
      case KeyClause::Kind::kEqual:
        out += fmt::format("{} = {}", clause.attribute, value);
        break;
      case KeyClause::Kind::kBeginsWith:
        out += fmt::format("begins_with({}, {})", clause.attribute, value);
        break;
      case KeyClause::Kind::kBetween:
        out += fmt::format("{} BETWEEN {} AND {}", clause.attribute, value, pieces_text(clause.upper));
        break;
      case KeyClause::Kind::kRaw:
        out += value;
        break;
    }
  }
  return out;
}

}  // namespace trestle::design
