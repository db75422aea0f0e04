#include "expression/update/update.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <forward_list>

#include "expression/update/update_arithmetic.h"
#include "expression/update/update_check.h"
#include "expression/update/update_impl.h"
#include "model/limits.h"

namespace trestle {
namespace {

constexpr const char* kNoAttribute = "The provided expression refers to an attribute that does not exist in the item";
constexpr const char* kWrongType = "An operand in the update expression has an incorrect data type";
constexpr const char* kBadPath = "The document path provided in the update expression is invalid for update";
constexpr const char* kTooDeep =
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";

// The nesting depth of a value as DynamoDB counts it: one plus the depth of its deepest element.
size_t levels(ValueView value) {
  size_t inner = 0;
  if (value.type() == ValueType::kList) {
    for (const ValueView element : value.list()) inner = std::max(inner, levels(element));
  } else if (value.type() == ValueType::kMap) {
    for (const Field& field : value.map()) inner = std::max(inner, levels(field.value));
  }
  return 1 + inner;
}

// Applies an update to an item: computes every step from the old item, then applies all edits together.
//
// If there are several errors, DynamoDB reports them in this order: a parent that is not a list or map, a wrong type;
// then, from the last clause to the first, a path without a parent and a missing attribute; finally a number out of
// range.
class Application {
 public:
  Application(const Update::Impl& update, ItemView item) : bound_(*update.bound), paths_(update.paths), item_(item) {}

  Result<Item> run() {
    const std::vector<UpdateStep>& steps = bound_.tree().steps;
    for (DocumentPath path : paths_) {
      if (parent_kind(path) == Parent::kWrong) return invalid(kBadPath);
    }
    outcomes_.resize(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      outcomes_[i] = step_outcome(steps[i], paths_[i]);
      if (outcomes_[i].fault == Fault::kType) return invalid(kWrongType);
    }
    if (const char* message = path_or_operand_fault()) return invalid(message);
    std::vector<DocumentEdit> edits;
    edits.reserve(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      Outcome& outcome = outcomes_[i];
      if (outcome.fault == Fault::kNumber) return std::unexpected(std::move(*number_fault_));
      if (outcome.effect == Effect::kNothing) continue;
      if (outcome.effect == Effect::kRemove) {
        edits.push_back({paths_[i], std::nullopt});
        continue;
      }
      const size_t depth = paths_[i].size() - 1;
      if (depth + outcome.value.depth() >= kNestingDepthMax && depth + levels(outcome.value) > kNestingDepthMax) {
        return invalid(kTooDeep);
      }
      edits.push_back({paths_[i], outcome.value});
    }
    std::ranges::sort(edits,
                      [](const DocumentEdit& a, const DocumentEdit& b) { return compare_paths(a.path, b.path) < 0; });
    return edit_parts(item_, edits);
  }

 private:
  enum class Parent { kRight, kWrong, kMissing };
  enum class Fault { kNone, kType, kMissing, kNumber };
  enum class Effect { kWrite, kRemove, kNothing };
  struct Outcome {
    Fault fault = Fault::kNone;
    Effect effect = Effect::kWrite;
    ValueView value;
  };

  static Outcome write(ValueView value) { return {.value = value}; }
  static Outcome fault(Fault fault) { return {.fault = fault}; }

  Parent parent_kind(DocumentPath path) const {
    if (path.size() == 1) return Parent::kRight;
    const auto parent = resolve_path(path.first(path.size() - 1), item_);
    if (!parent) return Parent::kMissing;
    const ValueType wanted = path.back().is_index ? ValueType::kList : ValueType::kMap;
    return parent->type() == wanted ? Parent::kRight : Parent::kWrong;
  }

  // Null if there is no fault.
  const char* path_or_operand_fault() const {
    const std::vector<UpdateStep>& steps = bound_.tree().steps;
    for (size_t end = steps.size(); end > 0;) {
      size_t begin = end;
      while (begin > 0 && steps[begin - 1].clause == steps[end - 1].clause) --begin;
      for (size_t i = begin; i < end; ++i) {
        if (parent_kind(paths_[i]) == Parent::kMissing) return kBadPath;
      }
      for (size_t i = begin; i < end; ++i) {
        if (outcomes_[i].fault == Fault::kMissing) return kNoAttribute;
      }
      end = begin;
    }
    return nullptr;
  }

  // Holds computed values until the edits are applied.
  std::string& scratch() { return scratch_.emplace_front(); }

  Outcome step_outcome(const UpdateStep& step, DocumentPath path) {
    switch (step.section) {
      case UpdateSection::kSet:
        return value_of(bound_.node(step.value));
      case UpdateSection::kRemove:
        return {.effect = Effect::kRemove};
      case UpdateSection::kAdd:
        return add_outcome(resolve_path(path, item_), bound_.value(bound_.node(step.value)));
      default:
        return delete_outcome(resolve_path(path, item_), bound_.value(bound_.node(step.value)));
    }
  }

  Outcome add_outcome(std::optional<ValueView> old, ValueView value) {
    if (!old) return write(value);
    if (old->type() != value.type()) return fault(Fault::kType);
    if (value.type() == ValueType::kNumber) return sum(*old, value, Arithmetic::kAdd);
    std::string& bytes = scratch();
    append_union(bytes, *old, value);
    return write(ValueView(bytes));
  }

  Outcome delete_outcome(std::optional<ValueView> old, ValueView value) {
    if (!old) return {.effect = Effect::kNothing};
    if (old->type() != value.type()) return fault(Fault::kType);
    std::string& bytes = scratch();
    if (!append_difference(bytes, *old, value)) return {.effect = Effect::kRemove};
    return write(ValueView(bytes));
  }

  Outcome sum(ValueView a, ValueView b, Arithmetic operation) {
    std::string& bytes = scratch();
    if (auto done = append_sum(bytes, a, b, operation); !done) {
      if (!number_fault_) number_fault_ = std::move(done).error();
      return fault(Fault::kNumber);
    }
    return write(ValueView(bytes));
  }

  Outcome value_of(const Node& node) {
    switch (node.kind) {
      case NodeKind::kValue:
        return write(bound_.value(node));
      case NodeKind::kPath: {
        const auto found = bound_.resolve({node.first, node.count}, item_);
        return found ? write(*found) : fault(Fault::kMissing);
      }
      case NodeKind::kPlus:
        return combined(node, ValueType::kNumber);
      case NodeKind::kMinus:
        return combined(node, ValueType::kNumber);
      default:
        break;
    }
    if (node.function == Function::kListAppend) return combined(node, ValueType::kList);
    const Node& path = bound_.tree().child(node, 0);
    if (const auto found = bound_.resolve({path.first, path.count}, item_)) return write(*found);
    return value_of(bound_.tree().child(node, 1));
  }

  // +, - and list_append: both operands must have the same type.
  Outcome combined(const Node& node, ValueType type) {
    std::array<ValueView, 2> operands;
    for (uint32_t i = 0; i < 2; ++i) {
      const Outcome operand = value_of(bound_.tree().child(node, i));
      if (operand.fault != Fault::kNone) return operand;
      if (operand.value.type() != type) return fault(Fault::kType);
      operands[i] = operand.value;
    }
    if (node.kind == NodeKind::kPlus) return sum(operands[0], operands[1], Arithmetic::kAdd);
    if (node.kind == NodeKind::kMinus) return sum(operands[0], operands[1], Arithmetic::kSubtract);
    std::string& bytes = scratch();
    append_concatenation(bytes, operands[0], operands[1]);
    return write(ValueView(bytes));
  }

  const BoundExpression& bound_;
  const std::vector<DocumentPath>& paths_;
  ItemView item_;
  std::vector<Outcome> outcomes_;
  std::forward_list<std::string> scratch_;
  std::optional<Error> number_fault_;
};

}  // namespace

Update::Update(Update&&) noexcept = default;
Update& Update::operator=(Update&&) noexcept = default;
Update::~Update() = default;
Update::Update(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

const std::vector<std::string_view>& Update::attributes() const { return impl_->attributes; }
const std::vector<std::string_view>& Update::nested_attributes() const { return impl_->nested_attributes; }

Result<Item> Update::apply(ItemView item) const {
  if (impl_->legacy != nullptr) return apply_legacy(*impl_->legacy, item);
  return Application(*impl_, item).run();
}

bool Update::is_legacy() const { return impl_->legacy != nullptr; }

bool Update::only_removes() const { return impl_->only_removes; }

Item Update::touched_parts(ItemView item) const { return select_parts(item, impl_->sorted_paths); }

void Update::Impl::finish() {
  sorted_paths = paths;
  std::ranges::sort(sorted_paths, [](DocumentPath a, DocumentPath b) { return compare_paths(a, b) < 0; });
  for (DocumentPath path : sorted_paths) {
    if (attributes.empty() || attributes.back() != path[0].name) attributes.push_back(path[0].name);
  }
}

Result<Update> compile_update(std::string_view text, Binding& binding) {
  constexpr std::string_view kParameter = "UpdateExpression";
  TRY_INTO(BoundExpression bound, BoundExpression::make(text, Grammar::kUpdate, kParameter, binding));
  if (const auto fault = update_fault(bound)) return invalid_expression(kParameter, *fault);
  auto impl = std::make_unique<Update::Impl>();
  std::vector<PathRange> ranges;
  ranges.reserve(bound.tree().steps.size());
  for (const UpdateStep& step : bound.tree().steps) ranges.push_back(step.path);
  impl->steps = bound.steps_of(ranges);
  impl->paths.reserve(ranges.size());
  size_t at = 0;
  for (PathRange range : ranges) {
    impl->paths.push_back(DocumentPath(impl->steps).subspan(at, range.count));
    at += range.count;
  }
  impl->nested_attributes = bound.nested_heads();
  impl->only_removes = std::ranges::none_of(bound.tree().steps, [](const UpdateStep& step) {
    return step.section == UpdateSection::kSet || step.section == UpdateSection::kAdd;
  });
  impl->bound = std::move(bound);
  impl->finish();
  return Update(std::move(impl));
}

}  // namespace trestle
