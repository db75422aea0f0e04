// Embeds the database in a program: opens a folder, creates a table, and counts its own runs.
//
//   cmake -S . -B build && cmake --build build && build/embedded /tmp/music
#include <cstdio>
#include <string>

#include "engine/engine.h"

using trestle::Item;
using trestle::Result;
using trestle::Value;

namespace {

Result<void> make_table(trestle::Database& database) {
  const auto there = database.describe_table({.table_name = "songs"});
  if (there.has_value()) return {};
  TRY(database.create_table({
      .table_name = "songs",
      .attribute_definitions = {{"artist", trestle::ValueType::kString}, {"title", trestle::ValueType::kString}},
      .key_schema = {{.attribute_name = "artist"}, {.attribute_name = "title", .is_range = true}},
      .billing_mode = trestle::BillingMode::kPayPerRequest,
  }));
  return {};
}

Result<std::string> play(trestle::Database& database, std::string_view artist, std::string_view title) {
  TRY_INTO(const auto reply, database.update_item({
                                 .table_name = "songs",
                                 .key = Item{{"artist", Value::string(artist)}, {"title", Value::string(title)}},
                                 .update_expression = "ADD plays :one",
                                 .placeholders = {.values = trestle::ValueMap{{":one", Value::number(1)}}},
                                 .return_values = trestle::ReturnValues::kUpdatedNew,
                             }));
  return std::string(reply.attributes->find("plays")->scalar());
}

Result<void> run(const std::string& folder) {
  TRY_INTO(const auto engine, trestle::Engine::open({.store = {.folder = folder}}));
  TRY(make_table(*engine));
  TRY(play(*engine, "Nina Simone", "Sinnerman"));
  TRY_INTO(const std::string plays, play(*engine, "Nina Simone", "Feeling Good"));
  trestle::QueryRequest songs;
  songs.table_name = "songs";
  songs.key_condition_expression = "artist = :artist";
  songs.placeholders.values = trestle::ValueMap{{":artist", Value::string("Nina Simone")}};
  TRY_INTO(const auto page, engine->query(songs));
  std::printf("%zu songs; Feeling Good was played %s times\n", page.items.size(), plays.c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: embedded FOLDER\n");
    return 2;
  }
  const auto ran = run(argv[1]);
  if (!ran.has_value()) std::fprintf(stderr, "embedded: %s\n", ran.error().message.c_str());
  return ran.has_value() ? 0 : 1;
}
