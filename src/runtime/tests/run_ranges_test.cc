// Ranges of reads: exactly the items whose field is between `from` and `to`, whatever follows the field in the key.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "design/check/check.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kRangesDesign = R"yaml(
design: ranges
version: 1
tables:
  shelves: {key: [PK, SK], indexes: {GSI1: {key: [GSI1PK, GSI1SK]}, byParts: {hash: [shelf], range: [title, number N]}}}
types: {Word: "string([a-c-], 1..4)"}
entities:
  Book:
    key: ["SHELF#{shelf}", "B#{title}#{number}"]
    fields: {shelf: Word, title: Word, number: int(1..999), genre: "enum(art, arts, a, war)"}
    index:
      byGenre: {on: GSI1, key: ["{shelf}", "{genre}#{title:lower}#{number}"]}
      byParts: {on: byParts, key: ["{shelf}", "{title}", "{number}"]}
reads:
  byTitle: {query: Book, range: title}
  byGenre: {query: Book.byGenre, range: genre}
  byParts: {query: Book.byParts, range: title}
writes:
  put: {put: Book}
)yaml";

TEST(Ranges, include_exactly_the_values_between_their_ends) {
  DesignWorld world(kRangesDesign);
  for (const auto& finding : design::check_design(*world.reading).findings)
    EXPECT_NE(finding.severity, design::Severity::kError) << finding.code << " " << finding.message;
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937_64 random(seed);
  const std::vector<std::string> genres = {"art", "arts", "a", "war"};
  const auto word = [&] {
    std::string text;
    for (size_t length = 1 + random() % 4; text.size() < length;) text.push_back("abc-"[random() % 4]);
    return text;
  };
  struct Book {
    std::string title, genre;
  };
  std::vector<Book> books;
  for (int number = 1; number <= 60; ++number) {
    books.push_back({word(), genres[random() % genres.size()]});
    world.ok("put", fmt::format(R"({{"shelf":"a","title":"{}","number":{},"genre":"{}"}})", books.back().title, number,
                                books.back().genre));
  }
  const auto check = [&](const std::string& read, std::string Book::* field, std::optional<std::string> from,
                         std::optional<std::string> to) {
    std::vector<std::string> expected, found;
    for (const Book& book : books) {
      if ((!from || book.*field >= *from) && (!to || book.*field <= *to)) expected.push_back(book.*field);
    }
    std::ranges::sort(expected);
    std::string inputs = R"({"shelf":"a")";
    if (from) inputs += fmt::format(R"(,"from":"{}")", *from);
    if (to) inputs += fmt::format(R"(,"to":"{}")", *to);
    const std::string name = field == &Book::title ? "title" : "genre";
    for (const Plain& one : world.walk(read, inputs + "}", 7)) found.push_back(one.member(name).string());
    EXPECT_EQ(found, expected) << read << " " << inputs;
  };
  for (int i = 0; i < 60; ++i) {
    const auto end = [&](auto text) { return random() % 4 == 0 ? std::nullopt : std::optional<std::string>(text); };
    const auto from = end(word()), to = end(word());
    check("byTitle", &Book::title, from, to);
    check("byParts", &Book::title, from, to);
    check("byGenre", &Book::genre, end(genres[random() % 4]), end(genres[random() % 4]));
  }
}

}  // namespace
}  // namespace trestle::runtime
