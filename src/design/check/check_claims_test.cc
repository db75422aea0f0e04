// Each check: a design that causes the finding, and the most similar one that does not.
#include <gtest/gtest.h>

#include "design/check/check_test_help.h"

namespace trestle::design {
namespace {

TEST(CheckLifecycle, T501_a_ttl_that_is_not_a_number_of_seconds) {
  EXPECT_TRUE(has("T501", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, ttl: string}}})y"));
  EXPECT_TRUE(has("T501", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, ttl: epoch(ms)}}})y"));
  EXPECT_FALSE(has("T501", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, ttl: epoch}}})y"));
}
TEST(CheckLifecycle, T502_a_ttl_in_another_case) {
  EXPECT_TRUE(has("T502", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, TTL: epoch}}})y"));
  EXPECT_FALSE(has("T502", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, ttl: epoch}}})y"));
}
TEST(CheckLifecycle, T503_expiry_in_a_table_without_ttl) {
  constexpr const char* kPlain =
      "design: test\ntables: {{t: {{key: [PK, SK]{}}}}}\nentities: {{A: {{key: [\"A#{{a}}\", X], fields: {{a: ulid, "
      "at: time}}, ttl: at + 1h}}}}\n";
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kPlain), "")).contains("T503"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kPlain), ", ttl: ttl")).contains("T503"));
}
TEST(CheckLifecycle, T505_packed_and_then_base64) {
  EXPECT_TRUE(has(
      "T505",
      R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, p: any}, pack: {p: {over: 1KB, saves: 30%, as: base64}}}})y"));
  EXPECT_FALSE(
      has("T505",
          R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, p: any}, pack: {p: {over: 1KB, saves: 30%}}}})y"));
}
TEST(CheckLifecycle, T506_T507_secrets) {
  EXPECT_TRUE(has("T506", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, p: string secret}}})y"));
  EXPECT_FALSE(has("T506", R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, p: string secret encrypted}}})y"));
  EXPECT_TRUE(has(
      "T507",
      R"y(entities: {A: {key: ["A#{a}", X], fields: {a: ulid, p: string encrypted}, index: {i: {on: G1, key: ["P#{p}", X]}}}})y"));
}
TEST(CheckLifecycle, T508_a_tally_without_a_stream) {
  constexpr const char* kTally = R"y(design: test
tables: {{t: {{key: [PK, SK]{}}}}}
entities: {{A: {{key: ["A#{{a}}", X], fields: {{a: ulid}}}}, M: {{key: [M, X], fields: {{n: counter}}}}}}
tallies: {{y: {{of: A, into: M, by: {{}}, add: {{n: 1}}, through: stream}}}}
)y";
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kTally), "")).contains("T508"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kTally), ", stream: new-and-old")).contains("T508"));
}
TEST(CheckLifecycle, T509_a_limit_that_cannot_count) {
  EXPECT_TRUE(has("T509",
                  "entities: {R: {key: [\"R#{ip}\", \"T#{at}\"], fields: {ip: ip, at: epoch, count: counter, budget: "
                  "int}}}\nlimits: {l: {in: R, window: 5m, slice: 1m, max: 5}}"));
  EXPECT_FALSE(has("T509",
                   "entities: {R: {key: [\"R#{ip}\", \"T#{at}\"], fields: {ip: ip, at: epoch(1m), count: counter, "
                   "budget: int}}}\nlimits: {l: {in: R, window: 5m, slice: 1m, max: 5}}"));
}

std::string claim(std::string_view statement, std::string_view more = "") {
  return fmt::format(R"y(entities:
  A: {{key: ["P#{{p}}", "A#{{a}}"], fields: {{p: ulid, a: ulid auto, n: string(..20), w: string, e: string encrypted, at: time auto}}, unique: {{u: "U#{{n}}"}}, index: {{i: {{on: G1, key: ["N#{{n}}", X]}}, j: {{on: G2, key: ["W#{{w}}", X], if: attribute_exists(w)}}}}, ttl: at + 1h, pack: {{w: {{over: 1KB, saves: 30%}}}}}}
  B: {{key: ["P#{{p}}", "B#{{at}}"], fields: {{p: ulid, at: time}}}}
  C: {{key: ["C#{{c}}", X], fields: {{c: ulid auto}}}}
reads:
  mixed: {{query: {{where: "PK = 'P#{{p}}'"}}, finds: [A]}}
  one: {{get: C}}
  two: {{takes: {{c: ulid, p: ulid, a: ulid}}, steps: [{{get: C, as: c1}}, {{get: A, as: a1}}]}}
{}
claims: [{{says: said, {}}}]
)y",
                     more, statement);
}

TEST(CheckClaims, T601_uniqueness_of_an_index) {
  EXPECT_TRUE(has("T601", claim("unique: A.j")));
  EXPECT_TRUE(has("T601", claim("unique: A.w")));
  EXPECT_FALSE(has("T601", claim("unique: A.i")));
}
TEST(CheckClaims, T602_a_guard_that_is_only_created) {
  constexpr const char* kGuard = R"y(entities:
  U: {{key: ["U#{{u}}", X], fields: {{u: ulid = ulid(), mail: email}}}}
  G: {{key: ["G#{{mail}}", X], fields: {{mail: email, u: ulid}}}}
writes:
  make: {{takes: {{mail: email}}, steps: [{{let: {{u: ulid()}}}}, {{atomic: [{{put: U, if: absent}}, {{put: G, if: absent}}]}}]}}
  {}
claims: [{{says: said, unique: U.mail}}]
)y";
  EXPECT_TRUE(has("T602", fmt::format(fmt::runtime(kGuard), "other: {delete: U}")));
  EXPECT_FALSE(has("T602", fmt::format(fmt::runtime(kGuard),
                                       "other: {takes: {mail: email, u: ulid}, atomic: [{delete: U}, {delete: G}]}")));
}
TEST(CheckClaims, T603_T604_separate_entities) {
  EXPECT_TRUE(has("T603", claim("distinct: [A, B]")));
  EXPECT_FALSE(has("T603", claim("distinct: [A, C]")));
  EXPECT_TRUE(has("T604", claim("isolated: all")));
  EXPECT_FALSE(has("T604",
                   "entities: {C: {key: [\"C#{c}\", X], fields: {c: ulid}}}\nreads: {r: {get: C}}\nclaims: [{says: "
                   "said, isolated: all}]"));
}
TEST(CheckClaims, T605_sort_keys_spread_nothing) { EXPECT_TRUE(has("T605", claim("spreads: A"))); }
TEST(CheckClaims, T606_encryption) {
  EXPECT_TRUE(has("T606", claim("encrypted: A.w")));
  EXPECT_FALSE(has("T606", claim("encrypted: A.e")));
}
TEST(CheckClaims, T607_T616_expiry) {
  EXPECT_TRUE(has("T607", claim("ttl: {B: 1d}")));
  EXPECT_TRUE(has("T607", claim("ttl: {A: 1d}")));
  EXPECT_FALSE(has("T607", claim("ttl: {A: 1h}")));
  EXPECT_TRUE(has("T616", claim("ttl: {A: 5m}")));
  EXPECT_FALSE(has("T616", claim("ttl: {A: 1h}")));
}
TEST(CheckClaims, T608_a_sparse_index) {
  EXPECT_TRUE(has("T608",
                  "entities: {C: {key: [\"C#{c}\", X], fields: {c: ulid}, index: {i: {on: G1, key: [ALL, "
                  "\"{c}\"]}}}}\nclaims: [{says: said, sparse: G1}]"));
  EXPECT_FALSE(has("T608", claim("sparse: G2")));
}
TEST(CheckClaims, T609_the_number_of_requests) {
  EXPECT_TRUE(has("T609", claim("requests: {two: 1}")));
  EXPECT_FALSE(has("T609", claim("requests: {two: 2}")));
  EXPECT_FALSE(has("T609", claim("requests: {one: 1}")));
}
TEST(CheckClaims, T610_T611_the_table) {
  constexpr const char* kTable =
      "design: test\ntables: {{t: {{key: [PK, SK]{}}}}}\nentities: {{C: {{key: [\"C#{{c}}\", X], fields: {{c: "
      "ulid}}}}}}\nclaims: [{{says: said, {}}}]\n";
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kTable), "", "stream: t")).contains("T610"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kTable), ", stream: new", "stream: t")).contains("T610"));
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kTable), "", "billing: {t: both}")).contains("T611"));
  EXPECT_TRUE(codes_of(fmt::format(fmt::runtime(kTable), "", "billing: {t: provisioned}")).contains("T611"));
  EXPECT_FALSE(codes_of(fmt::format(fmt::runtime(kTable), "", "billing: {t: on-demand}")).contains("T611"));
}
TEST(CheckClaims, T612_that_nothing_is_overwritten) {
  EXPECT_TRUE(has("T612", claim("keeps: B")));
  EXPECT_FALSE(has("T612", claim("keeps: A")));
}
TEST(CheckClaims, T613_T614_the_rest) {
  EXPECT_TRUE(has("T613", claim("saves: {A.w: 70%}")));
  EXPECT_FALSE(has("T613", claim("saves: {A.w: 30%}")));
  EXPECT_TRUE(has("T614", claim("partition: \"TAG#{t}\"")));
  EXPECT_FALSE(has("T614", claim("partition: \"P#{t}\"")));
}

}  // namespace
}  // namespace trestle::design
