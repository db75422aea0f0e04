// For tests: a design that runs on an in-memory engine. Calls of brief operations are made as on an event loop: first
// without waiting, on a database that often misses, and then again.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/read_file.h"
#include "design/language/reader.h"
#include "engine/engine.h"
#include "runtime/failing_databases_for_test.h"
#include "runtime/items/memory_blobs.h"
#include "runtime/runtime.h"
#include "runtime/tables.h"
#include "runtime/values/plain_json.h"
#include "runtime/verify/verify.h"

namespace trestle::runtime {

// 2026-01-15T12:00:00Z.
inline constexpr int64_t kTestNowMs = 1'768'478'400'000;

inline std::unique_ptr<Engine> open_memory_engine() {
  EngineOptions options;
  options.store.in_memory = true;
  options.store.cache_bytes = size_t{8} << 20;
  options.throttles = false;
  options.expiry.interval_ms = 0;  // expiry uses the system clock, by which the tests' items expired long ago
  auto engine = Engine::open(std::move(options));
  EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().message);
  return std::move(*engine);
}

inline std::string source_folder() { return TRESTLE_SOURCE_FOLDER; }

struct Reply {
  int status = 200;
  std::string message;
  Plain body;
  std::string json;
  std::string position;
  std::string revision;
  int64_t retry_after_s = 0;

  const Plain& operator[](std::string_view name) const { return body.member(name); }
  std::string text(std::string_view name) const {
    const Plain& value = body.member(name);
    return value.is(Plain::Kind::kText) || value.is(Plain::Kind::kNumber) ? value.string()
                                                                          : "(" + plain_json(value) + ")";
  }
};

// The text of a design in tests/designs/data.
inline std::string test_design(const std::string& name) {
  return read_file(source_folder() + "/tests/designs/data/" + name + ".yaml").value_or("");
}

class DesignWorld {
 public:
  // A design by its name in designs/, or as YAML text. `elsewhere`: the database to run it on, instead of an in-memory
  // engine.
  explicit DesignWorld(const std::string& name_or_text, Database* elsewhere = nullptr)
      : clock(kTestNowMs),
        engine(elsewhere == nullptr ? open_memory_engine() : nullptr),
        database(elsewhere == nullptr ? *engine : *elsewhere),
        cold(database) {
    std::string text = name_or_text;
    if (text.find('\n') == std::string::npos)
      text = read_file(source_folder() + "/designs/" + name_or_text + ".yaml").value_or("");
    reading = std::make_unique<design::Reading>(design::read_design(text));
    EXPECT_TRUE(reading->mistakes.empty()) << (reading->mistakes.empty() ? "" : reading->mistakes[0].message);
    keys = std::make_unique<KeyRing>(std::move(*KeyRing::parse(KeyRing::make_text())));
    const auto result = create_tables(reading->design, database);
    EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
    runtime = open(cold);
  }

  std::unique_ptr<DesignRuntime> open(Database& on) {
    auto opened = DesignRuntime::open(
        reading->design, on, {.keys = keys.get(), .blobs = &blobs, .clock = &clock, .remote = engine == nullptr});
    EXPECT_TRUE(opened.has_value()) << (opened ? "" : opened.error().message);
    return std::move(*opened);
  }

  const design::Operation& operation(std::string_view name) const {
    const design::Operation* found = reading->design.operation(name);
    EXPECT_NE(found, nullptr) << name;
    return *found;
  }

  Reply call(std::string_view name, const std::string& json, const CallContext& context = {},
             const ListOptions& list = {}, DesignRuntime* on = nullptr) {
    auto inputs = parse_plain_json(json);
    EXPECT_TRUE(inputs.has_value()) << json;
    // These two designs require a signed-in caller.
    CallContext caller = context;
    const bool needs_caller = reading->design.name == "form-bridge" || reading->design.name == "plugin-auth";
    if (needs_caller && !caller.caller.exists())
      caller.caller = *parse_plain_json(R"({"sub":"root","groups":["admin"]})");
    auto answer = answer_of(operation(name), *inputs, list, caller, on != nullptr ? *on : *runtime);
    Reply reply;
    if (!answer) {
      reply.status = answer.error().status;
      reply.message = answer.error().message;
      for (const FieldFault& fault : answer.error().fields) reply.message += " " + fault.field + ": " + fault.reason;
      reply.retry_after_s = answer.error().retry_after_s;
      return reply;
    }
    reply.body = answer->body;
    reply.json = plain_json(answer->body);
    reply.position = answer->position.value_or("");
    reply.revision = answer->revision.value_or("");
    return reply;
  }
  Reply ok(std::string_view name, const std::string& json, const CallContext& context = {},
           const ListOptions& list = {}) {
    Reply reply = call(name, json, context, list);
    EXPECT_EQ(reply.status, 200) << name << " " << json << ": " << reply.message;
    return reply;
  }
  void refused(int status, std::string_view name, const std::string& json, const CallContext& context = {}) {
    const Reply reply = call(name, json, context);
    EXPECT_EQ(reply.status, status) << name << " " << json << ": " << reply.message << reply.json;
  }
  // Every item of a list, read page by page; `between` runs before each further page.
  Plain::List walk(
      std::string_view name, const std::string& json, int64_t limit, bool descending = false,
      const std::function<void()>& between = [] {}) {
    Plain::List all;
    ListOptions list{.limit = limit, .descending = descending, .position = {}};
    for (int pages = 0; pages < 10'000; ++pages) {
      const Reply page = call(name, json, {}, list);
      EXPECT_EQ(page.status, 200) << page.message;
      if (page.status != 200) break;
      const Plain& items = page["items"];
      EXPECT_TRUE(items.is(Plain::Kind::kList));
      EXPECT_LE(items.elements().size(), static_cast<size_t>(limit));
      all.insert(all.end(), items.elements().begin(), items.elements().end());
      if (page.position.empty()) break;
      list.position = page.position;
      between();
    }
    return all;
  }

  // The faults reported by verification.
  std::vector<std::string> faults(bool repair = false) {
    const ItemCodec codec(reading->design, keys.get(), &blobs);
    std::vector<std::string> faults;
    const auto done = verify_design(
        reading->design, database, codec, clock, {.repair = repair, .recheck_delay_ms = 0},
        [&](const Fault& fault) { faults.push_back(fault.kind + " " + fault.item + ": " + fault.words); });
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
    return faults;
  }

  // The attribute of an item of a table with the key [PK, SK]; empty if there is none.
  std::string attribute(const std::string& table, const std::string& pk, const std::string& sk,
                        const std::string& name) {
    const auto found =
        engine->get_item({.table_name = table, .key = Item({{"PK", Value::string(pk)}, {"SK", Value::string(sk)}})});
    if (!found || !found->item) return {};
    const auto value = found->item->find(name);
    return value ? std::string(value->scalar()) : std::string();
  }
  size_t count(const std::string& table) {
    ScanRequest scan;
    scan.table_name = table;
    size_t items = 0;
    do {
      const auto page = engine->scan(scan);
      if (!page) return 0;
      items += page->items.size();
      scan.exclusive_start_key = page->last_evaluated_key;
    } while (scan.exclusive_start_key);
    return items;
  }

  // Calls the operation, if it is brief first as on an event loop.
  Outcome<CallReply> answer_of(const design::Operation& operation, const Plain& inputs, const ListOptions& list,
                               const CallContext& context, DesignRuntime& on) {
    if (engine != nullptr && on.is_brief(operation) && !context.observer && !context.idempotency_key) {
      const int writes_before = ColdDatabase::writes_without_wait;
      Call first;
      first.cached_reads_only = true;
      auto answer = on.call(operation, inputs, list, context, first);
      if (!first.needs_disk) return answer;
      EXPECT_EQ(ColdDatabase::writes_without_wait, writes_before) << operation.name << " had an effect";
    }
    Call call;
    return on.call(operation, inputs, list, context, call);
  }

  ManualClock clock;
  std::unique_ptr<Engine> engine;  // null: the test supplied the database
  Database& database;
  ColdDatabase cold;
  std::unique_ptr<design::Reading> reading;
  std::unique_ptr<KeyRing> keys;
  MemoryBlobs blobs;
  std::unique_ptr<DesignRuntime> runtime;
};

inline CallContext as(const std::string& claims) {
  CallContext context;
  context.caller = *parse_plain_json(claims);
  return context;
}

// A caller with the group "admin".
inline const CallContext kAdmin = as(R"({"sub":"root","groups":["admin"]})");

}  // namespace trestle::runtime
