// The completed and pending background work of a design, from the journal and as JSON.
#include <fmt/format.h>

#include "base/json/json_writer.h"
#include "design/plan/plan.h"
#include "runtime/background/background_work.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {
namespace {

constexpr size_t kDeadLettersShown = 1'000;

}  // namespace

Outcome<int64_t> journal_count(Database& database, const std::string& kind, const std::string& design) {
  QueryRequest query;
  query.table_name = design::kJournalTable;
  query.key_condition_expression = "#PK = :PK";
  query.placeholders.names = NameMap{{"#PK", "PK"}};
  query.placeholders.values = ValueMap{{":PK", Value::string(fmt::format("{}#{}", kind, design))}};
  query.select = Select::kCount;
  int64_t count = 0;
  do {
    const auto page = database.query(query);
    if (!page) return std::unexpected(refused_by(page.error()));
    count += page->count;
    query.exclusive_start_key = page->last_evaluated_key;
  } while (query.exclusive_start_key);
  return count;
}

Outcome<BackgroundStatus> journal_status(Database& database, const std::string& design) {
  BackgroundStatus status;
  status.design = design;
  TRY_INTO(status.dead_letters, journal_count(database, "DEAD", design));
  TRY_INTO(status.open_cascades, journal_count(database, "JOB", design));
  return status;
}

Outcome<std::string> status_json(const BackgroundStatus& status, Database& database, bool dead) {
  Json out = Json::object({{"design", status.design},
                           {"working", status.working},
                           {"records_applied", status.records},
                           {"tally_writes", status.tally_writes},
                           {"tally_lag_ms", status.tally_lag_ms},
                           {"reaction_lag_ms", status.reaction_lag_ms},
                           {"stream_gaps", status.gaps},
                           {"reactions_sent", status.reactions.sent},
                           {"reactions_under_way", status.reactions.under_way},
                           {"reaction_retries", status.reactions.retries},
                           {"dead_letters", status.dead_letters},
                           {"open_cascades", status.open_cascades},
                           {"cascades_resumed", status.cascades_resumed},
                           {"blobs_swept", status.blobs_swept},
                           {"failures", status.failures}});
  if (!status.waits_for.empty()) {
    Json endpoints = Json::array();
    for (const std::string& endpoint : status.waits_for) endpoints.add(endpoint);
    out.set("waits_for_endpoints", std::move(endpoints));
  }
  if (!status.last_failure.empty()) out.set("last_failure", status.last_failure);
  if (dead) {
    TRY_INTO(const auto letters, dead_letters(database, status.design, kDeadLettersShown));
    Json list = Json::array();
    for (const DeadLetter& letter : letters) {
      Json letter_json = Json::object({{"id", letter.id},
                                       {"reaction", letter.reaction},
                                       {"event", letter.event},
                                       {"error", letter.error},
                                       {"failures", letter.failures},
                                       {"at", time_text(letter.at_ms, 1)}});
      if (!letter.body.empty()) letter_json.set("body", letter.body);
      if (letter.retry_requested) letter_json.set("asked", true);
      list.add(std::move(letter_json));
    }
    out.set("letters", std::move(list));
    out.set("dead_letters", static_cast<int64_t>(letters.size()));
  }
  return out.text();
}

}  // namespace trestle::runtime
