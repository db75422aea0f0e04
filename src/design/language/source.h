// Parses a design file into a tree of nodes with line and column, and the remarks (`# trestle: ...`) in its comments.
//
// Pure: no I/O. Accepts any bytes; rejects input that is too large or too deep before building it. YAML aliases are
// rejected, so that the text of a design means the same everywhere in the file. JSON is YAML too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/finding.h"

namespace trestle::design {

inline constexpr size_t kSourceBytesMax = 1024 * 1024;
inline constexpr size_t kSourceNodesMax = 100'000;
inline constexpr int kSourceDepthMax = 40;

struct Entry;

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;     // kScalar
  bool quoted = false;  // kScalar
  std::string tag;      // such as `!Ref`; empty: none. Designs do not use tags
  Place place;
  std::vector<Node> items;     // kList
  std::vector<Entry> entries;  // kMap, in file order; keys are distinct

  const Node* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Place place;  // of the key
  Node value;
};

// `# trestle: allow T203, T212 because the pages are small` suppresses findings of those codes on its own line, or, if
// it is alone on a line, on the next line that is not a comment.
struct Remark {
  Place place;
  int applies_to_line = 0;
  std::vector<std::string> codes;
  std::string reason;
};

struct Source {
  Node root;
  std::vector<Remark> remarks;
};

// The text of a scalar; empty for null pointers and other nodes.
std::string text_of(const Node* node);

// Adds mistakes to `findings`. Returns nothing if the text is not a YAML document or exceeds the limits.
std::optional<Source> read_source(std::string_view text, Findings& findings);

// The candidate closest to `word`, if `word` is likely a misspelling of it.
std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& candidates);
// "; did you mean `x`?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);
// Adds the mistake (T004) that there is no `what` named `name`, with the known names.
void mistake_unknown(Findings& findings, Place place, std::string_view what, std::string_view name,
                     const std::vector<std::string>& known);

}  // namespace trestle::design
