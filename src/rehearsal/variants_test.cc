// Physical choices do not change what the operations of a design answer. A design and a variant of it, which stores
// fields openly, has each entity in a table of its own or copies only keys into indexes, get the same random calls at
// the same times, with the same generated ids, and must give the same answers.
//
// TRESTLE_VARIANT_CALLS and TRESTLE_VARIANT_SEED change how many calls there are and which, TRESTLE_VARIANT_DESIGNS
// names a folder of other designs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "base/clock.h"
#include "design/check/check.h"
#include "engine/engine.h"
#include "rehearsal/random_inputs.h"
#include "rehearsal/sampled_design.h"
#include "runtime/background/stream_tallies.h"
#include "runtime/items/memory_blobs.h"
#include "runtime/runtime.h"
#include "runtime/tables.h"
#include "runtime/values/plain_json.h"
#include "runtime/values/ulid.h"
#include "runtime/verify/verify.h"

namespace trestle::rehearsal {
namespace {

using design::Design;
using design::Entity;
using design::Operation;
using runtime::Plain;

constexpr size_t kCallsPerStart = 60;  // then the samples again
constexpr size_t kCallsPerLook = 4;

// ---- Random bytes that depend only on the call that asks for them

struct CallBytes {
  size_t call = 0;
  std::map<int, uint64_t> asked;  // how often, by the number of bytes
};
CallBytes call_bytes;

int fill_bytes(unsigned char* bytes, int count) {
  std::seed_seq seed{uint64_t{call_bytes.call}, static_cast<uint64_t>(count), call_bytes.asked[count]++};
  std::mt19937 random(seed);
  std::generate_n(bytes, count, [&] { return static_cast<unsigned char>(random()); });
  return 1;
}

class RepeatableBytes {
 public:
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  RepeatableBytes() { RAND_set_rand_method(&method_); }
  ~RepeatableBytes() { RAND_set_rand_method(nullptr); }

 private:
  const RAND_METHOD method_{nullptr, fill_bytes, nullptr, nullptr, nullptr, [] { return 1; }};
#pragma GCC diagnostic pop
};

// ---- Variants

struct Variant {
  const char* name;
  bool (*apply)(Design& design);  // false: the design has nothing to vary, or the answers may differ
};

bool stores_openly(Design& design) {
  bool changed = false;
  for (Entity& entity : design.entities) {
    if (std::ranges::any_of(entity.packs, [](const design::Pack& pack) { return !pack.figures.empty(); })) continue;
    changed |= !entity.packs.empty() || !entity.spills.empty();
    entity.packs.clear();
    entity.spills.clear();
    for (design::Field& field : entity.fields) changed |= std::exchange(field.encrypted, false);
  }
  return changed;
}

bool has_tables_of_its_own(Design& design) {
  std::map<std::string, std::string> group;  // entities that one request reads share a table
  for (const Entity& entity : design.entities) group[entity.name] = entity.name;
  bool raw = false;
  for (const Operation& operation : design.operations) {
    design::each_access(operation, [&](const design::Access& access) {
      raw |= access.kind == design::Access::Kind::kRaw;
      for (const auto& [other, entry] : access.others) {
        const std::string from = group[other];
        for (auto& [name, of] : group) {
          if (of == from) of = group[access.entity];
        }
      }
    });
  }
  if (raw) return false;
  const auto tables = std::exchange(design.tables, {});
  for (Entity& entity : design.entities) {
    const auto of = std::ranges::find(tables, entity.table, &design::Table::name);
    entity.table += "-" + group[entity.name];
    if (design.table(entity.table) != nullptr) continue;
    design.tables.push_back(*of);
    design.tables.back().name = entity.table;
  }
  return design.tables.size() > tables.size();
}

bool copies_only_keys(Design& design) {
  bool changed = false;
  for (design::Table& table : design.tables) {
    for (design::Index& index : table.indexes) {
      changed |= index.projection.type == ProjectionType::kAll;
      if (index.projection.type == ProjectionType::kAll) index.projection.type = ProjectionType::kKeysOnly;
    }
  }
  return changed;
}

constexpr Variant kVariants[] = {
    {"fields are stored openly", stores_openly},
    {"each entity has a table", has_tables_of_its_own},
    {"indexes copy only keys", copies_only_keys},
};

// ---- Serving

struct ServedCall {
  std::string operation;
  Plain inputs;
  std::optional<std::string> key;  // idempotency key
  bool is_paged = false;
  int64_t at_ms = 0;
};

class ServedVariant {
 public:
  explicit ServedVariant(const Design& design, int64_t now_ms)
      : design_(design), clock_(now_ms), keys_(std::move(*runtime::KeyRing::parse(runtime::KeyRing::make_text()))) {
    const auto created = runtime::create_tables(design_, *engine_);
    EXPECT_TRUE(created) << (created ? "" : created.error().message);
    auto opened = runtime::DesignRuntime::open(design_, *engine_,
                                               {.keys = &keys_, .blobs = &blobs_, .clock = &clock_, .remote = false});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    runtime_ = std::move(*opened);
  }

  // A line for the answer: its status and its body.
  std::string call(const ServedCall& call, const runtime::CallContext& caller) {
    const Operation& operation = *design_.operation(call.operation);
    clock_.advance_ms(call.at_ms - clock_.now_ms());
    runtime::CallContext context = caller;
    context.idempotency_key = call.key;
    runtime::ListOptions list;
    std::string line;
    if (call.is_paged && runtime_->is_list(operation)) list.limit = 2;
    for (;;) {
      Call one;
      auto reply = runtime_->call(operation, call.inputs, list, context, one);
      if (operation.is_write) drain();
      if (!reply) return line + fmt::format("{} {}", reply.error().status, reply.error().message);
      line += runtime::plain_json(reply->body);
      if (!list.limit || reply->position.value_or("").empty()) return line;
      list.position = *reply->position;
    }
  }

  std::string faults() {
    std::string text;
    const auto verified = runtime::verify_design(
        design_, *engine_, codec_, clock_, {.repair = false, .recheck_delay_ms = 0, .sleeper = [](auto) {}},
        [&](const runtime::Fault& fault) { text += fmt::format("{} {}: {}\n", fault.item, fault.kind, fault.words); });
    return verified ? text : verified.error().message;
  }

  RandomInputs::Items items() {
    RandomInputs::Items items;
    for (const design::Table& table : design_.tables) {
      ScanRequest scan;
      scan.table_name = table.name;
      Call one;
      const auto page = engine_->scan(scan, one);
      for (size_t i = 0; page && i < page->items.size(); ++i) {
        for (const Entity& entity : design_.entities) {
          if (entity.table != table.name || !codec_.is_of(entity, page->items[i])) continue;
          if (auto fields = codec_.decode(entity, page->items[i])) items[&entity].push_back(std::move(*fields));
          break;
        }
      }
    }
    return items;
  }

 private:
  static std::unique_ptr<Engine> open_engine() {
    EngineOptions options;
    options.store.in_memory = true;
    options.store.cache_bytes = size_t{8} << 20;
    options.throttles = false;
    options.expiry.interval_ms = 0;
    return std::move(*Engine::open(std::move(options)));
  }

  void drain() {
    // Readers of a stream see a record only when no earlier commit is in progress.
    const uint64_t begun = engine_->store().begun_commit();
    while (engine_->store().finished_commit() < begun) std::this_thread::yield();
    const auto drained = tallies_.drain(clock_.now_ms());
    EXPECT_TRUE(drained) << (drained ? "" : drained.error().message);
    form_.forget_shard_counts();
  }

  const Design& design_;
  ManualClock clock_;
  runtime::KeyRing keys_;
  runtime::MemoryBlobs blobs_;
  std::unique_ptr<Engine> engine_ = open_engine();
  std::unique_ptr<runtime::DesignRuntime> runtime_;
  runtime::ItemCodec codec_{design_, &keys_, &blobs_};
  runtime::ItemForm form_{design_, *engine_, codec_};
  runtime::StreamTallies tallies_{design_, *engine_, codec_, form_};
};

// ---- Comparing

size_t number_from_environment(const char* name, size_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Comparison {
 public:
  Comparison(const Design& design, const Design& varied)
      : sampled_(design), varied_(varied), left_counts_(!design::entities_with_stale_counts(design).empty()) {
    caller_.caller = sampled_.caller();
    for (const Operation& operation : sampled_.design().operations) {
      if (!operation.name.starts_with("load ")) (operation.is_write ? writes_ : reads_).push_back(&operation);
    }
  }

  // The first difference, or nothing.
  std::string run(size_t calls, uint64_t seed) {
    RandomInputs random(sampled_.design(), seed);
    for (size_t call_count = 0; call_count < calls && !writes_.empty(); call_count += kCallsPerStart) {
      const std::vector<ServedCall> chosen = run_design(random);
      if (auto difference = run_variant(chosen); !difference.empty()) return difference;
    }
    return {};
  }

 private:
  static void begin_call(size_t number) {
    call_bytes = {.call = number, .asked = {}};
    runtime::make_ulid(0);  // the next id does not follow one of the same millisecond
  }

  std::vector<ServedCall> run_design(RandomInputs& random) {
    std::vector<ServedCall> calls;
    answers_.clear();
    ServedVariant served(sampled_.design(), sampled_.now_ms());
    int64_t now_ms = sampled_.now_ms();
    const auto call = [&](ServedCall one) {
      begin_call(calls.size());
      one.at_ms = now_ms;
      answers_.push_back(served.call(one, caller_));
      calls.push_back(std::move(one));
      now_ms += random.percent(4) ? 3'600'000 : 1'100;
    };
    for (const SampledDesign::Load& load : sampled_.loads()) {
      for (const Plain& fields : load.items) call({.operation = load.operation->name, .inputs = fields});
    }
    RandomInputs::Items items;
    for (size_t i = 0; i < kCallsPerStart; ++i) {
      if (i % kCallsPerLook == 0) items = served.items();
      const auto& operations = !reads_.empty() && random.percent(35) ? reads_ : writes_;
      const Operation& operation = *operations[random.below(operations.size())];
      ServedCall one{.operation = operation.name, .inputs = random.of(operation, items, now_ms)};
      one.is_paged = random.percent(50);
      if (operation.is_write && random.percent(20)) one.key = fmt::format("key-{}", calls.size());
      if (random.percent(5)) one = calls[random.below(calls.size())];
      call(std::move(one));
    }
    faults_ = served.faults();
    return calls;
  }

  std::string run_variant(const std::vector<ServedCall>& calls) {
    ServedVariant served(varied_.design(), sampled_.now_ms());
    std::string history;
    for (size_t i = 0; i < calls.size(); ++i) {
      begin_call(i);
      const std::string answer = served.call(calls[i], caller_);
      const std::string what = fmt::format("{} {}{}", calls[i].operation, runtime::plain_json(calls[i].inputs),
                                           calls[i].key ? " under " + *calls[i].key : "");
      history += fmt::format("  {}\n    {}\n", what, answers_[i]);
      if (answer != answers_[i])
        return fmt::format("{}\nanswers {}\nvaried  {}\nafter\n{}", what, answers_[i], answer, history);
    }
    if (left_counts_) return {};
    if (!faults_.empty()) return "faults: " + faults_ + "after\n" + history;
    const std::string faults = served.faults();
    return faults.empty() ? "" : "faults of the variant: " + faults + "after\n" + history;
  }

  const SampledDesign sampled_;
  const SampledDesign varied_;
  const bool left_counts_;
  runtime::CallContext caller_;
  std::vector<const Operation*> reads_, writes_;
  std::vector<std::string> answers_;
  std::string faults_;
};

bool has_errors(const design::Reading& reading, const Design& design) {
  design::Reading varied = reading;
  varied.design = design;
  return design::check_design(varied).count(design::Severity::kError) != 0;
}

std::vector<std::filesystem::path> designs_to_vary() {
  std::vector<std::filesystem::path> folders;
  const std::filesystem::path root = TRESTLE_SOURCE_FOLDER;
  if (const char* folder = std::getenv("TRESTLE_VARIANT_DESIGNS"); folder != nullptr)
    folders = {folder};
  else
    folders = {root / "designs", root / "designs/examples", root / "tests/data/designs"};
  std::vector<std::filesystem::path> paths;
  for (const auto& folder : folders) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() == ".yaml") paths.push_back(file.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

TEST(Variants, of_a_design_answer_alike) {
  const RepeatableBytes repeatable;
  const size_t calls = number_from_environment("TRESTLE_VARIANT_CALLS", 120);
  const uint64_t seed = number_from_environment("TRESTLE_VARIANT_SEED", 1);
  size_t compared = 0;
  for (const std::filesystem::path& path : designs_to_vary()) {
    std::ifstream file(path, std::ios::binary);
    const design::Reading reading = design::read_design(std::string(std::istreambuf_iterator<char>(file), {}));
    ASSERT_TRUE(reading.mistakes.empty()) << path;
    if (has_errors(reading, reading.design)) continue;
    for (const Variant& variant : kVariants) {
      Design varied = reading.design;
      if (!variant.apply(varied) || has_errors(reading, varied)) continue;
      ++compared;
      const std::string difference = Comparison(reading.design, varied).run(calls, seed);
      EXPECT_TRUE(difference.empty()) << path.filename() << ", seed " << seed << ": " << variant.name << "\n"
                                      << difference;
    }
  }
  EXPECT_GE(compared, 5U);
}

}  // namespace
}  // namespace trestle::rehearsal
