// Vector indexes of an engine: graphs, memory, restarts. What clients see is in tests/boto3/vectors_test.py.
#include "engine/vectors/vector_indexes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/scratch_folder.h"
#include "bucket/bucket.h"
#include "engine/engine.h"
#include "engine/vectors/vector_entry.h"
#include "vector/distance.h"
#include "vector/random_vectors_for_test.h"

namespace trestle {
namespace {

constexpr int64_t kDimensions = 16;

std::unique_ptr<Engine> open_vector_engine(const std::string& folder, size_t memory_bytes = size_t{64} << 20,
                                           bool threaded = true) {
  EngineOptions options;
  options.store.folder = folder;
  options.store.in_memory = folder.empty();
  options.store.durability = Durability::kRelaxed;
  options.store.cache_bytes = size_t{8} << 20;
  options.vectors.memory_bytes = memory_bytes;
  options.vectors.threaded = threaded;
  options.vectors.graph_floats_min = 300 * kDimensions;  // so that a few hundred vectors suffice for a graph
  auto engine = Engine::open(std::move(options));
  EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().message);
  return std::move(*engine);
}

VectorIndexDefinition vector_index_of(std::string name) {
  return {.index_name = std::move(name),
          .vector_attribute = "v",
          .dimensions = kDimensions,
          .distance = DistanceFunction::kEuclidean,
          .projection_type = ProjectionType::kKeysOnly};
}

void create_vector_table(Engine& engine, bool with_index) {
  CreateTableRequest request{.table_name = "table",
                             .attribute_definitions = {{"pk", ValueType::kString}},
                             .key_schema = {{.attribute_name = "pk"}},
                             .billing_mode = BillingMode::kPayPerRequest};
  if (with_index) request.vector_indexes = std::vector<VectorIndexDefinition>{vector_index_of("vix")};
  const auto result = engine.create_table(request);
  ASSERT_TRUE(result.has_value()) << result.error().message;
}

void put_vector(Engine& engine, const std::string& key, const std::vector<float>& vector) {
  const Value value = vector_value(vector);
  const auto answer = engine.put_item({.table_name = "table", .item = Item{{"pk", Value::string(key)}, {"v", value}}});
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
}

std::vector<std::string> search(Engine& engine, const std::vector<float>& vector, int64_t count = 10) {
  SearchVectorsRequest request{.table_name = "table", .index_name = "vix", .top_k = count};
  for (const float number : vector)
    request.search_vector.push_back(Value(*vector_value({&number, 1}).view().list().at(0)));
  const auto answer = engine.search_vectors(request);
  EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().message);
  std::vector<std::string> keys;
  for (size_t i = 0; answer && i < answer->results.size(); ++i) {
    keys.emplace_back(answer->results[i].item.find("pk")->scalar());
  }
  return keys;
}

// The keys of the closest vectors, by exact distance.
std::set<std::string> exact_closest(const std::map<std::string, std::vector<float>>& model,
                                    const std::vector<float>& vector) {
  std::vector<std::pair<double, std::string>> all;
  for (const auto& [key, other] : model) all.emplace_back(score(DistanceFunction::kEuclidean, vector, other), key);
  std::ranges::sort(all);
  std::set<std::string> keys;
  for (size_t i = 0; i < std::min<size_t>(10, all.size()); ++i) keys.insert(all[i].second);
  return keys;
}

void expect_recall(Engine& engine, const std::map<std::string, std::vector<float>>& model, RandomVectors& vectors) {
  size_t found = 0;
  constexpr int kQueries = 30;
  for (int i = 0; i < kQueries; ++i) {
    const auto query = vectors.next();
    const auto wanted = exact_closest(model, query);
    for (const std::string& key : search(engine, query)) found += wanted.contains(key) ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(found), 0.95 * 10 * kQueries);
}

TEST(VectorIndexes, a_graph_is_built_updated_by_writes_and_rebuilt_after_a_restart) {
  const ScratchFolder folder;
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  RandomVectors vectors(kDimensions, seed);
  std::map<std::string, std::vector<float>> model;
  {
    auto engine = open_vector_engine(folder.path());
    create_vector_table(*engine, true);
    for (int i = 0; i < 1500; ++i) {
      const std::string key = "key-" + std::to_string(vectors.below(1200));
      if (i % 7 == 0) {
        ASSERT_TRUE(engine->delete_item({.table_name = "table", .key = Item{{"pk", Value::string(key)}}}).has_value());
        model.erase(key);
        continue;
      }
      model[key] = vectors.next();
      put_vector(*engine, key, model[key]);
    }
    engine->vectors().wait_idle();
    EXPECT_GT(engine->vectors().figures().vectors_in_graphs, 300u);
    expect_recall(*engine, model, vectors);
  }
  auto engine = open_vector_engine(folder.path());
  expect_recall(*engine, model, vectors);  // possibly while the index is being loaded
  engine->vectors().wait_idle();
  EXPECT_EQ(engine->vectors().figures().vectors, model.size());
  expect_recall(*engine, model, vectors);
}

TEST(VectorIndexes, an_index_that_does_not_fit_is_searched_in_the_store_until_there_is_room) {
  RandomVectors vectors(kDimensions, 3);
  std::map<std::string, std::vector<float>> model;
  auto engine = open_vector_engine({}, 100'000);
  create_vector_table(*engine, true);
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key-" + std::to_string(i);
    model[key] = vectors.next();
    put_vector(*engine, key, model[key]);
  }
  engine->vectors().wait_idle();
  EXPECT_EQ(engine->vectors().figures().indexes_too_large, 1u);
  expect_recall(*engine, model, vectors);
  for (int i = 50; i < 1000; ++i) {
    const Item key{{"pk", Value::string("key-" + std::to_string(i))}};
    ASSERT_TRUE(engine->delete_item({.table_name = "table", .key = key}).has_value());
    model.erase("key-" + std::to_string(i));
  }
  engine->vectors().refresh();
  engine->vectors().wait_idle();
  EXPECT_EQ(engine->vectors().figures().indexes_in_memory, 1u);
  expect_recall(*engine, model, vectors);
}

TEST(VectorIndexes, writes_during_building_and_loading_are_in_the_index) {
  RandomVectors vectors(kDimensions, 4);
  auto engine = open_vector_engine({});
  create_vector_table(*engine, false);
  for (int i = 0; i < 800; ++i) put_vector(*engine, "old-" + std::to_string(i), vectors.next());
  std::atomic<bool> done{false};
  std::thread writer([&] {
    RandomVectors more(kDimensions, 5);
    for (int i = 0; !done; ++i) {
      put_vector(*engine, "new-" + std::to_string(i % 300), more.next());
      const Item key{{"pk", Value::string("old-" + std::to_string(i % 200))}};
      EXPECT_TRUE(engine->delete_item({.table_name = "table", .key = key}).has_value());
    }
  });
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(
        engine
            ->update_table({.table_name = "table",
                            .vector_index_updates = std::vector<VectorIndexUpdate>{{.index = vector_index_of("vix")}}})
            .has_value());
    engine->wait_idle();  // the backfill is done; the index is loaded during further writes
    if (round == 2) break;
    ASSERT_TRUE(
        engine
            ->update_table({.table_name = "table",
                            .vector_index_updates =
                                std::vector<VectorIndexUpdate>{{.is_delete = true, .index = {.index_name = "vix"}}}})
            .has_value());
  }
  done = true;
  writer.join();
  engine->vectors().wait_idle();
  // Every item is found by its own vector, and deleted items are not found.
  std::map<std::string, std::vector<float>> model;
  const auto page = engine->scan({{.table_name = "table"}});
  ASSERT_TRUE(page.has_value() && !page->last_evaluated_key);
  for (size_t i = 0; i < page->items.size(); ++i) {
    model[std::string(page->items[i].find("pk")->scalar())] = *vector_of(*page->items[i].find("v"), kDimensions);
  }
  const auto described = engine->describe_table({.table_name = "table"});
  EXPECT_EQ(described->table.vector_indexes.at(0).item_count, static_cast<int64_t>(model.size()));
  EXPECT_EQ(engine->vectors().figures().vectors, model.size());
  size_t found = 0;
  for (const auto& [key, vector] : model) {
    for (const std::string& other : search(*engine, vector, 1)) {
      EXPECT_TRUE(model.contains(other));
      found += other == key ? 1 : 0;
    }
  }
  EXPECT_GE(static_cast<double>(found), 0.95 * static_cast<double>(model.size()));
}

TEST(VectorIndexes, a_search_does_not_wait_until_an_index_is_loaded) {
  RandomVectors vectors(kDimensions, 8);
  std::map<std::string, std::vector<float>> model;
  auto engine = open_vector_engine({}, size_t{64} << 20, false);
  create_vector_table(*engine, true);
  for (int i = 0; i < 200; ++i)
    put_vector(*engine, "key-" + std::to_string(i), model["key-" + std::to_string(i)] = vectors.next());
  EXPECT_EQ(engine->vectors().figures().indexes_in_memory, 0u);
  expect_recall(*engine, model, vectors);
  engine->vectors().wait_idle();
  EXPECT_EQ(engine->vectors().figures().indexes_in_memory, 1u);
  EXPECT_EQ(engine->vectors().figures().vectors, 200u);
  expect_recall(*engine, model, vectors);
}

TEST(VectorIndexes, deleted_indexes_and_tables_free_their_memory) {
  RandomVectors vectors(kDimensions, 6);
  auto engine = open_vector_engine({});
  create_vector_table(*engine, true);
  for (int i = 0; i < 400; ++i) put_vector(*engine, "key-" + std::to_string(i), vectors.next());
  engine->vectors().wait_idle();
  EXPECT_GT(engine->vectors().figures().memory_bytes, 400u * kDimensions * sizeof(float));
  ASSERT_TRUE(engine->delete_table({.table_name = "table"}).has_value());
  engine->vectors().wait_idle();
  EXPECT_EQ(engine->vectors().figures().memory_bytes, 0u);
  EXPECT_EQ(engine->vectors().figures().indexes, 0u);
}

// Whether a search on a thread that must not wait is handed over.
bool needs_worker(Engine& engine, const std::vector<float>& vector, Call call = {}) {
  SearchVectorsRequest request{.table_name = "table", .index_name = "vix", .top_k = 10};
  for (const float number : vector)
    request.search_vector.push_back(Value(*vector_value({&number, 1}).view().list().at(0)));
  call.cached_reads_only = true;
  const auto answer = engine.search_vectors(request, call);
  EXPECT_NE(answer.has_value(), call.needs_disk);
  return call.needs_disk;
}

std::unique_ptr<Engine> open_short_search_engine(const std::string& folder, size_t short_search_vectors) {
  EngineOptions options;
  options.store.folder = folder;
  options.store.in_memory = folder.empty();
  options.store.cache_bytes = size_t{8} << 20;
  options.vectors.threaded = false;
  options.vectors.graph_floats_min = 300 * kDimensions;
  options.vectors.short_search_floats = short_search_vectors * kDimensions;
  options.loads.interval_ms = 0;
  if (!folder.empty()) options.buckets = folder_buckets(folder + "-buckets");
  auto engine = Engine::open(std::move(options));
  EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().message);
  return std::move(*engine);
}

TEST(VectorIndexes, a_search_that_takes_long_is_handed_over) {
  RandomVectors vectors(kDimensions, 3);
  auto engine = open_short_search_engine({}, 100);
  create_vector_table(*engine, true);
  EXPECT_TRUE(needs_worker(*engine, vectors.next())) << "the index is not loaded yet";
  engine->vectors().wait_idle();
  for (int i = 0; i < 100; ++i) put_vector(*engine, "key-" + std::to_string(i), vectors.next());
  EXPECT_FALSE(needs_worker(*engine, vectors.next()));
  put_vector(*engine, "one more", vectors.next());
  EXPECT_TRUE(needs_worker(*engine, vectors.next()));
  EXPECT_EQ(search(*engine, vectors.next()).size(), 10u);
}

TEST(VectorIndexes, an_index_that_does_not_fit_is_not_searched_on_disk_by_an_event_loop) {
  RandomVectors vectors(kDimensions, 3);
  auto engine = open_vector_engine({}, 20'000, false);
  create_vector_table(*engine, true);
  engine->vectors().wait_idle();
  for (int i = 0; i < 300; ++i) put_vector(*engine, "key-" + std::to_string(i), vectors.next());
  EXPECT_TRUE(needs_worker(*engine, vectors.next()));
  EXPECT_EQ(search(*engine, vectors.next()).size(), 10u);
  EXPECT_EQ(engine->vectors().figures().indexes_too_large, 1u);
  // The job frees the memory, not the write that found it full.
  engine->vectors().wait_idle();
  EXPECT_EQ(engine->vectors().figures().memory_bytes, 0u);
}

TEST(VectorIndexes, an_imported_index_is_loaded_and_its_first_search_is_handed_over) {
  const ScratchFolder folder;
  const std::string data = folder.path() + "/data";
  std::filesystem::create_directories(data + "-buckets/bucket");
  {
    std::ofstream out(data + "-buckets/bucket/items.json");
    for (int i = 0; i < 50; ++i) {
      out << R"({"Item":{"pk":{"S":"key-)" << i << R"("},"v":{"L":[)";
      for (int64_t j = 0; j < kDimensions; ++j) out << (j == 0 ? "" : ",") << R"({"N":")" << i + j << R"("})";
      out << "]}}}\n";
    }
  }
  auto engine = open_short_search_engine(data, 100);
  ImportTableRequest request{.client_token = "token", .source = {.owner = {}, .bucket = "bucket", .prefix = {}}};
  request.table.table_name = "table";
  request.table.attribute_definitions = {{"pk", ValueType::kString}};
  request.table.key_schema = {{.attribute_name = "pk"}};
  request.table.billing_mode = BillingMode::kPayPerRequest;
  request.table.vector_indexes = std::vector<VectorIndexDefinition>{vector_index_of("vix")};
  const auto begun = engine->import_table(request);
  ASSERT_TRUE(begun.has_value()) << begun.error().message;
  engine->loads().finish_jobs();
  const std::vector<float> query(kDimensions, 1);
  EXPECT_TRUE(needs_worker(*engine, query));
  EXPECT_EQ(engine->vectors().figures().indexes, 1u) << "the end of the import announces the index";
  engine->vectors().wait_idle();
  EXPECT_FALSE(needs_worker(*engine, query));
  EXPECT_EQ(search(*engine, query).size(), 10u);
}

}  // namespace
}  // namespace trestle
