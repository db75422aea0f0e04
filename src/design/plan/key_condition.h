// A read in readable form: the DynamoDB request and the condition on each key attribute.
//
// For example, `{query: Submission.byStatus, by: [tenant_id, status]}` is an equality and a prefix:
//   GSI2PK = TENANT#{tenant_id}#STATUS#{shard_id}     begins_with(GSI2SK, {status}#)
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

// A literal of the key template, or a value inserted into it.
struct ConditionPiece {
  std::string text;
  bool is_value = false;  // `text` is the text between the braces
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
  bool per_shard = false;   // sent once per shard; the results are merged
  bool then_owner = false;  // reads a guard, then the item that the guard names
};

// Whether the value that a query binds to a field also determines the sort key. It does not where the partition key
// contains only the day of a time (`{at:day}`): the query then covers the whole day.
bool determines_sort_key(const std::vector<Template>& key, size_t hash_count, std::string_view field);

// Works as far as the access's names exist in the design. A raw access becomes one clause with its own text.
KeyCondition key_condition_of(const Design& design, const Access& access);
// All pieces of a template.
std::vector<ConditionPiece> pieces_of(const Template& key);
std::string pieces_text(const std::vector<ConditionPiece>& pieces);
std::string key_condition_text(const KeyCondition& condition);

}  // namespace trestle::design
