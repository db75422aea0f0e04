// Sample items are what the design would store.
#include "design/sample/sample.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "design/check/finding_codes_for_test.h"
#include "design/language/reader.h"
#include "design/language/shipped_designs_for_test.h"

namespace trestle::design {
namespace {

Design design_of(const std::string& name) { return read_design(file_text(kDesigns / (name + ".yaml"))).design; }

TEST(Sample, values_are_of_their_types_and_keys_can_be_read_back) {
  for (const char* name : kDesignNames) {
    const Design design = design_of(name);
    for (const SampleItem& item : sample_items(design)) {
      for (const Field& field : item.entity->fields) {
        const auto value = item.fields.find(field.name);
        if (value == item.fields.end()) {
          EXPECT_TRUE(field.optional) << name << " " << item.entity->name << "." << field.name;
        } else if (is_scalar(field.type) && !field.encrypted) {
          EXPECT_TRUE(strings_of(field.type).contains(value->second))
              << name << " " << item.entity->name << "." << field.name << " = " << value->second;
        }
      }
      const Table& table = *design.table(item.entity->table);
      ASSERT_TRUE(item.has_key(table.key)) << name << " " << item.entity->name;
      const std::vector<Template>& key = item.guard == nullptr ? item.entity->key : item.guard->key;
      const auto read = parse(key[0], item.attribute(table.key.hash[0].name)->text, types_of(*item.entity));
      ASSERT_TRUE(read) << name << " " << item.entity->name;
      for (const auto& [field, value] : *read)
        EXPECT_EQ(value, item.fields.at(field)) << name << " " << item.entity->name;
    }
  }
}

TEST(Sample, no_two_items_have_one_key_and_every_entity_has_an_item) {
  for (const char* name : kDesignNames) {
    const Design design = design_of(name);
    const std::vector<SampleItem> items = sample_items(design);
    std::set<std::vector<std::string>> keys;
    std::set<std::string> entities;
    for (const SampleItem& item : items) {
      const KeySchema& key = design.table(item.entity->table)->key;
      std::vector<std::string> texts = {item.entity->table, item.attribute(key.hash[0].name)->text};
      for (const KeyAttribute& range : key.range) texts.push_back(item.attribute(range.name)->text);
      EXPECT_TRUE(keys.insert(texts).second) << name << " " << item.entity->name << " " << texts[1];
      entities.insert(item.entity->name);
    }
    EXPECT_EQ(entities.size(), design.entities.size()) << name;
  }
}

TEST(Sample, a_child_names_a_sampled_parent) {
  const Design design = design_of("authz");
  std::map<std::string, std::set<std::string>> ids;
  const std::vector<SampleItem> items = sample_items(design);
  for (const SampleItem& item : items) {
    if (item.guard != nullptr) continue;
    if (item.entity->name == "Tenant") ids["tenantId"].insert(item.fields.at("tenantId"));
    if (item.entity->name == "User") ids["userId"].insert(item.fields.at("userId"));
  }
  size_t grants = 0;
  for (const SampleItem& item : items) {
    if (item.entity->name != "TenantGrant") continue;
    ++grants;
    for (const char* field : {"tenantId", "userId"}) EXPECT_TRUE(ids[field].contains(item.fields.at(field))) << field;
  }
  EXPECT_EQ(grants, 3U);
}

TEST(Sample, things_that_belong_together_agree) {
  const Design design = design_of("plugin-auth");
  std::map<std::string, std::string> domains;
  const std::vector<SampleItem> items = sample_items(design);
  for (const SampleItem& item : items) {
    if (item.entity->name == "SiteCredentials") domains[item.fields.at("site_id")] = item.fields.at("domain");
  }
  for (const SampleItem& item : items) {
    if (item.entity->name != "ApiKeyLookup" && item.entity->name != "AgencySite") continue;
    EXPECT_EQ(item.fields.at("domain"), domains[item.fields.at("site_id")]) << item.entity->name;
  }
}

TEST(Sample, ids_are_not_shared_by_two_items_that_own_them) {
  std::set<std::string> hashes;
  const Design design = design_of("plugin-auth");
  for (const SampleItem& item : sample_items(design)) {
    if (item.entity->name != "SiteCredentials") continue;
    EXPECT_TRUE(hashes.insert(item.fields.at("api_key_hash")).second);
  }
}

TEST(Sample, partitions_hold_parents_and_children_together_in_order) {
  const Design design = design_of("authz");
  const std::vector<SampleItem> items = sample_items(design);
  const Table& table = design.tables[0];
  const auto in_table = items_in(items, table, nullptr);
  ASSERT_GE(in_table.size(), 3U);
  EXPECT_EQ(in_table[0]->entity->name, "Tenant");
  EXPECT_EQ(in_table[1]->entity->name, "TenantGrant");
  EXPECT_EQ(in_table[0]->attribute("PK")->text, in_table[1]->attribute("PK")->text);
  EXPECT_LT(in_table[0]->attribute("SK")->text, in_table[1]->attribute("SK")->text);
  for (const SampleItem* item : items_in(items, table, table.index("GSI2")))
    EXPECT_EQ(item->entity->name, "TenantGrant");
}

TEST(Sample, an_index_entry_exists_while_its_condition_holds) {
  const Design design = design_of("plugin-auth");
  const std::vector<SampleItem> items = sample_items(design);
  size_t in = 0;
  size_t out = 0;
  for (const SampleItem& item : items) {
    if (item.entity->name != "Registration") continue;
    const bool pending = item.fields.at("status") == "pending";
    EXPECT_EQ(item.attribute("GSI2PK") != nullptr, pending);
    (pending ? in : out) += 1;
  }
  EXPECT_GT(in, 0U);
  EXPECT_GT(out, 0U);
}

TEST(Sample, children_of_a_set_are_its_members) {
  const Design design = design_of("site-catalog");
  std::map<std::string, std::set<std::string>> tags;
  std::map<std::string, std::string> lists;
  for (const SampleItem& item : sample_items(design)) {
    if (item.entity->name == "SiteTag") tags[item.fields.at("siteId")].insert(item.fields.at("label"));
    if (item.entity->name == "Site" && item.fields.contains("tags"))
      lists[item.fields.at("siteId")] = item.fields.at("tags");
  }
  ASSERT_FALSE(lists.empty());
  EXPECT_EQ(tags.size(), lists.size());
  for (const auto& [site, members] : tags) {
    for (const std::string& tag : members) EXPECT_NE(lists[site].find("\"" + tag + "\""), std::string::npos) << tag;
  }
}

TEST(Sample, an_unknown_field_in_a_template_is_shown_as_such) {
  const Design design = read_design(around("entities: {E: {key: [\"A#{nope}\", B], fields: {x: string}}}")).design;
  const std::vector<SampleItem> items = sample_items(design);
  ASSERT_FALSE(items.empty());
  EXPECT_EQ(items[0].attribute("PK")->text, "A#\u2039nope\u203a");
}

TEST(Sample, what_the_author_shows_comes_first_and_figures_are_what_the_items_count_to) {
  const Design design = read_design(around(R"y(entities:
  Box: {key: ["BOX#{box}", BOX], fields: {box: "string([a-z], 1..9)", label: string(1..20), things: counter, weight: counter}, examples: [{PK: BOX#blue, SK: BOX, label: Tools}]}
  Thing: {key: ["BOX#{box}", "THING#{thing}"], fields: {box: "string([a-z], 1..9)", thing: ulid auto, grams: int(1..9)}}
tallies: {things: {of: Thing, into: Box, by: {box: box}, add: {things: 1, weight: grams}}}
)y"))
                            .design;
  std::map<std::string, std::pair<double, double>> counted;
  for (const SampleItem& item : sample_items(design)) {
    if (item.entity->name != "Thing") continue;
    auto& [things, weight] = counted[item.fields.at("box")];
    things += 1;
    weight += std::stod(item.fields.at("grams"));
  }
  bool first = true;
  for (const SampleItem& item : sample_items(design)) {
    if (item.entity->name != "Box") continue;
    if (first) {
      EXPECT_EQ(item.fields.at("box"), "blue");
      EXPECT_EQ(item.fields.at("label"), "Tools");
      EXPECT_GT(counted["blue"].first, 0);
    }
    first = false;
    EXPECT_EQ(std::stod(item.fields.at("things")), counted[item.fields.at("box")].first) << item.fields.at("box");
    EXPECT_EQ(std::stod(item.fields.at("weight")), counted[item.fields.at("box")].second);
  }
}

}  // namespace
}  // namespace trestle::design
