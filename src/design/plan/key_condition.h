// A read in readable form: the DynamoDB request, and the condition on each key attribute.
//
// For `{query: Submission.byStatus, by: [tenant_id, status]}` that is one clause with an equality and one with a
// prefix:
//   GSI2PK = TENANT#{tenant_id}#STATUS#{shard_id}     begins_with(GSI2SK, {status}#)
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

// A literal of the key template, or a value that is put into it.
struct ConditionPiece {
  std::string text;
  bool is_value = false;  // the text between the braces
};

struct KeyClause {
  enum class Kind { kEqual, kBeginsWith, kBetween, kRaw };
  Kind kind = Kind::kEqual;
  std::string attribute;
  std::vector<ConditionPiece> value;
  std::vector<ConditionPiece> upper;  // kBetween
};

struct KeyCondition {
  std::string request;  // GetItem, Query, Scan
  std::string table;
  std::string index;  // empty: the table
  std::vector<KeyClause> clauses;
  bool per_shard = false;   // asked once per shard, answers merged
  bool then_owner = false;  // a guard is read, then the item that it names
};

// Covers the names in the access that exist; a raw access has one clause with its own text.
// Whether a value that a query has for a field determines the sort key too. Where the partition key has the day of a
// time
// (`{at:day}`), a time means its whole day.
bool determines_sort_key(const std::vector<Template>& key, size_t hash_count, std::string_view field);

KeyCondition key_condition_of(const Design& design, const Access& access);
// The pieces of a whole template.
std::vector<ConditionPiece> pieces_of(const Template& key);
std::string pieces_text(const std::vector<ConditionPiece>& pieces);
std::string key_condition_text(const KeyCondition& condition);

}  // namespace trestle::design
