#include "engine/statements/statement_plan.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "engine/items/key_range.h"
#include "expression/operand_check.h"
#include "model/limits.h"

namespace trestle {
namespace {

constexpr size_t kReadsMax = 50;
constexpr size_t kBranchesMax = 1000;  // decomposition stops here

struct Branch {
  std::optional<ValueView> hash;
  std::optional<KeyTerm> range;
  bool two_hashes = false;
  bool range_negated = false;
  bool exact = true;
  std::vector<std::string_view> attributes;
};

// A term on one top-level attribute: attribute <comparison> value. If the value is on the left side, the
// sides are swapped.
struct Term {
  std::string_view attribute;
  Comparison comparison = Comparison::kEqual;
  uint32_t value = 0;
};

Comparison mirrored(Comparison comparison) {
  switch (comparison) {
    case Comparison::kLess:
      return Comparison::kGreater;
    case Comparison::kLessOrEqual:
      return Comparison::kGreaterOrEqual;
    case Comparison::kGreater:
      return Comparison::kLess;
    case Comparison::kGreaterOrEqual:
      return Comparison::kLessOrEqual;
    default:
      return comparison;
  }
}

std::optional<std::string_view> attribute_of(const PartiqlNode& node) {
  if (node.kind != PartiqlKind::kPath || node.path.size() != 1) return std::nullopt;
  return node.path.front().name;
}

std::optional<Term> term_of(const PartiqlStatement& statement, const PartiqlLowering& lowering,
                            const PartiqlNode& node) {
  if (node.kind != PartiqlKind::kComparison) return std::nullopt;
  const PartiqlNode& left = statement.child(node, 0);
  const PartiqlNode& right = statement.child(node, 1);
  if (const auto attribute = attribute_of(left); attribute && lowering.is_value(right)) {
    return Term{*attribute, node.comparison, node.children[1]};
  }
  if (const auto attribute = attribute_of(right); attribute && lowering.is_value(left)) {
    return Term{*attribute, mirrored(node.comparison), node.children[0]};
  }
  return std::nullopt;
}

KeyComparison key_comparison(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return KeyComparison::kEqual;
    case Comparison::kLess:
      return KeyComparison::kLess;
    case Comparison::kLessOrEqual:
      return KeyComparison::kLessOrEqual;
    case Comparison::kGreater:
      return KeyComparison::kGreater;
    case Comparison::kGreaterOrEqual:
      return KeyComparison::kGreaterOrEqual;
    case Comparison::kNotEqual:
      break;
  }
  return KeyComparison::kNotIndexable;
}

bool same(const KeyTerm& a, const KeyTerm& b) {
  return a.comparison == b.comparison && a.first == b.first && a.second == b.second;
}

class Decomposition {
 public:
  Decomposition(const PartiqlStatement& statement, const PartiqlLowering& lowering, const KeySchema& key,
                std::deque<Value>& values)
      : statement_(statement),
        lowering_(lowering),
        hash_(key.hash.front().name),
        range_(key.range.empty() ? std::string_view() : std::string_view(key.range.front().name)),
        values_(values) {}

  // Decomposes the condition into branches. Returns nothing if there are more than kBranchesMax.
  Result<std::optional<std::vector<Branch>>> branches(const PartiqlNode& node) {
    if (node.kind == PartiqlKind::kAnd) {
      std::vector<Branch> all(1);
      for (uint32_t child : node.children) {
        TRY_INTO(const auto more, branches(statement_.node(child)));
        if (!more || all.size() * more->size() > kBranchesMax) return std::nullopt;
        std::vector<Branch> next;
        for (const Branch& a : all) {
          for (const Branch& b : *more) next.push_back(combine(a, b));
        }
        all = std::move(next);
      }
      return all;
    }
    if (node.kind == PartiqlKind::kOr && mentions_key(node)) {
      std::vector<Branch> all;
      for (uint32_t child : node.children) {
        TRY_INTO(auto more, branches(statement_.node(child)));
        if (!more || all.size() + more->size() > kBranchesMax) return std::nullopt;
        std::ranges::move(*more, std::back_inserter(all));
      }
      return all;
    }
    TRY_INTO(auto result, leaf(node));
    return result;
  }

  // Whether every branch fixes the partition key. Works for any number of branches.
  bool fixes_partition(const PartiqlNode& node) const {
    switch (node.kind) {
      case PartiqlKind::kAnd:
        return std::ranges::any_of(node.children,
                                   [&](uint32_t child) { return fixes_partition(statement_.node(child)); });
      case PartiqlKind::kOr:
        return std::ranges::all_of(node.children,
                                   [&](uint32_t child) { return fixes_partition(statement_.node(child)); });
      case PartiqlKind::kIn:
        return attribute_of(statement_.child(node, 0)) == hash_;
      default: {
        const auto term = term_of(statement_, lowering_, node);
        return term && term->attribute == hash_ && term->comparison == Comparison::kEqual;
      }
    }
  }

 private:
  bool is_key(std::string_view attribute) const {
    return attribute == hash_ || (!range_.empty() && attribute == range_);
  }

  bool mentions_key(const PartiqlNode& node) const {
    if (node.kind == PartiqlKind::kAnd || node.kind == PartiqlKind::kOr) {
      return std::ranges::any_of(node.children, [&](uint32_t child) { return mentions_key(statement_.node(child)); });
    }
    if (const auto term = term_of(statement_, lowering_, node)) return is_key(term->attribute);
    if (node.kind == PartiqlKind::kIn || node.kind == PartiqlKind::kBetween) {
      const auto attribute = attribute_of(statement_.child(node, 0));
      return attribute && is_key(*attribute);
    }
    if (node.kind == PartiqlKind::kFunction && node.text == "begins_with" && !node.children.empty()) {
      return attribute_of(statement_.child(node, 0)) == range_;
    }
    return false;
  }

  Result<ValueView> value_of(uint32_t node) {
    TRY_INTO(Value value, lowering_.value(node));
    return values_.emplace_back(std::move(value)).view();
  }

  Result<std::vector<Branch>> leaf(const PartiqlNode& node) {
    if (const auto term = term_of(statement_, lowering_, node)) {
      if (term->attribute == hash_ && term->comparison == Comparison::kEqual) {
        TRY_INTO(const ValueView value, value_of(term->value));
        return std::vector<Branch>{{.hash = value}};
      }
      if (term->attribute == range_ && !range_.empty() && term->comparison != Comparison::kNotEqual) {
        TRY_INTO(const ValueView value, value_of(term->value));
        return std::vector<Branch>{
            {.range = KeyTerm{.attribute = range_, .comparison = key_comparison(term->comparison), .first = value}}};
      }
    }
    if (node.kind == PartiqlKind::kIn) return in_leaf(node);
    if (node.kind == PartiqlKind::kBetween && !range_.empty() && attribute_of(statement_.child(node, 0)) == range_ &&
        lowering_.is_value(statement_.child(node, 1)) && lowering_.is_value(statement_.child(node, 2))) {
      TRY_INTO(const ValueView low, value_of(node.children[1]));
      TRY_INTO(const ValueView high, value_of(node.children[2]));
      return std::vector<Branch>{{.range = KeyTerm{range_, KeyComparison::kBetween, low, high}}};
    }
    if (node.kind == PartiqlKind::kFunction && node.text == "begins_with" && node.children.size() == 2 &&
        !range_.empty() && attribute_of(statement_.child(node, 0)) == range_ &&
        lowering_.is_value(statement_.child(node, 1))) {
      TRY_INTO(const ValueView prefix, value_of(node.children[1]));
      if (prefix.type() == ValueType::kString || prefix.type() == ValueType::kBinary) {
        return std::vector<Branch>{{.range = KeyTerm{range_, KeyComparison::kBeginsWith, prefix, {}}}};
      }
    }
    return std::vector<Branch>{filter_branch(node)};
  }

  Result<std::vector<Branch>> in_leaf(const PartiqlNode& node) {
    const auto attribute = attribute_of(statement_.child(node, 0));
    if (!attribute || !is_key(*attribute)) return std::vector<Branch>{filter_branch(node)};
    TRY_INTO(std::vector<Value> operands, lowering_.in_values(node));
    if (operands.size() > kInOperandsMax) {
      return invalid(too_many_operands(operands.size()));
    }
    std::vector<Branch> result;
    for (Value& value : operands) {
      const ValueView view = values_.emplace_back(std::move(value)).view();
      if (*attribute == hash_) {
        result.push_back({.hash = view});
      } else {
        result.push_back({.range = KeyTerm{range_, KeyComparison::kEqual, view, {}}});
      }
    }
    return result;
  }

  // A branch for a term that only the filter can evaluate.
  Branch filter_branch(const PartiqlNode& node) const {
    Branch branch{.exact = false};
    collect(node, branch);
    const bool negates = node.kind == PartiqlKind::kNot ||
                         (node.kind == PartiqlKind::kComparison && node.comparison == Comparison::kNotEqual);
    branch.range_negated =
        negates && !range_.empty() && std::ranges::find(branch.attributes, range_) != branch.attributes.end();
    std::erase_if(branch.attributes, [&](std::string_view attribute) { return is_key(attribute); });
    return branch;
  }

  void collect(const PartiqlNode& node, Branch& branch) const {
    if (node.kind == PartiqlKind::kPath) branch.attributes.push_back(node.path.front().name);
    for (uint32_t child : node.children) collect(statement_.node(child), branch);
  }

  static Branch combine(const Branch& a, const Branch& b) {
    Branch result = a;
    if (!result.hash) {
      result.hash = b.hash;
    } else if (b.hash && *b.hash != *result.hash) {
      result.two_hashes = true;
    }
    if (!result.range) {
      result.range = b.range;
    } else if (b.range && !same(*result.range, *b.range)) {
      result.exact = false;
      if (b.range->comparison == KeyComparison::kEqual) result.range = b.range;
    }
    result.two_hashes |= b.two_hashes;
    result.range_negated |= b.range_negated;
    result.exact &= b.exact;
    result.attributes.insert(result.attributes.end(), b.attributes.begin(), b.attributes.end());
    return result;
  }

  const PartiqlStatement& statement_;
  const PartiqlLowering& lowering_;
  std::string_view hash_;
  std::string_view range_;
  std::deque<Value>& values_;
};

// DynamoDB reads multiple partitions in the order of the MD5 digests of their keys.
std::array<unsigned char, 16> digest(ValueView value) {
  std::array<unsigned char, 16> out{};
  unsigned size = 0;
  const std::string_view bytes = value.scalar();
  EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_md5(), nullptr);
  return out;
}

Result<void> check_types(const std::vector<Branch>& branches, const KeySchema& key) {
  for (const Branch& branch : branches) {
    TRY(check_key_value(key.hash.front(), *branch.hash));
    if (!branch.range) continue;
    TRY(check_key_value(key.range.front(), branch.range->first));
    if (branch.range->comparison == KeyComparison::kBetween) {
      TRY(check_key_value(key.range.front(), branch.range->second));
    }
  }
  return {};
}

// Merges the branches of each partition that has a branch with a negated sort key into one read of the whole partition.
void merge_negated(std::vector<Branch>& branches) {
  for (size_t i = 0; i < branches.size(); ++i) {
    const auto same_partition = [&](const Branch& branch) { return *branch.hash == *branches[i].hash; };
    const auto negated = [&](const Branch& branch) { return same_partition(branch) && branch.range_negated; };
    if (std::ranges::count_if(branches, same_partition) < 2 || std::ranges::none_of(branches, negated)) continue;
    branches[i].range.reset();
    branches[i].exact = false;
    for (size_t j = branches.size(); --j > i;) {
      if (!same_partition(branches[j])) continue;
      branches[i].attributes.insert(branches[i].attributes.end(), branches[j].attributes.begin(),
                                    branches[j].attributes.end());
      branches.erase(branches.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

Result<void> check_disjoint(const std::vector<KeyRead>& reads) {
  if (reads.size() < 2) return {};
  std::vector<KeyRange> ranges;
  for (const KeyRead& read : reads) ranges.push_back(selected_range(0, read.selection()));
  std::ranges::sort(ranges, {}, &KeyRange::begin);
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin < ranges[i - 1].end && ranges[i].begin < ranges[i].end) {
      return invalid("Overlapping conditions with range keys are not supported in where clause");
    }
  }
  return {};
}

void sort_reads(const PartiqlStatement& statement, const KeySchema& key, SelectPlan& plan) {
  std::optional<bool> hash_descending;
  bool range_named = false;
  for (const PartiqlOrder& by : statement.order) {
    if (by.attribute == key.hash.front().name) {
      hash_descending = by.descending;
    } else {
      range_named = true;
      plan.backward = by.descending;
    }
  }
  // With ORDER BY only on the partition key, DynamoDB returns each partition in reverse order.
  if (!statement.order.empty() && !range_named) plan.backward = true;
  const auto range_order = [&](const KeyRead& a, const KeyRead& b) {
    const std::string first = selected_range(0, a.selection()).begin;
    const std::string second = selected_range(0, b.selection()).begin;
    return plan.backward ? second < first : first < second;
  };
  std::ranges::stable_sort(plan.reads, [&](const KeyRead& a, const KeyRead& b) {
    if (a.hash == b.hash) return range_order(a, b);
    if (!hash_descending) return digest(a.hash) < digest(b.hash);
    const auto order = *compare(a.hash, b.hash);
    return *hash_descending ? order > 0 : order < 0;
  });
}

Result<void> check_order(const PartiqlStatement& statement, const KeySchema& key) {
  if (statement.order.empty()) return {};
  if (!statement.where) return invalid("Must have WHERE clause in the statement when using ORDER BY clause.");
  for (const PartiqlOrder& by : statement.order) {
    if (key.contains(by.attribute)) continue;
    return invalid(fmt::format("Attribute {} in ORDER BY clause must be part of the primary key", by.attribute));
  }
  return {};
}

Result<void> check_ordered_reads(const PartiqlStatement& statement, const KeySchema& key,
                                 const std::vector<KeyRead>& reads) {
  if (statement.order.empty()) return {};
  if (reads.empty()) {
    return invalid(
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.");
  }
  const bool single_partition =
      std::ranges::all_of(reads, [&](const KeyRead& read) { return read.hash == reads.front().hash; });
  const auto is_hash = [&](const PartiqlOrder& by) { return by.attribute == key.hash.front().name; };
  if (single_partition || std::ranges::any_of(statement.order, is_hash)) return {};
  return invalid(
      "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.");
}

}  // namespace

KeySelection KeyRead::selection() const {
  KeySelection result{.hash = {hash}};
  if (range && range->comparison == KeyComparison::kEqual) {
    result.range_equal = {range->first};
  } else {
    result.range = range;
  }
  return result;
}

Result<void> check_key_value(const KeyAttribute& attribute, ValueView value) {
  if (!is_scalar(value.type())) {
    return invalid(fmt::format("Key value must be of type S, N, or B. Key name: {}, Key type: {}", attribute.name,
                               type_name(value.type())));
  }
  if (value.type() == attribute.type) return {};
  return invalid(
      fmt::format("Key attribute's data type should match its data type in table's schema: Key {}", attribute.name));
}

Result<SelectPlan> plan_select(const PartiqlStatement& statement, const PartiqlLowering& lowering, const KeySchema& key,
                               KeyTypes types) {
  SelectPlan plan;
  TRY(check_order(statement, key));
  if (!statement.where) return plan;
  plan.needs_filter = true;
  Decomposition decomposition(statement, lowering, key, plan.values);
  const PartiqlNode& where = statement.node(*statement.where);
  TRY_INTO(auto branches, decomposition.branches(where));
  constexpr const char* kTooMany = "Too many decomposed read operations for a given query.";
  if (!branches && decomposition.fixes_partition(where)) return invalid(kTooMany);
  const bool keyed = branches && !branches->empty() && std::ranges::all_of(*branches, [](const Branch& branch) {
                       return branch.hash && !branch.two_hashes;
                     });
  if (keyed) {
    if (branches->size() > kReadsMax) return invalid(kTooMany);
    if (types == KeyTypes::kChecked || branches->size() > 1) TRY(check_types(*branches, key));
    merge_negated(*branches);
    for (Branch& branch : *branches) {
      plan.reads.push_back({*branch.hash, branch.range, branch.exact, std::move(branch.attributes)});
    }
    TRY(check_disjoint(plan.reads));
    plan.kind = SelectPlan::Kind::kPartitions;
  }
  TRY(check_ordered_reads(statement, key, plan.reads));
  if (!keyed) return plan;
  sort_reads(statement, key, plan);
  plan.needs_filter = !std::ranges::all_of(plan.reads, &KeyRead::exact);
  const KeyRead& first = plan.reads.front();
  const bool whole_key = key.range.empty() || (first.range && first.range->comparison == KeyComparison::kEqual);
  if (plan.reads.size() == 1 && whole_key && !plan.needs_filter) plan.kind = SelectPlan::Kind::kItem;
  return plan;
}

Result<WriteKey> find_write_key(const PartiqlStatement& statement, const PartiqlLowering& lowering,
                                const KeySchema& key) {
  WriteKey found;
  if (!statement.where) return found;
  std::vector<uint32_t> open{*statement.where};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    const PartiqlNode& node = statement.node(at);
    if (node.kind == PartiqlKind::kAnd) {
      open.insert(open.end(), node.children.rbegin(), node.children.rend());
      continue;
    }
    const auto term = term_of(statement, lowering, node);
    if (!term || term->comparison != Comparison::kEqual || !key.contains(term->attribute)) {
      found.conditions.push_back(at);
      continue;
    }
    TRY_INTO(Value value, lowering.value(term->value));
    const auto it = std::ranges::find(found.values, term->attribute, &decltype(found.values)::value_type::first);
    if (it == found.values.end()) {
      found.values.emplace_back(term->attribute, std::move(value));
    } else if (it->second != value) {
      if (!found.repeated_attribute) found.repeated_attribute = term->attribute;
      found.conditions.push_back(at);
    }
  }
  return found;
}

}  // namespace trestle
