// T118, T119: names and numbers of indexes that DynamoDB rejects when a table is created.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "design/check/check_impl.h"
#include "model/limits.h"

namespace trestle::design {
namespace {

constexpr size_t kNameBytesMin = 3;
constexpr size_t kNameBytesMax = 255;

void name_refused(std::string_view kind, const std::string& name, Place place, Findings& findings) {
  const bool characters = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
  if (characters && name.size() >= kNameBytesMin && name.size() <= kNameBytesMax) return;
  findings.add("T118", Severity::kError, place,
               fmt::format("DynamoDB rejects `{}` as the name of {}: a name has {} to {} characters from a-z, A-Z, "
                           "0-9, '_', '-' and '.'",
                           name, kind, kNameBytesMin, kNameBytesMax),
               "choose another name");
}

void table_limits(const Table& table, Findings& findings) {
  name_refused("a table", table.name, table.place, findings);
  size_t local = 0;
  for (const Index& index : table.indexes) {
    name_refused("an index", index.name, index.place, findings);
    local += index.local ? 1 : 0;
  }
  const auto most = [&](size_t count, size_t limit, std::string_view kind) {
    if (count <= limit) return;
    findings.add(
        "T119", Severity::kError, table.place,
        fmt::format("table {} has {} {} indexes, but DynamoDB allows at most {}", table.name, count, kind, limit),
        "let several entities share an index (GSI1PK, GSI1SK), each with its own prefix");
  };
  most(table.indexes.size() - local, kGlobalIndexesMax, "global");
  most(local, kLocalIndexesMax, "local");
}

}  // namespace

void check_tables(const CheckContext& context, Findings& findings) {
  for (const Table& table : context.design.tables) table_limits(table, findings);
}

}  // namespace trestle::design
