#include "copy/definition.h"

#include <gmock/gmock.h>

#include "copy/copy_endpoint.h"
#include "copy/test_world.h"

namespace trestle::copy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Definition definition(Database& database, const std::string& table) { return **read_definition(database, table); }

TEST(CopyDefinition, a_table_is_created_with_the_definition_of_its_source) {
  World world;
  CreateTableRequest request = World::music(StreamViewType::kNewImage);
  IndexDefinition local{.index_name = "by-text"};
  local.key_schema = {{.attribute_name = "pk"}, {.attribute_name = "year", .is_range = true}};
  local.projection_type = ProjectionType::kKeysOnly;
  request.local_indexes = std::vector<IndexDefinition>{local};
  request.billing_mode = BillingMode::kProvisioned;
  request.throughput = Throughput{.read_units = 7, .write_units = 8};
  request.global_indexes->front().throughput = Throughput{.read_units = 3, .write_units = 4};
  request.deletion_protection = true;
  request.tags = std::vector<Tag>{{"team", "jazz"}};
  ASSERT_TRUE(world.source->create_table(request).has_value());
  ASSERT_TRUE(wait_active(*world.source, "music", world.stop).has_value());
  const Definition source = definition(*world.source, "music");

  const auto created = world.target->create_table(creation_of(source, {.name = "songs"}));
  ASSERT_TRUE(created.has_value()) << created.error().message;
  ASSERT_TRUE(wait_active(*world.target, "songs", world.stop).has_value());
  const Definition target = definition(*world.target, "songs");
  EXPECT_THAT(differences_of(source, target), IsEmpty());
  EXPECT_EQ(target.table.throughput, (Throughput{.read_units = 7, .write_units = 8}));
  EXPECT_EQ(target.table.index("by-year")->throughput, (Throughput{.read_units = 3, .write_units = 4}));
  EXPECT_TRUE(target.table.deletion_protection);
  EXPECT_THAT(target.tags, ElementsAre(Tag{"team", "jazz"}));
  EXPECT_FALSE(target.table.stream.has_value()) << "a stream would tell its readers of the copy";

  ASSERT_TRUE(world.target->create_table(creation_of(source, {.name = "other", .on_demand = true})).has_value());
  EXPECT_EQ(definition(*world.target, "other").table.billing, BillingMode::kPayPerRequest);
}

TEST(CopyDefinition, vector_indexes_are_carried_and_compared) {
  Definition source;
  source.table.key.hash = {{.name = "pk"}};
  VectorIndexDescription index{.name = "by-sound", .vector_attribute = "sound", .dimensions = 3};
  index.distance = DistanceFunction::kEuclidean;
  index.search_schema = {{.attribute = {.name = "genre"}, .is_hash = true}, {.attribute = {.name = "year"}}};
  index.projection = {.type = ProjectionType::kInclude, .non_key_attributes = {"title"}};
  source.table.vector_indexes = {index};
  const CreateTableRequest request = creation_of(source, {.name = "music"});
  ASSERT_TRUE(request.vector_indexes.has_value());
  const VectorIndexDefinition& created = request.vector_indexes->at(0);
  EXPECT_EQ(created.index_name, "by-sound");
  EXPECT_EQ(created.vector_attribute, "sound");
  EXPECT_EQ(created.dimensions, 3);
  EXPECT_EQ(created.distance, DistanceFunction::kEuclidean);
  ASSERT_EQ(created.search_schema->size(), 2u);
  EXPECT_TRUE(created.search_schema->at(0).is_hash);
  EXPECT_EQ(created.search_schema->at(1).attribute_name, "year");
  EXPECT_EQ(created.non_key_attributes, std::vector<std::string>{"title"});
  Definition target = source;
  EXPECT_THAT(differences_of(source, target), IsEmpty());
  target.table.vector_indexes[0].dimensions = 4;
  EXPECT_EQ(differences_of(source, target).size(), 1u);
}

TEST(CopyDefinition, a_missing_table_is_nothing) {
  World world;
  EXPECT_FALSE(read_definition(*world.source, "music")->has_value());
}

TEST(CopyDefinition, differences_are_reported_in_words) {
  World world;
  world.create(*world.source);
  CreateTableRequest request{.table_name = "music"};
  request.attribute_definitions = {{.name = "pk", .type = ValueType::kString},
                                   {.name = "sk", .type = ValueType::kString},
                                   {.name = "year", .type = ValueType::kString}};
  request.key_schema = {{.attribute_name = "pk"}, {.attribute_name = "sk", .is_range = true}};
  IndexDefinition by_year{.index_name = "by-year", .key_schema = {{.attribute_name = "year"}}};
  by_year.projection_type = ProjectionType::kAll;
  IndexDefinition more{.index_name = "more", .key_schema = {{.attribute_name = "sk"}}};
  more.projection_type = ProjectionType::kAll;
  request.global_indexes = std::vector<IndexDefinition>{by_year, more};
  request.billing_mode = BillingMode::kPayPerRequest;
  ASSERT_TRUE(world.target->create_table(request).has_value());
  EXPECT_THAT(differences_of(definition(*world.source, "music"), definition(*world.target, "music")),
              ElementsAre("the key is pk S (hash), sk N (range) at the source, pk S (hash), sk S (range) at the target",
                          "the key of the index by-year is year N (hash) at the source, year S (hash) at the target",
                          "the projection of the index by-year is title at the source, all attributes at the target",
                          "only the target has the index more"));
  EXPECT_THAT(differences_of(definition(*world.target, "music"), definition(*world.source, "music")),
              testing::Contains("the target lacks the index more"));
}

TEST(CopyDefinition, time_to_live_and_the_stream_come_last) {
  World world;
  world.create(*world.source, StreamViewType::kOldImage);
  ASSERT_TRUE(world.source->update_time_to_live({.table_name = "music", .attribute_name = "until", .enabled = true})
                  .has_value());
  world.create(*world.target);
  const Definition source = definition(*world.source, "music");
  EXPECT_EQ(source.ttl_attribute, "until");
  EXPECT_THAT(*enable_settings(source, *world.target, "music", true, world.stop),
              ElementsAre("time to live is enabled, by until", "it has a stream of old images"));
  EXPECT_EQ(definition(*world.target, "music").ttl_attribute, "until");
  EXPECT_EQ(definition(*world.target, "music").table.stream, StreamViewType::kOldImage);
  EXPECT_THAT(*enable_settings(source, *world.target, "music", true, world.stop), IsEmpty());
}

TEST(CopyPlace, forms_of_endpoints) {
  EXPECT_EQ(url_of("http://127.0.0.1:8000"), "http://127.0.0.1:8000");
  EXPECT_EQ(url_of("aws:eu-central-1"), "https://dynamodb.eu-central-1.amazonaws.com");
  EXPECT_EQ(url_of("aws:cn-north-1"), "https://dynamodb.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(url_of("./data"), std::nullopt);
}

TEST(CopyPlace, a_source_folder_must_be_there_and_free) {
  const ScratchFolder folder;
  const std::string data = folder.path() + "/data";
  const auto missing = open_copy_endpoint({.text = data});
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().message.find("neither a URL"), std::string::npos) << missing.error().message;
  auto created = open_copy_endpoint({.text = data, .may_create = true});
  ASSERT_TRUE(created.has_value()) << created.error().message;
  const auto second = open_copy_endpoint({.text = data});
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().message.find("in use by another process"), std::string::npos) << second.error().message;
  created->reset();
  EXPECT_TRUE(open_copy_endpoint({.text = data}).has_value());
}

}  // namespace
}  // namespace trestle::copy
