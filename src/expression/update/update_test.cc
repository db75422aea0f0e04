#include "expression/update/update.h"

#include <gtest/gtest.h>

#include "expression/values_for_test.h"

namespace trestle {
namespace {

using namespace testing;

std::string update_message(std::string_view text, const Placeholders& placeholders = {}) {
  Binding binding = Binding::make(placeholders, true).value();
  return message_of(compile_update(text, binding));
}

Result<Item> apply(std::string_view text, const Placeholders& placeholders, const Item& item) {
  Binding binding = Binding::make(placeholders, true).value();
  TRY_INTO(const Update update, compile_update(text, binding));
  auto updated = update.apply(item);
  EXPECT_TRUE(!updated || is_valid_item(updated->bytes())) << text;
  return updated;
}

Item applied(std::string_view text, const Placeholders& placeholders, const Item& item) {
  auto updated = apply(text, placeholders, item);
  EXPECT_TRUE(updated.has_value()) << text << ": " << message_of(updated);
  return updated ? *updated : Item();
}

Item touched(std::string_view text, const Placeholders& placeholders, const Item& item) {
  Binding binding = Binding::make(placeholders, true).value();
  return compile_update(text, binding).value().touched_parts(item);
}

const std::string kUpdatePrefix = "Invalid UpdateExpression: ";
constexpr const char* kMissing = "The provided expression refers to an attribute that does not exist in the item";
constexpr const char* kWrongType = "An operand in the update expression has an incorrect data type";
constexpr const char* kBadPath = "The document path provided in the update expression is invalid for update";

// ---- SET.

TEST(Update, set_writes_and_replaces) {
  const Item item{{"a", n(1)}, {"pk", s("k")}};
  EXPECT_EQ(applied("SET a = :v, b = :w", placeholders_of({{":v", s("x")}, {":w", n(2)}}), item),
            (Item{{"a", s("x")}, {"b", n(2)}, {"pk", s("k")}}));
}

TEST(Update, every_step_reads_the_old_item) {
  const Item item{{"a", n(1)}, {"b", n(2)}};
  EXPECT_EQ(applied("SET a = b, b = a", {}, item), (Item{{"a", n(2)}, {"b", n(1)}}));
  EXPECT_EQ(applied("REMOVE a SET c = a", {}, item), (Item{{"b", n(2)}, {"c", n(1)}}));
}

TEST(Update, set_adds_and_subtracts) {
  const Item item{{"a", n(10)}, {"b", n("0.1")}};
  EXPECT_EQ(applied("SET a = a + :v", placeholders_of({{":v", n("0.25")}}), item).find("a"), n("10.25").view());
  EXPECT_EQ(applied("SET a = (:v - b)", placeholders_of({{":v", n(1)}}), item).find("a"), n("0.9").view());
  EXPECT_EQ(applied("SET c = if_not_exists(c, :v) + a", placeholders_of({{":v", n(0)}}), item).find("c"), n(10).view());
}

TEST(Update, if_not_exists_takes_what_is_there) {
  const Item item{{"a", n(1)}};
  const Placeholders value = placeholders_of({{":v", s("new")}});
  EXPECT_EQ(applied("SET a = if_not_exists(a, :v)", value, item).find("a"), n(1).view());
  EXPECT_EQ(applied("SET b = if_not_exists(b, :v)", value, item).find("b"), s("new").view());
  EXPECT_EQ(applied("SET b = if_not_exists(b, if_not_exists(c, a))", {}, item).find("b"), n(1).view());
}

TEST(Update, list_append_joins_in_order) {
  const Item item{{"l", list({n(1)})}};
  const Placeholders value = placeholders_of({{":v", list({n(2), s("x")})}});
  EXPECT_EQ(applied("SET l = list_append(l, :v)", value, item).find("l"), list({n(1), n(2), s("x")}).view());
  EXPECT_EQ(applied("SET l = list_append(:v, l)", value, item).find("l"), list({n(2), s("x"), n(1)}).view());
  EXPECT_EQ(applied("SET m = list_append(if_not_exists(m, :v), l)", value, item).find("m"),
            list({n(2), s("x"), n(1)}).view());
}

TEST(Update, set_writes_into_documents) {
  const Item item{{"m", map({{"a", n(1)}, {"c", map({{"x", n(0)}})}})}, {"l", list({n(0), map({{"k", n(1)}})})}};
  const Placeholders value = placeholders_of({{":v", s("v")}});
  EXPECT_EQ(applied("SET m.b = :v", value, item).find("m"),
            map({{"a", n(1)}, {"b", s("v")}, {"c", map({{"x", n(0)}})}}).view());
  EXPECT_EQ(applied("SET m.c.x = :v, m.d = :v", value, item).find("m"),
            map({{"a", n(1)}, {"c", map({{"x", s("v")}})}, {"d", s("v")}}).view());
  EXPECT_EQ(applied("SET l[1].k = :v, l[0] = :v", value, item).find("l"), list({s("v"), map({{"k", s("v")}})}).view());
}

TEST(Update, an_index_past_the_end_appends_in_order_of_index) {
  const Item item{{"l", list({n(0)})}, {"e", list({})}};
  const Placeholders values = placeholders_of({{":a", s("a")}, {":b", s("b")}});
  EXPECT_EQ(applied("SET l[9] = :b, l[5] = :a", values, item).find("l"), list({n(0), s("a"), s("b")}).view());
  EXPECT_EQ(applied("SET e[0] = :a, l[0] = :b", values, item).find("e"), list({s("a")}).view());
}

// ---- REMOVE.

TEST(Update, remove_takes_away_and_does_not_mind_what_is_absent) {
  const Item item{{"a", n(1)}, {"m", map({{"x", n(1)}, {"y", n(2)}})}, {"pk", s("k")}};
  EXPECT_EQ(applied("REMOVE a, gone, m.x, m.gone", {}, item), (Item{{"m", map({{"y", n(2)}})}, {"pk", s("k")}}));
}

TEST(Update, remove_from_a_list_goes_by_the_old_indexes) {
  const Item item{{"l", list({n(0), n(1), n(2), n(3)})}};
  EXPECT_EQ(applied("REMOVE l[0], l[2], l[9]", {}, item).find("l"), list({n(1), n(3)}).view());
  EXPECT_EQ(applied("REMOVE l[0], l[1] SET l[2] = :v, l[7] = :v", placeholders_of({{":v", s("v")}}), item).find("l"),
            list({s("v"), n(3), s("v")}).view());
  EXPECT_EQ(applied("REMOVE l[0], l[1], l[2], l[3]", {}, item).find("l"), list({}).view());
}

TEST(Update, removing_the_last_key_leaves_an_empty_map) {
  EXPECT_EQ(applied("REMOVE m.x", {}, Item{{"m", map({{"x", n(1)}})}}), (Item{{"m", map({})}}));
}

// ---- ADD and DELETE.

TEST(Update, add_sums_numbers_and_starts_from_nothing) {
  const Item item{{"a", n(1)}, {"m", map({{"x", n(1)}})}, {"l", list({n(1)})}};
  EXPECT_EQ(applied("ADD a :v, b :v, m.x :v, m.y :v, l[0] :v, l[5] :v", placeholders_of({{":v", n(-5)}}), item),
            (Item{{"a", n(-4)}, {"b", n(-5)}, {"m", map({{"x", n(-4)}, {"y", n(-5)}})}, {"l", list({n(-4), n(-5)})}}));
}

TEST(Update, add_unites_sets) {
  const Item item{{"t", ss({"a", "c"})}};
  EXPECT_EQ(applied("ADD t :v, u :v", placeholders_of({{":v", ss({"a", "b"})}}), item),
            (Item{{"t", ss({"a", "b", "c"})}, {"u", ss({"a", "b"})}}));
  EXPECT_EQ(applied("ADD n :v", placeholders_of({{":v", ns({"10", "9"})}}), Item{{"n", ns({"1", "10"})}}).find("n"),
            ns({"1", "9", "10"}).view());
}

TEST(Update, delete_takes_elements_and_an_emptied_set_goes) {
  const Item item{{"t", ss({"a", "b"})}, {"u", ss({"a"})}, {"pk", s("k")}};
  EXPECT_EQ(applied("DELETE t :v, u :v, gone :v", placeholders_of({{":v", ss({"a", "z"})}}), item),
            (Item{{"t", ss({"b"})}, {"pk", s("k")}}));
}

TEST(Update, sections_come_in_any_order_and_case) {
  const Item item{{"a", n(1)}, {"t", ss({"a", "b"})}, {"x", n(1)}};
  EXPECT_EQ(
      applied("delete t :s Remove x ADD a :n set y = :n", placeholders_of({{":s", ss({"a"})}, {":n", n(2)}}), item),
      (Item{{"a", n(3)}, {"t", ss({"b"})}, {"y", n(2)}}));
}

// ---- Errors that depend on the item.

TEST(Update, operands_must_exist) {
  const Item item{{"a", n(1)}};
  EXPECT_EQ(message_of(apply("SET b = gone", {}, item)), kMissing);
  EXPECT_EQ(message_of(apply("SET b = a + gone", {}, item)), kMissing);
  EXPECT_EQ(message_of(apply("SET b = list_append(gone, :v)", placeholders_of({{":v", list({})}}), item)), kMissing);
  EXPECT_EQ(message_of(apply("SET b = if_not_exists(gone, absent)", {}, item)), kMissing);
  EXPECT_EQ(message_of(apply("SET b = a.x", {}, item)), kMissing);
}

TEST(Update, operands_must_have_the_right_types) {
  const Item item{{"a", n(1)}, {"t", s("x")}, {"l", list({})}, {"u", ss({"a"})}};
  EXPECT_EQ(message_of(apply("SET b = a + t", {}, item)), kWrongType);
  EXPECT_EQ(message_of(apply("SET b = t - :v", placeholders_of({{":v", n(1)}}), item)), kWrongType);
  EXPECT_EQ(message_of(apply("SET b = list_append(l, t)", {}, item)), kWrongType);
  EXPECT_EQ(message_of(apply("ADD t :v", placeholders_of({{":v", n(1)}}), item)), kWrongType);
  EXPECT_EQ(message_of(apply("ADD u :v", placeholders_of({{":v", ns({"1"})}}), item)), kWrongType);
  EXPECT_EQ(message_of(apply("DELETE a :v", placeholders_of({{":v", ss({"1"})}}), item)), kWrongType);
}

TEST(Update, paths_lead_into_containers_that_exist) {
  const Item item{{"a", n(1)}, {"m", map({})}, {"l", list({n(1)})}};
  const Placeholders value = placeholders_of({{":v", n(1)}});
  for (const char* text : {"SET gone.x = :v", "SET gone.x.y = :v", "SET a.x = :v", "SET a[0] = :v", "SET m[0] = :v",
                           "SET l.x = :v", "SET l[5].x = :v", "ADD gone.x :v", "ADD a[0] :v"}) {
    EXPECT_EQ(message_of(apply(text, value, item)), kBadPath) << text;
  }
  for (const char* text : {"REMOVE gone.x", "REMOVE gone[0]", "REMOVE a.x", "REMOVE m.x.y"}) {
    EXPECT_EQ(message_of(apply(text, {}, item)), kBadPath) << text;
  }
}

TEST(Update, numbers_stay_in_range) {
  const Item item{{"a", n(std::string("1") + std::string(125, '0'))}};
  const Placeholders value = placeholders_of({{":v", n(std::string("9") + std::string(125, '0'))}});
  EXPECT_EQ(message_of(apply("SET a = a + :v", value, item)),
            "Number overflow. Attempting to store a number with magnitude larger than supported range");
  EXPECT_EQ(message_of(apply("ADD a :v", value, item)),
            "Number overflow. Attempting to store a number with magnitude larger than supported range");
}

TEST(Update, a_document_does_not_get_too_deep) {
  Value deep = n(1);
  for (int i = 0; i < 31; ++i) deep = list({deep});
  const Item item{{"l", list({n(0)})}};
  EXPECT_TRUE(apply("SET d = :v", placeholders_of({{":v", deep}}), item).has_value());
  EXPECT_EQ(message_of(apply("SET l[0] = :v", placeholders_of({{":v", deep}}), item)),
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported "
            "limit");
}

TEST(Update, a_wrong_type_is_reported_before_a_missing_attribute) {
  const Item item{{"t", s("x")}};
  EXPECT_EQ(message_of(apply("SET a = gone, b = t + :v", placeholders_of({{":v", n(1)}}), item)), kWrongType);
}

// ---- Touched parts.

TEST(Update, touched_parts_are_the_paths_written_and_no_more) {
  const Item item{{"a", map({{"b", s("yo")}, {"c", list({n(1), n(7), n(3)})}})}, {"d", s("cat")}};
  const Placeholders value = placeholders_of({{":v", n(0)}});
  EXPECT_EQ(touched("SET a.b = :v", value, item), (Item{{"a", map({{"b", s("yo")}})}}));
  EXPECT_EQ(touched("SET a.c[1] = :v, a.b = :v", value, item),
            (Item{{"a", map({{"b", s("yo")}, {"c", list({n(7)})}})}}));
  EXPECT_EQ(touched("REMOVE a.c[1], a.c[3]", {}, item), (Item{{"a", map({{"c", list({n(7)})}})}}));
  EXPECT_EQ(touched("SET a.c[100] = :v, x = :v", value, item), Item(std::vector<Field>{}));
}

TEST(Update, lists_what_it_writes_and_whether_it_only_removes) {
  const Placeholders values = placeholders_of({{":v", n(1)}, {":s", ss({"a"})}});
  Binding binding = Binding::make(values, true).value();
  const Update update = compile_update("SET b.x = c[0], a = :v REMOVE d", binding).value();
  EXPECT_EQ(update.attributes(), (std::vector<std::string_view>{"a", "b", "d"}));
  EXPECT_EQ(update.nested_attributes(), (std::vector<std::string_view>{"b", "c"}));
  EXPECT_FALSE(update.only_removes());
  EXPECT_TRUE(compile_update("REMOVE a DELETE b :s", binding)->only_removes());
  EXPECT_FALSE(compile_update("REMOVE a ADD b :s", binding)->only_removes());
}

// ---- Rejected expressions.

TEST(Update, undefined_placeholders_are_refused_names_first) {
  EXPECT_EQ(
      update_message("SET #c = if_not_exists(:c)"),
      kUpdatePrefix + "An expression attribute name used in the document path is not defined; attribute name: #c");
  EXPECT_EQ(
      update_message("SET a = if_not_exists(:c), b = #d"),
      kUpdatePrefix + "An expression attribute name used in the document path is not defined; attribute name: #d");
  EXPECT_EQ(update_message("SET a = if_not_exists(:c)"),
            kUpdatePrefix + "An expression attribute value used in expression is not defined; attribute value: :c");
}

TEST(Update, steps_are_checked_from_the_last) {
  EXPECT_EQ(
      update_message("SET a = :first, b = :second"),
      kUpdatePrefix + "An expression attribute value used in expression is not defined; attribute value: :second");
}

TEST(Update, paths_do_not_overlap) {
  const NameMap names = {{"#c", "c"}, {"#d", "[3]"}};
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)", "[c, [1], a]", "[c]"},
      {"set #c[3].#d = a, #c[3] = a", "[c, [3], [3]]", "[c, [3]]"},
      {"set a = b remove a", "[a]", "[a]"}};
  for (const auto& [text, one, two] : cases) {
    EXPECT_EQ(update_message(text, placeholders_of_names(names)),
              kUpdatePrefix +
                  "Two document paths overlap with each other; must remove or rewrite one of these paths; "
                  "path one: " +
                  one + ", path two: " + two);
  }
}

TEST(Update, paths_do_not_conflict) {
  const NameMap names = {{"#c", "c"}, {"#d", "[3]"}};
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"set #c[3].#d = a, #c.#d[3] = if_not_exists(a)", "[c, [3], [3]]", "[c, [3], [3]]"},
      {"remove a.#c set a[1] = #d", "[a, c]", "[a, [1]]"}};
  for (const auto& [text, one, two] : cases) {
    EXPECT_EQ(update_message(text, placeholders_of_names(names)),
              kUpdatePrefix +
                  "Two document paths conflict with each other; must remove or rewrite one of these paths; "
                  "path one: " +
                  one + ", path two: " + two);
  }
}

TEST(Update, add_takes_numbers_and_sets_and_delete_takes_sets) {
  const std::tuple<const char*, Value, const char*, const char*> cases[] = {
      {"set b = list_append(:a, a), c = if_not_exists(a) add a.b :a", s("a"), "ADD", "STRING"},
      {"delete a.b :a", s("a"), "DELETE", "STRING"},
      {"add a.b :a", Value::null(), "ADD", "NULL"},
      {"delete a.b :a", Value::null(), "DELETE", "NULL"},
      {"add a.b :a", Value::boolean(true), "ADD", "BOOLEAN"},
      {"add a.b :a", b("a"), "ADD", "BINARY"},
      {"add a.b :a", map({}), "ADD", "MAP"},
      {"delete a.b :a", list({}), "DELETE", "LIST"},
      {"delete a.b :a", n(1), "DELETE", "NUMBER"}};
  for (const auto& [text, value, section, type] : cases) {
    EXPECT_EQ(update_message(text, placeholders_of({{":a", value}})),
              kUpdatePrefix + "Incorrect operand type for operator or function; operator: " + section +
                  ", operand type: " + type + ", typeSet: ALLOWED_FOR_" + section + "_OPERAND");
  }
}

TEST(Update, functions_take_two_operands) {
  EXPECT_EQ(update_message("set a = if_not_exists(c)"),
            kUpdatePrefix +
                "Incorrect number of operands for operator or function; operator or function: if_not_exists, "
                "number of operands: 1");
  EXPECT_EQ(update_message("set a = list_append(c, d, e)"),
            kUpdatePrefix +
                "Incorrect number of operands for operator or function; operator or function: list_append, "
                "number of operands: 3");
}

TEST(Update, if_not_exists_takes_a_path_and_something_else) {
  const std::string requires_path =
      kUpdatePrefix + "Operator or function requires a document path; operator or function: if_not_exists";
  EXPECT_EQ(update_message("set a = if_not_exists(:a, c)", placeholders_of({{":a", s("a")}})), requires_path);
  EXPECT_EQ(update_message("set a = if_not_exists(if_not_exists(a, b), c)"), requires_path);
  EXPECT_EQ(update_message("set a = if_not_exists(b.c, b.c)"),
            kUpdatePrefix +
                "The first operand must be distinct from the remaining operands for this operator or function; "
                "operator: if_not_exists, first operand: [b, c]");
}

TEST(Update, values_have_the_types_that_functions_take) {
  const std::tuple<const char*, Value, const char*, const char*> cases[] = {
      {"set a = list_append(:a, a)", s("a"), "list_append", "S"},
      {"set a = list_append(a, :a)", n(1), "list_append", "N"},
      {"set a = list_append(:a, a)", ss({"a"}), "list_append", "SS"},
      {"set a = list_append(:a, a)", map({}), "list_append", "M"},
      {"set a = a + :a", s("a"), "+", "S"},
      {"set a = :a + :a", s("a"), "+", "S"},
      {"set a = a + :a", list({}), "+", "L"},
      {"set a = :a - a", b("a"), "-", "B"},
      {"set a = a - :a", Value::null(), "-", "NULL"},
      {"set a = a - :a", Value::boolean(true), "-", "BOOL"}};
  for (const auto& [text, value, operation, type] : cases) {
    EXPECT_EQ(update_message(text, placeholders_of({{":a", value}})),
              kUpdatePrefix + "Incorrect operand type for operator or function; operator or function: " + operation +
                  ", operand type: " + type);
  }
}

// ---- AttributeUpdates.

LegacyUpdate legacy_update(std::string attribute, std::optional<UpdateAction> action, std::optional<Value> value) {
  return {.attribute = std::move(attribute), .action = action, .value = std::move(value)};
}

Result<Item> apply_updates(const std::vector<LegacyUpdate>& updates, const Item& item) {
  return compile_legacy_update(updates).apply(item);
}

TEST(LegacyUpdate, puts_by_default) {
  EXPECT_EQ(apply_updates({legacy_update("a", std::nullopt, n(2)), legacy_update("b", UpdateAction::kPut, n(3))},
                          Item{{"a", n(1)}}),
            (Item{{"a", n(2)}, {"b", n(3)}}));
}

TEST(LegacyUpdate, adds_numbers_sets_and_lists) {
  const Item item{{"n", n(1)}, {"t", ss({"a"})}, {"l", list({n(1)})}};
  const std::vector<LegacyUpdate> updates = {
      legacy_update("n", UpdateAction::kAdd, n(2)), legacy_update("t", UpdateAction::kAdd, ss({"a", "b"})),
      legacy_update("l", UpdateAction::kAdd, list({n(2)})), legacy_update("x", UpdateAction::kAdd, n(7))};
  EXPECT_EQ(apply_updates(updates, item),
            (Item{{"n", n(3)}, {"t", ss({"a", "b"})}, {"l", list({n(1), n(2)})}, {"x", n(7)}}));
}

TEST(LegacyUpdate, deletes_attributes_and_elements) {
  const Item item{{"a", n(1)}, {"t", ss({"a", "b"})}, {"u", ss({"a"})}, {"pk", s("k")}};
  const std::vector<LegacyUpdate> updates = {
      legacy_update("a", UpdateAction::kDelete, std::nullopt), legacy_update("t", UpdateAction::kDelete, ss({"a"})),
      legacy_update("u", UpdateAction::kDelete, ss({"a"})), legacy_update("gone", UpdateAction::kDelete, ss({"a"}))};
  EXPECT_EQ(apply_updates(updates, item), (Item{{"t", ss({"b"})}, {"pk", s("k")}}));
}

TEST(LegacyUpdate, types_must_match) {
  const Item item{{"a", s("x")}, {"t", ss({"a"})}};
  constexpr const char* kMismatch = "Type mismatch for attribute to update";
  EXPECT_EQ(message_of(apply_updates({legacy_update("a", UpdateAction::kAdd, n(1))}, item)), kMismatch);
  EXPECT_EQ(message_of(apply_updates({legacy_update("t", UpdateAction::kAdd, ns({"1"}))}, item)), kMismatch);
  EXPECT_EQ(message_of(apply_updates({legacy_update("t", UpdateAction::kDelete, ns({"1"}))}, item)), kMismatch);
}

TEST(LegacyUpdate, lists_what_it_writes) {
  const std::vector<LegacyUpdate> updates = {legacy_update("b", UpdateAction::kDelete, std::nullopt),
                                             legacy_update("a", UpdateAction::kPut, n(1))};
  const Update update = compile_legacy_update(updates);
  EXPECT_EQ(update.attributes(), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_FALSE(update.only_removes());
  EXPECT_EQ(update.touched_parts(Item{{"a", n(1)}, {"c", n(2)}}), (Item{{"a", n(1)}}));
  const std::vector<LegacyUpdate> removal = {legacy_update("b", UpdateAction::kDelete, std::nullopt)};
  EXPECT_TRUE(compile_legacy_update(removal).only_removes());
  const std::vector<LegacyUpdate> nothing;
  EXPECT_FALSE(compile_legacy_update(nothing).only_removes());
}

}  // namespace
}  // namespace trestle
