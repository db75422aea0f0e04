// Dead letters: reading them from the journal, and requesting retries.
#include <algorithm>
#include <cstdlib>

#include "design/plan/plan.h"
#include "runtime/background/reactions.h"
#include "runtime/background/tally_letters.h"

namespace trestle::runtime {
namespace {

Outcome<std::vector<Item>> letters_of(Database& database, const std::string& design, size_t limit) {
  QueryRequest query;
  query.table_name = design::kJournalTable;
  query.key_condition_expression = "#PK = :PK";
  query.placeholders.names = NameMap{{"#PK", "PK"}};
  query.placeholders.values = ValueMap{{":PK", Value::string("DEAD#" + design)}};
  query.consistent_read = true;
  std::vector<Item> letters;
  do {
    const auto page = database.query(query);
    if (!page) return std::unexpected(refused_by(page.error()));
    for (size_t i = 0; i < page->items.size() && letters.size() < limit; ++i) letters.emplace_back(page->items[i]);
    query.exclusive_start_key = page->last_evaluated_key;
  } while (query.exclusive_start_key && letters.size() < limit);
  return letters;
}

}  // namespace

Outcome<std::vector<DeadLetter>> dead_letters(Database& database, const std::string& design, size_t limit) {
  TRY_INTO(const auto items, letters_of(database, design, limit));
  std::vector<DeadLetter> letters;
  for (const Item& item : items) {
    const auto text = [&](const char* name) {
      const auto value = item.find(name);
      return value && is_scalar(value->type()) ? std::string(value->scalar()) : std::string();
    };
    const auto number = [&](const char* name) { return std::atoll(text(name).c_str()); };
    letters.push_back({.id = text("SK"),
                       .reaction = text("reaction"),
                       .event = text("event"),
                       .error = text("error"),
                       .body = text("body"),
                       .failures = number("failures"),
                       .at_ms = number("at"),
                       .retry_requested = item.find("retry").has_value()});
  }
  std::sort(letters.begin(), letters.end(), [](const auto& a, const auto& b) { return a.at_ms < b.at_ms; });
  return letters;
}

Outcome<size_t> retry_dead_letters(Database& database, const std::string& design, const std::string& id) {
  TRY_INTO(const auto items, letters_of(database, design, SIZE_MAX));
  size_t retried = 0;
  for (const Item& item : items) {
    const auto name = item.find("SK");
    if (!name || (!id.empty() && name->scalar() != id) || is_tally_letter(name->scalar())) continue;
    UpdateItemRequest request{.table_name = std::string(design::kJournalTable),
                              .key = Item({{"PK", Value::string("DEAD#" + design)}, {"SK", Value(*name)}})};
    request.update_expression = "SET #r = :yes";
    request.condition.expression = "attribute_exists(#PK)";
    request.placeholders.names = NameMap{{"#r", "retry"}, {"#PK", "PK"}};
    request.placeholders.values = ValueMap{{":yes", Value::boolean(true)}};
    const auto done = database.update_item(request);
    if (!done && done.error().code == ErrorCode::kConditionalCheckFailed) continue;
    if (!done) return std::unexpected(refused_by(done.error()));
    ++retried;
  }
  return retried;
}

}  // namespace trestle::runtime
