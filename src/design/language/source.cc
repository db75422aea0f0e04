#include "design/language/source.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/utf8.h"
#include "design/language/word.h"

namespace trestle::design {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      break;
  }
  return "error";
}

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

namespace {

// yaml-cpp reports the tag "?" for a plain value and "!" for a quoted one.
std::string tag_of(const std::string& tag) { return tag.size() > 1 && tag.front() == '!' ? tag : std::string(); }

Place place_of(const YAML::Mark& mark) { return {.line = mark.line + 1, .column = mark.column + 1}; }

// Builds the tree from YAML events. Keys that are not scalars, repeated keys and aliases are mistakes.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Findings& findings) : findings_(findings) {}

  Node take_root() { return std::move(root_); }
  bool overflowed() const { return overflowed_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    leaf({.kind = Node::Kind::kNull, .place = place_of(mark)});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    findings_.mistake("T001", place_of(mark), "aliases (`*name`) are not allowed in a design file",
                      "repeat the value where it is used");
    leaf({.kind = Node::Kind::kNull, .place = place_of(mark)});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    leaf({.kind = Node::Kind::kScalar,
          .text = value,
          .quoted = tag == "!",
          .tag = tag_of(tag),
          .place = place_of(mark)});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open({.kind = Node::Kind::kList, .tag = tag_of(tag), .place = place_of(mark)});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open({.kind = Node::Kind::kMap, .tag = tag_of(tag), .place = place_of(mark)});
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    std::optional<Entry> key;  // of a map: the key read last, until its value is read
  };

  void leaf(Node node) {
    if (++nodes_ > kSourceNodesMax) overflowed_ = true;
    if (!overflowed_) attach(std::move(node));
  }
  void open(Node node) {
    if (++nodes_ > kSourceNodesMax || stack_.size() >= kSourceDepthMax) overflowed_ = true;
    if (overflowed_) {
      ++skipped_;
      return;
    }
    stack_.push_back({std::move(node), std::nullopt});
  }
  void close() {
    if (skipped_ > 0) {
      --skipped_;
      return;
    }
    if (stack_.empty()) return;
    Node node = std::move(stack_.back().node);
    stack_.pop_back();
    if (!overflowed_) attach(std::move(node));
  }
  void attach(Node node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.kind == Node::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      if (node.kind != Node::Kind::kScalar) {
        findings_.mistake("T001", node.place, "expected a name before the colon", "write `name: value`");
      }
      parent.key = Entry{.key = node.text, .place = node.place, .value = {}};
    } else {
      parent.key->value = std::move(node);
      if (parent.node.find(parent.key->key) != nullptr) {
        findings_.mistake("T001", parent.key->place, fmt::format("duplicate key `{}`", parent.key->key),
                          "remove one of them");
      } else {
        parent.node.entries.push_back(std::move(*parent.key));
      }
      parent.key.reset();
    }
  }

  Findings& findings_;
  std::vector<Open> stack_;
  Node root_;
  size_t nodes_ = 0;
  size_t skipped_ = 0;
  bool overflowed_ = false;
};

bool is_code(std::string_view word) {
  return word.size() == 4 && word[0] == 'T' &&
         std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Parses a remark; `text` begins after "# trestle:".
Remark read_remark(std::string_view text, Place place, Findings& findings) {
  constexpr const char* kForm = "write `# trestle: allow T203 because <reason>`";
  Remark remark{.place = place};
  text = trim(text);
  if (!text.starts_with("allow ")) {
    findings.mistake("T006", place, "malformed remark to Trestle", kForm);
    return remark;
  }
  text.remove_prefix(6);
  const size_t because = text.find("because");
  std::string_view codes = text.substr(0, because);
  remark.reason = because == std::string_view::npos ? "" : std::string(trim(text.substr(because + 7)));
  while (!codes.empty()) {
    const size_t end = std::min(codes.find_first_of(", "), codes.size());
    std::string_view word = codes.substr(0, end);
    codes.remove_prefix(std::min(end + 1, codes.size()));
    if (word.empty()) continue;
    if (!is_code(word)) {
      findings.mistake("T006", place, fmt::format("`{}` is not a finding code", word), kForm);
    } else {
      remark.codes.emplace_back(word);
    }
  }
  if (remark.reason.empty()) {
    findings.mistake("T006", place, "a finding can be suppressed only with a reason", kForm);
    remark.codes.clear();
  }
  return remark;
}

std::vector<Remark> read_remarks(std::string_view text, Findings& findings) {
  constexpr std::string_view kMark = "# trestle:";
  std::vector<Remark> remarks;
  size_t waiting =
      0;  // remarks from this index on are alone on their line and apply to the next line that is not a comment
  for (int line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view content = trim(row);
    const size_t mark = row.find(kMark);
    if (mark != std::string_view::npos) {
      remarks.push_back(read_remark(row.substr(mark + kMark.size()), {line, static_cast<int>(mark) + 1}, findings));
      if (!content.starts_with('#')) remarks.back().applies_to_line = line;
    }
    if (!content.empty() && !content.starts_with('#')) {
      for (size_t i = waiting; i < remarks.size(); ++i) remarks[i].applies_to_line = line;
      waiting = remarks.size();
    }
  }
  return remarks;
}

}  // namespace

std::string text_of(const Node* node) { return node == nullptr ? std::string() : node->text; }

std::optional<Source> read_source(std::string_view text, Findings& findings) {
  if (text.size() > kSourceBytesMax) {
    findings.mistake("T001", {1, 1}, fmt::format("the file is larger than {} bytes", kSourceBytesMax),
                     "split the design");
    return std::nullopt;
  }
  if (!is_utf8(text) || text.find('\0') != text.npos) {
    findings.mistake("T001", {1, 1}, "the file is not UTF-8 text", "a design is a YAML file");
    return std::nullopt;
  }
  TreeBuilder builder(findings);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      findings.mistake("T001", {1, 1}, "the file is empty", "begin with `design: <name>`");
      return std::nullopt;
    }
  } catch (const YAML::Exception& error) {
    findings.mistake("T001", place_of(error.mark), "this is not YAML: " + error.msg);
    return std::nullopt;
  }
  if (builder.overflowed()) {
    findings.mistake("T001", {1, 1}, "the file has too many or too deeply nested values", "split the design");
    return std::nullopt;
  }
  return Source{.root = builder.take_root(), .remarks = read_remarks(text, findings)};
}

std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  const auto folded = [](std::string_view text) {
    std::string out;
    for (char c : text.substr(0, 64)) {
      if (c != '_' && c != '-') out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
    return out;
  };
  const std::string a = folded(word);
  size_t best = a.size() / 3 + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    const std::string b = folded(candidate);
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= b.size(); ++j) {
        const size_t above = row[j];
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    if (row[b.size()] < best || (row[b.size()] == best && !found && best < std::max(a.size(), b.size()))) {
      best = row[b.size()];
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto nearest = nearest_word(word, candidates);
  return nearest ? fmt::format("; did you mean `{}`?", *nearest) : "";
}

void mistake_unknown(Findings& findings, Place place, std::string_view what, std::string_view name,
                     const std::vector<std::string>& known) {
  findings.mistake("T004", place, fmt::format("there is no {} `{}`{}", what, name, did_you_mean(name, known)),
                   known.empty() || known.size() > 40 ? "" : fmt::format("one of: {}", fmt::join(known, ", ")));
}

}  // namespace trestle::design
