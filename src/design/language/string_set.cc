#include "design/language/string_set.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>

namespace trestle::design {

CharSet chars_between(char first, char last) {
  CharSet set;
  for (int c = static_cast<unsigned char>(first); c <= static_cast<unsigned char>(last); ++c)
    set.set(static_cast<size_t>(c));
  return set;
}
CharSet chars_of(std::string_view characters) {
  CharSet set;
  for (char c : characters) set.set(static_cast<unsigned char>(c));
  return set;
}
CharSet printable_chars() {
  CharSet set;
  for (size_t c = 0x20; c < 256; ++c) set.set(c);
  set.reset(0x7f);
  return set;
}

StringSet StringSet::literal(std::string_view text) {
  StringSet set;
  for (char c : text) set.segments_.push_back({.characters = chars_of({&c, 1})});
  return set;
}
StringSet StringSet::repeat(const CharSet& characters, size_t min, size_t max) {
  StringSet set;
  set.segments_.push_back({.characters = characters, .min = min, .max = max});
  return set;
}
StringSet StringSet::one_of(const std::vector<std::string>& texts) {
  std::vector<StringSet> choices;
  for (const std::string& text : texts) choices.push_back(literal(text));
  return either(std::move(choices));
}
StringSet StringSet::either(std::vector<StringSet> choices) {
  StringSet set;
  Segment segment;
  for (StringSet& choice : choices) segment.choices.push_back(std::move(choice.segments_));
  set.segments_.push_back(std::move(segment));
  return set;
}
StringSet StringSet::anything() { return repeat(CharSet().set(), 0, kUnbounded); }

StringSet& StringSet::then(const StringSet& next) {
  segments_.insert(segments_.end(), next.segments_.begin(), next.segments_.end());
  return *this;
}

namespace {

size_t longest_of(const std::vector<StringSet::Segment>& segments) {
  size_t sum = 0;
  for (const auto& segment : segments) {
    size_t most = segment.max;
    if (!segment.choices.empty()) {
      most = 0;
      for (const auto& choice : segment.choices) most = std::max(most, longest_of(choice));
    }
    if (most == StringSet::kUnbounded) return most;
    sum += most;
  }
  return sum;
}

using Places = std::vector<bool>;  // whether each offset in a text is reachable

// The offsets in `text` where the segments can end if they begin at an offset in `from`. Approximates long repeats
// exactly as the automaton does.
Places places_after(const std::vector<StringSet::Segment>& segments, std::string_view text, Places from) {
  for (const auto& segment : segments) {
    Places ends(text.size() + 1, false);
    for (const auto& choice : segment.choices) {
      const Places after = places_after(choice, text, from);
      for (size_t i = 0; i < ends.size(); ++i) ends[i] = ends[i] || after[i];
    }
    if (segment.choices.empty()) {
      const size_t least = std::min(segment.min, StringSet::kRepeatExact);
      const bool is_bounded = segment.max != StringSet::kUnbounded && segment.max - least <= StringSet::kRepeatExact;
      const size_t most = is_bounded ? segment.max : text.size();
      for (size_t start = 0; start < from.size(); ++start) {
        if (!from[start]) continue;
        for (size_t count = 0; count <= most; ++count) {
          if (count >= least) ends[start + count] = true;
          if (start + count == text.size() || !segment.characters.test(static_cast<unsigned char>(text[start + count])))
            break;
        }
      }
    }
    from = std::move(ends);
  }
  return from;
}

// A nondeterministic finite automaton: `edges` read one character, `jumps` read none. State 0 is the start state,
// `accept` the accepting one.
struct Automaton {
  struct Edge {
    CharSet characters;
    int to;
    int part;  // index of the template part that reads the character
  };
  struct State {
    std::vector<Edge> edges;
    std::vector<int> jumps;
  };
  std::vector<State> states{1};
  int accept = 0;

  int add() {
    states.emplace_back();
    return static_cast<int>(states.size()) - 1;
  }
  // Appends `segments` after state `from`; returns the state reached.
  int append(int from, const std::vector<StringSet::Segment>& segments, int part) {
    for (const auto& segment : segments) from = append(from, segment, part);
    return from;
  }
  int append(int from, const StringSet::Segment& segment, int part) {
    if (!segment.choices.empty()) {
      const int end = add();
      for (const auto& choice : segment.choices) {
        const int start = add();
        states[static_cast<size_t>(from)].jumps.push_back(start);
        const int last = append(start, choice, part);
        states[static_cast<size_t>(last)].jumps.push_back(end);
      }
      return end;
    }
    const size_t required = std::min(segment.min, StringSet::kRepeatExact);
    for (size_t i = 0; i < required; ++i) from = step(from, segment, part);
    if (segment.max == StringSet::kUnbounded || segment.max - required > StringSet::kRepeatExact) {
      const int loop = add();
      states[static_cast<size_t>(from)].jumps.push_back(loop);
      states[static_cast<size_t>(loop)].edges.push_back({segment.characters, loop, part});
      return loop;
    }
    const int end = add();
    for (size_t i = required; i < segment.max; ++i) {
      states[static_cast<size_t>(from)].jumps.push_back(end);
      from = step(from, segment, part);
    }
    states[static_cast<size_t>(from)].jumps.push_back(end);
    return end;
  }
  int step(int from, const StringSet::Segment& segment, int part) {
    const int to = add();
    states[static_cast<size_t>(from)].edges.push_back({segment.characters, to, part});
    return to;
  }
};

Automaton automaton_of(const std::vector<StringSet>& parts) {
  Automaton automaton;
  int at = 0;
  for (size_t i = 0; i < parts.size(); ++i) at = automaton.append(at, parts[i].segments(), static_cast<int>(i));
  automaton.accept = at;
  return automaton;
}

// A printable character for examples, if the set has one.
char pleasant_char(const CharSet& characters) {
  for (char c : std::string_view("1aA0xb#.:-_+@/")) {
    if (characters.test(static_cast<unsigned char>(c))) return c;
  }
  for (size_t c = 0x21; c < 0x7f; ++c) {
    if (characters.test(c)) return static_cast<char>(c);
  }
  for (size_t c = 0; c < 256; ++c) {
    if (characters.test(c)) return static_cast<char>(c);
  }
  return '?';
}

// Walks two automata in parallel over the same characters, breadth first. `parted` records whether the two have read
// some character in different template parts. Returns the first string after which both accept and, if `must_part`,
// have parted.
std::optional<std::string> walk_together(const Automaton& a, const Automaton& b, bool must_part) {
  struct Step {
    int p, q;
    bool parted;
    int from;
    int character;  // -1: none read
  };
  std::vector<Step> steps;
  std::unordered_map<uint64_t, bool> seen;
  std::deque<int> queue;
  const auto reach = [&](int p, int q, bool parted, int from, int character) {
    const uint64_t id = (static_cast<uint64_t>(p) << 33) | (static_cast<uint64_t>(q) << 1) | (parted ? 1 : 0);
    if (!seen.emplace(id, true).second) return;
    steps.push_back({p, q, parted, from, character});
    // Visit moves without a character first, so that the result is short.
    if (character < 0)
      queue.push_front(static_cast<int>(steps.size()) - 1);
    else
      queue.push_back(static_cast<int>(steps.size()) - 1);
  };
  reach(0, 0, false, -1, -1);
  while (!queue.empty()) {
    const int index = queue.front();
    queue.pop_front();
    const Step step = steps[static_cast<size_t>(index)];
    if (step.p == a.accept && step.q == b.accept && (step.parted || !must_part)) {
      std::string text;
      for (int i = index; i >= 0; i = steps[static_cast<size_t>(i)].from) {
        const int character = steps[static_cast<size_t>(i)].character;
        if (character >= 0) text.push_back(static_cast<char>(character));
      }
      std::reverse(text.begin(), text.end());
      return text;
    }
    const auto& p = a.states[static_cast<size_t>(step.p)];
    const auto& q = b.states[static_cast<size_t>(step.q)];
    for (int to : p.jumps) reach(to, step.q, step.parted, index, -1);
    for (int to : q.jumps) reach(step.p, to, step.parted, index, -1);
    for (const auto& left : p.edges) {
      for (const auto& right : q.edges) {
        const CharSet shared = left.characters & right.characters;
        if (shared.none()) continue;
        reach(left.to, right.to, step.parted || left.part != right.part, index,
              static_cast<unsigned char>(pleasant_char(shared)));
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool StringSet::contains(std::string_view text) const {
  Places places(text.size() + 1, false);
  places[0] = true;
  return places_after(segments_, text, std::move(places)).back();
}
size_t StringSet::longest() const { return longest_of(segments_); }

std::optional<std::string> StringSet::common(const StringSet& a, const StringSet& b) {
  return walk_together(automaton_of({a}), automaton_of({b}), false);
}

std::optional<std::string> ambiguous_string(const std::vector<StringSet>& parts) {
  const Automaton automaton = automaton_of(parts);
  return walk_together(automaton, automaton, true);
}

}  // namespace trestle::design
