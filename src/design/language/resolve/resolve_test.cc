// Names are resolved in every expression of the language: an unknown word is a mistake everywhere, and a word that is a
// value of the enum that it is compared with becomes that value.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "design/language/reader.h"

namespace trestle::design {
namespace {

// Returns a design in which `more` replaces a line or adds one.
std::string design_with(std::string_view more) {
  return fmt::format(R"y(design: x
tables: {{t: {{key: [PK, SK], stream: new-and-old, ttl: ttl, indexes: {{I: {{key: [a, b]}}}}}}}}
types: {{Line: {{sku: string, kind: "enum(book, toy)"}}}}
entities:
  O: {{key: ["O#{{o}}", O], fields: {{o: string, n: int, state: "enum(new, paid)", lines: list<Line>(..9)}}}}
  S: {{key: ["S#{{s}}", S], fields: {{s: string, paid: counter}}}}
  P: {{key: ["O#{{o}}", P], fields: {{o: string, p: int}}}}
  T: {{key: ["T#{{t}}", T], fields: {{t: string, state: "enum(old, new)"}}}}
{}
)y",
                     more);
}

// A line for each place that can contain an expression. @ stands for a condition on `state` of an O, preceded by its
// owner.
const std::vector<std::string>& places() {
  static const std::vector<std::string> all = {
      "tallies: {a: {of: O, into: S, by: {s: o}, add: {paid: 1}, when: \"@state = ?\"}}",
      "tallies: {a: {of: O, into: S, by: {s: o}, add: {paid: \"if(@state = ?, 1, 0)\"}}}",
      "reactions: {a: {on: O, if: \"old.state <> new.state AND @new.state = ?\", call: e}}",
      "reactions: {a: {on: O, if: \"new.state IN (?, new)\", call: e}}",
      "reactions: {a: {on: O, call: e, send: {p: \"if(new.state = ?, 1, 0)\"}}}",
      "reactions: {a: {on: O, do: w, with: {o: new.o, state: \"?\"}}}\n"
      "writes: {w: {update: O, takes: {o: string, state: O.state}}}",
      "reactions: {a: {on: O, call: e, then: w, with: {state: \"if($status = 'success', ?, new)\"}}}\n"
      "writes: {w: {update: O, takes: {o: string, state: O.state}}}",
      "reads: {r: {query: O, filter: \"@state = ?\"}}",
      "reads: {r: {get: O, returns: {a: \"item.state = ?\"}}}",
      "reads: {r: {query: O, returns: {a: {each: items, where: \"@state = ?\", of: o}}}}",
      "reads: {r: {takes: {o: string}, steps: [{get: O, as: x}], returns: {a: \"choose($x.state, ?, 1, new, 2)\"}}}",
      "reads: {r: {takes: {o: string}, steps: [{query: O, by: [o], as: rows}], returns: {a: {each: $rows, where: "
      "\"@state <> ?\", of: o}}}}",
      "reads: {r: {takes: {o: string}, steps: [{query: O, by: [o], as: rows}], returns: {a: {each: $rows, key: o, of: "
      "{p: \"if(@state = ?, 1, 0)\"}}}}}",
      "reads: {r: {takes: {o: string}, steps: [{get: O, as: x}, {let: {s: $x.state}}], returns: {a: \"$s = ?\"}}}",
      "reads: {r: {takes: {o: string, want: O.state}, steps: [{require: \"$want = ?\", else: 409}]}}",
      "writes: {w: {takes: {o: string}, update: O, set: {state: \"?\"}}}",
      "writes: {w: {takes: {o: string}, update: O, set: {state: \"if(n > 1, ?, new)\"}}}",
      "writes: {w: {takes: {o: string, s: O.state optional}, update: O, set: {state: \"coalesce($s, ?)\"}}}",
      "writes: {w: {takes: {o: string}, update: O, set: {n: 1}, if: \"@state = ?\"}}",
      "writes: {w: {takes: {o: string}, steps: [{get: O, as: x}, {update: O, set: {n: 1}, when: \"$x.state = ?\"}]}}"};
  return all;
}

std::string filled(std::string place, std::string_view owner, std::string_view word) {
  for (size_t at; (at = place.find('@')) != std::string::npos;) place.replace(at, 1, owner);
  for (size_t at; (at = place.find('?')) != std::string::npos;) place.replace(at, 1, word);
  return design_with(place);
}

std::string mistakes_of(const std::string& text) {
  std::string all;
  for (const Finding& mistake : read_design(text).mistakes) all += mistake.code + " " + mistake.message + "\n";
  return all;
}

TEST(Resolve, a_word_is_a_value_of_its_enum_or_a_mistake_at_every_place) {
  for (const std::string& place : places()) {
    EXPECT_EQ(mistakes_of(filled(place, "", "paid")), "") << place;
    EXPECT_TRUE(mistakes_of(filled(place, "", "bananas")).starts_with("T004")) << place;
    EXPECT_TRUE(mistakes_of(filled(place, "", "'bananas'")).starts_with("T004")) << place;
  }
}

TEST(Resolve, an_unknown_word_is_a_mistake_at_every_place) {
  for (const std::string& place : places()) {
    // An unknown field name.
    if (place.find('@') == std::string::npos) continue;
    EXPECT_TRUE(mistakes_of(filled(place, "not_", "1")).starts_with("T004")) << place;
  }
  for (const char* more : {
           "reads: {r: {query: O, returns: {a: {each: items, of: nosuch}}}}",
           "reads: {r: {query: O, returns: {a: {each: items, key: nosuch, of: o}}}}",
           "reads: {r: {query: O, returns: {a: {each: items, of: {each: lines, of: nosuch}}}}}",
           "reads: {r: {query: O, returns: {a: nosuch}}}",
           "reads: {r: {query: O, returns: {a: o}}}",
           "reactions: {a: {on: O, if: state = paid, call: e}}",
           "reactions: {a: {on: O, if: new.nosuch = 1, call: e}}",
           "reactions: {a: {on: O, call: e, send: {p: $asked}}}",
           "reactions: {a: {on: O, do: w, with: {nosuch: new.o}}}\nwrites: {w: {delete: O}}",
           "roles: {admin: \"groups = 'admin'\"}",
           "writes: {w: {takes: {ls: list<Line>(..9)}, atomic: [{for: $ls, as: l, do: [{put: S, set: {s: "
           "$l.nosuch}}]}]}}",
           "writes: {w: {takes: {ls: list<Line>(..9)}, atomic: [{for: $ls, as: l, do: [{put: S, set: {s: $l.sku}, "
           "when: "
           "\"$l.kind = car\"}]}]}}",
       })
    EXPECT_TRUE(mistakes_of(design_with(more)).starts_with("T004")) << more;
}

TEST(Resolve, fields_of_members_are_checked_only_if_they_are_known) {
  for (
      const char* more : {
          "reads: {r: {query: O, returns: {a: {each: items, of: {each: lines, where: kind = toy, of: sku}}}}}",
          "reads: {r: {takes: {o: string, x: any}, steps: [{query: O, by: [o], as: rows}], returns: {a: {each: $x, of: "
          "anything}, n: count($rows)}}}",
          "reads: {r: {query: [O, P], by: [o], returns: {a: {each: items, of: anything}}}}",
          "reads: {r: {takes: {o: string, t: string}, steps: [{query: O, by: [o], as: os}, {query: T, by: [t], as: "
          "ts}], "
          "returns: {a: {each: \"union($os, $ts)\", where: state = 'old', of: t}}}}",
          "reactions: {a: {on: O, call: e, ask: q, send: {p: $asked}, then: w, with: {state: new.state, o: "
          "$reply.o}}}\n"
          "reads: {q: {get: O}}\nwrites: {w: {update: O, takes: {o: string, state: O.state}}}",
          "reads: {r: {query: {table: t, where: \"PK = 'O#{o}'\"}, finds: [O, P], returns: {a: {each: items, of: "
          "anything}}}}",
          "roles: {tenant: caller.tenant = $tenant}",
          "writes: {w: {takes: {ls: list<Line>(..9)}, atomic: [{for: $ls, as: l, do: [{put: S, set: {s: $l.sku}, when: "
          "$l.kind = toy}]}]}}",
      })
    EXPECT_EQ(mistakes_of(design_with(more)), "") << more;
}

// A word that is a value of the enum that it is compared with denotes that value, even if a field has the same name.
TEST(Resolve, enum_values_may_have_the_name_of_a_field) {
  const Reading reading = read_design(design_with(
      "  C: {key: [\"S#{s}\", \"C#{c}\"], fields: {s: string, c: string, shelf: string(..9) optional, state: "
      "\"enum(shelf, lent) = shelf\"}}\n"
      "tallies:\n"
      "  shelved: {of: C, into: S, by: {s: s}, add: {paid: 1}, when: state = shelf}\n"
      "  other: {of: C, into: S, by: {s: s}, add: {paid: 1}, when: shelf = state}\n"));
  ASSERT_TRUE(reading.mistakes.empty()) << reading.mistakes[0].message;
  EXPECT_EQ(expression_text(*reading.design.tallies[0].when), "state = 'shelf'");
  EXPECT_EQ(expression_text(*reading.design.tallies[1].when), "'shelf' = state");
  EXPECT_TRUE(reading.design.entity("C")->field("state")->default_value->is(Expression::Kind::kText));
}

}  // namespace
}  // namespace trestle::design
