#include "expression/condition.h"

#include <charconv>

#include "base/utf8.h"
#include "expression/bound_expression.h"
#include "expression/comparison.h"
#include "expression/condition_impl.h"
#include "expression/operand_check.h"

namespace trestle {
namespace {

// The value of an operand in one item: absent, borrowed from the item, or a size encoded in `size_`.
class Operand {
 public:
  Operand(const BoundExpression& bound, const Node& node, ItemView item) {
    switch (node.kind) {
      case NodeKind::kPath:
        if (const auto found = bound.resolve({node.first, node.count}, item)) set(*found);
        break;
      case NodeKind::kValue:
        set(bound.value(node));
        break;
      default:
        set_size(Operand(bound, bound.tree().child(node, 0), item));
        break;
    }
  }
  Operand(const Operand&) = delete;

  bool exists() const { return exists_; }
  ValueView operator*() const { return value_; }

 private:
  void set(ValueView value) {
    exists_ = true;
    value_ = value;
  }

  // Numbers, booleans and null have no size, so the operand stays absent.
  void set_size(const Operand& of) {
    if (!of.exists()) return;
    size_t size;
    switch (of->type()) {
      case ValueType::kString:
        size = utf16_units(of->scalar());
        break;
      case ValueType::kBinary:
        size = of->scalar().size();
        break;
      case ValueType::kStringSet:
      case ValueType::kNumberSet:
      case ValueType::kBinarySet:
        size = of->set().size();
        break;
      case ValueType::kList:
        size = of->list().size();
        break;
      case ValueType::kMap:
        size = of->map().size();
        break;
      default:
        return;
    }
    char* const digits = size_ + 2;
    const char* const end = std::to_chars(digits, std::end(size_), size).ptr;
    size_[0] = 5;  // N; its length fits a one-byte varint
    size_[1] = static_cast<char>(end - digits);
    set(ValueView(std::string_view(size_, static_cast<size_t>(end - size_))));
  }

  const ValueView* operator->() const { return &value_; }

  bool exists_ = false;
  ValueView value_;
  char size_[24];
};

bool compare_operands(Comparison comparison, const Operand& a, const Operand& b) {
  const bool both = a.exists() && b.exists();
  if (comparison == Comparison::kEqual) return both && *a == *b;
  if (comparison == Comparison::kNotEqual) return !both || *a != *b;
  if (!both) return false;
  const auto order = compare(*a, *b);
  if (!order) return false;
  switch (comparison) {
    case Comparison::kLess:
      return *order < 0;
    case Comparison::kLessOrEqual:
      return *order <= 0;
    case Comparison::kGreater:
      return *order > 0;
    default:
      return *order >= 0;
  }
}

class Evaluation {
 public:
  Evaluation(const BoundExpression& bound, ItemView item) : bound_(bound), item_(item) {}

  bool holds(const Node& node) const {
    switch (node.kind) {
      case NodeKind::kAnd:
        for (uint32_t i = 0; i < node.count; ++i) {
          if (!holds(child(node, i))) return false;
        }
        return true;
      case NodeKind::kOr:
        for (uint32_t i = 0; i < node.count; ++i) {
          if (holds(child(node, i))) return true;
        }
        return false;
      case NodeKind::kNot:
        return !holds(child(node, 0));
      case NodeKind::kComparison:
        return compare_operands(node.comparison, operand(node, 0), operand(node, 1));
      case NodeKind::kBetween: {
        const Operand value = operand(node, 0), lower = operand(node, 1), upper = operand(node, 2);
        return value.exists() && lower.exists() && upper.exists() && is_between(*value, *lower, *upper);
      }
      case NodeKind::kIn:
        return is_in(node);
      default:
        return function_holds(node);
    }
  }

 private:
  const Node& child(const Node& node, uint32_t i) const { return bound_.tree().child(node, i); }
  Operand operand(const Node& node, uint32_t i) const { return Operand(bound_, child(node, i), item_); }

  bool is_in(const Node& node) const {
    const Operand value = operand(node, 0);
    for (uint32_t i = 1; i < node.count; ++i) {
      if (compare_operands(Comparison::kEqual, value, operand(node, i))) return true;
    }
    return false;
  }

  bool function_holds(const Node& node) const {
    const Operand first = operand(node, 0);
    switch (node.function) {
      case Function::kAttributeExists:
        return first.exists();
      case Function::kAttributeNotExists:
        return !first.exists();
      case Function::kAttributeType:
        return first.exists() && type_name((*first).type()) == (*operand(node, 1)).scalar();
      default:
        break;
    }
    const Operand second = operand(node, 1);
    if (!first.exists() || !second.exists()) return false;
    return node.function == Function::kBeginsWith ? begins_with(*first, *second) : contains(*first, *second);
  }

  const BoundExpression& bound_;
  ItemView item_;
};

}  // namespace

Condition::Condition(Condition&&) noexcept = default;
Condition& Condition::operator=(Condition&&) noexcept = default;
Condition::~Condition() = default;
Condition::Condition(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

const std::vector<std::string_view>& Condition::attributes() const { return impl_->attributes; }
const std::vector<std::string_view>& Condition::nested_attributes() const { return impl_->nested_attributes; }

bool Condition::matches(ItemView item) const {
  if (impl_->legacy != nullptr) return legacy_matches(*impl_->legacy, impl_->legacy_operator, item);
  const BoundExpression& bound = *impl_->bound;
  return Evaluation(bound, item).holds(bound.node(bound.tree().root));
}

Result<Condition> compile_condition(std::string_view text, ExpressionKind kind, Binding& binding) {
  const std::string_view parameter = kind == ExpressionKind::kFilter ? "FilterExpression" : "ConditionExpression";
  TRY_INTO(BoundExpression bound, BoundExpression::make(text, Grammar::kCondition, parameter, binding));
  for (uint32_t condition : bound.tree().conditions) {
    if (const auto fault = condition_fault(bound, bound.node(condition))) return invalid_expression(parameter, *fault);
  }
  auto impl = std::make_unique<Condition::Impl>();
  impl->attributes = bound.heads();
  impl->nested_attributes = bound.nested_heads();
  impl->bound = std::move(bound);
  return Condition(std::move(impl));
}

}  // namespace trestle
