#include "runtime/background/tally_letters.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/utf8.h"
#include "design/plan/plan.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kPrefix = "tally#";
constexpr size_t kKeyTextMax = 500;

Item letter_key(const std::string& design, const std::string& id) {
  return Item({{"PK", Value::string("DEAD#" + design)}, {"SK", Value::string(id)}});
}

// The names of the tallies that may have failed.
std::string tallies_of(const design::Design& design, const TallyTarget& target) {
  std::string names;
  for (const design::Tally& tally : design.tallies) {
    if (tally.through_stream && tally.into == target.entity->name) names += (names.empty() ? "" : ", ") + tally.name;
  }
  return names;
}

}  // namespace

std::string tally_letter_id(const std::string& name) {
  std::string id(kPrefix);
  append_hex(id, sha256(name));
  return id;
}

bool is_tally_letter(std::string_view id) { return id.starts_with(kPrefix); }

TransactWrite tally_letter(const design::Design& design, const std::string& name, const TallyTarget& target,
                           const std::string& error, int64_t now_ms) {
  const design::Table& table = *design.table(target.entity->table);
  Plain amounts = Plain::map();
  for (const auto& [figure, amount] : target.amounts)
    amounts.set(figure.member.empty() ? figure.field : fmt::format("{}[{}]", figure.field, figure.member),
                Plain::number(std::string(amount)));
  const std::string words = fmt::format("{} of {} cannot be counted: {}", target.entity->name,
                                        valid_utf8(key_words(table, target.key), kKeyTextMax), error);
  TransactWrite write{.kind = TransactWrite::Kind::kUpdate,
                      .table_name = std::string(design::kJournalTable),
                      .item = letter_key(design.name, tally_letter_id(name))};
  write.update_expression = "SET #r = :r, #v = :v, #e = :e, #b = :b, #a = :a ADD #f :f";
  write.placeholders.names =
      NameMap{{"#r", "reaction"}, {"#v", "event"}, {"#e", "error"}, {"#b", "body"}, {"#a", "at"}, {"#f", "failures"}};
  write.placeholders.values = ValueMap{
      {":r", Value::string(tallies_of(design, target))}, {":v", Value::string("count")}, {":e", Value::string(words)},
      {":b", Value::string(plain_json(amounts))},        {":a", Value::number(now_ms)},  {":f", Value::number(1)}};
  return write;
}

Outcome<std::map<std::string, Value>> tally_letters(Database& database, const std::string& design) {
  QueryRequest query;
  query.table_name = design::kJournalTable;
  query.key_condition_expression = "#PK = :PK AND begins_with(#SK, :SK)";
  query.placeholders.names = NameMap{{"#PK", "PK"}, {"#SK", "SK"}};
  query.placeholders.values =
      ValueMap{{":PK", Value::string("DEAD#" + design)}, {":SK", Value::string(std::string(kPrefix))}};
  query.consistent_read = true;
  std::map<std::string, Value> letters;
  do {
    const auto page = database.query(query);
    if (!page) return std::unexpected(refused_by(page.error()));
    for (size_t i = 0; i < page->items.size(); ++i) {
      const auto failures = page->items[i].find("failures");
      if (failures) letters.emplace(page->items[i].find("SK")->scalar(), Value(*failures));
    }
    query.exclusive_start_key = page->last_evaluated_key;
  } while (query.exclusive_start_key);
  return letters;
}

Outcome<void> delete_tally_letter(Database& database, const std::string& design, const std::string& id,
                                  const Value& failures) {
  DeleteItemRequest request{.table_name = std::string(design::kJournalTable), .key = letter_key(design, id)};
  request.condition.expression = "#f = :f";
  request.placeholders.names = NameMap{{"#f", "failures"}};
  request.placeholders.values = ValueMap{{":f", failures}};
  const auto done = database.delete_item(request);
  if (!done && done.error().code != ErrorCode::kConditionalCheckFailed)
    return std::unexpected(refused_by(done.error()));
  return {};
}

}  // namespace trestle::runtime
