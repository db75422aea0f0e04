// Checks designs that a user is still editing: the shipped ones with lines and words removed, repeated, exchanged and
// misspelled. Whatever the file contains, the check reports findings and returns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "design/check/check.h"
#include "design/check/report.h"
#include "design/language/reader.h"
#include "design/plan/plan_text.h"

namespace trestle::design {
namespace {

#ifdef NDEBUG
constexpr int kDamagedDesigns = 300;
#else
constexpr int kDamagedDesigns = 60;
#endif

std::vector<std::string> shipped_texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(std::string(TRESTLE_SOURCE_FOLDER) + "/designs/examples"))
    if (file.path().extension() == ".yaml") paths.push_back(file.path());
  std::ranges::sort(paths);
  std::vector<std::string> out;
  for (const auto& path : paths) {
    std::ifstream file(path);
    out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return out;
}

class Damage {
 public:
  explicit Damage(uint64_t seed) : random_(seed) {}

  std::string of(std::string text) {
    for (size_t changes = 1 + below(3); changes > 0; --changes) {
      switch (below(6)) {
        case 0: {
          const auto [at, size] = line(text);
          text.erase(at, size);
          break;
        }
        case 1: {
          const auto [at, size] = line(text);
          text.insert(at, text.substr(at, size));
          break;
        }
        case 2: {
          const auto [at, size] = word(text);
          text.erase(at, size);
          break;
        }
        case 3: {
          const auto [from, from_size] = word(text);
          const std::string other = text.substr(from, from_size);
          const auto [at, size] = word(text);
          text.replace(at, size, other);
          break;
        }
        case 4: {
          const auto [at, size] = word(text);
          if (size > 0) text[at + below(size)] = static_cast<char>('a' + below(26));
          break;
        }
        default: {
          const size_t at = text.find_first_of("[]{}\":,#$()<>=", below(text.size() + 1));
          if (at != std::string::npos) text.erase(at, 1);
        }
      }
    }
    return text;
  }

 private:
  struct Range {
    size_t at;
    size_t size;
  };
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }

  Range line(const std::string& text) {
    if (text.empty()) return {0, 0};
    const size_t before = text.rfind('\n', below(text.size()));
    const size_t at = before == std::string::npos ? 0 : before + 1;
    const size_t end = text.find('\n', at);
    return {at, (end == std::string::npos ? text.size() : end + 1) - at};
  }
  Range word(const std::string& text) {
    const char* const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t at = text.find_first_of(letters, below(text.size() + 1));
    if (at == std::string::npos) return {text.size(), 0};
    const size_t end = text.find_first_not_of(letters, at);
    return {at, (end == std::string::npos ? text.size() : end) - at};
  }

  std::mt19937_64 random_;
};

// TRESTLE_DAMAGED_SEED=N checks only the design of that seed.
TEST(DamagedDesigns, are_checked_to_the_end) {
  const char* const only = std::getenv("TRESTLE_DAMAGED_SEED");
  const uint64_t first = only != nullptr ? std::strtoull(only, nullptr, 10) : 1;
  const auto texts = shipped_texts();
  ASSERT_FALSE(texts.empty());
  size_t refused = 0;
  for (uint64_t seed = first; seed < first + (only != nullptr ? 1 : kDamagedDesigns); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::string text = Damage(seed).of(texts[seed % texts.size()]);
    const Reading reading = read_design(text);
    const Report report = check_design(reading);
    EXPECT_FALSE(report_json("x", report).empty());
    refused += report.count(Severity::kError) > 0 ? 1 : 0;
    if (!reading.mistakes.empty()) continue;
    for (const Plan& plan : plan_design(reading.design)) EXPECT_FALSE(plan_text(reading.design, plan).empty());
  }
  if (only == nullptr) EXPECT_GT(refused, kDamagedDesigns / 4);
}

}  // namespace
}  // namespace trestle::design
