// Computes what follows from an update request alone: the types it writes, and its size.
#include "expression/update/update_impl.h"

#include <fmt/format.h>

namespace trestle {
namespace {

// UpdateItem's charges, as measured on the service (docs/compatibility.md, "Items and indexes").
constexpr size_t kUpdateCharge = 3;
constexpr size_t kWriteCharge = 19;  // SET, ADD
constexpr size_t kRemoveCharge = 1;  // REMOVE, DELETE
constexpr size_t kTargetStepCharge = 4;
constexpr size_t kOperandPathCharge = 1;
constexpr size_t kOperandStepCharge = 14;
constexpr size_t kPlusCharge = 34;
constexpr size_t kMinusCharge = 37;
constexpr size_t kListAppendCharge = 37;
constexpr size_t kIfNotExistsCharge = 39;

// The bytes of a name or the digits of an index.
size_t step_bytes(const DocumentStep& step) {
  return step.is_index ? fmt::formatted_size("{}", step.index) : step.name.size();
}

size_t target_bytes(DocumentPath path) {
  size_t bytes = step_bytes(path.front());
  for (const DocumentStep& step : path.subspan(1)) bytes += kTargetStepCharge + step_bytes(step);
  return bytes;
}

size_t operand_bytes(const BoundExpression& bound, const Node& node) {
  if (node.kind == NodeKind::kValue) return bound.value(node).size_bytes();
  size_t bytes = 0;
  if (node.kind == NodeKind::kPath) {
    bytes = kOperandPathCharge;
    for (const DocumentStep& step : bound.steps_of({PathRange{node.first, node.count}})) {
      bytes += kOperandStepCharge + step_bytes(step);
    }
    return bytes;
  }
  if (node.kind == NodeKind::kPlus) {
    bytes = kPlusCharge;
  } else if (node.kind == NodeKind::kMinus) {
    bytes = kMinusCharge;
  } else {
    bytes = node.function == Function::kListAppend ? kListAppendCharge : kIfNotExistsCharge;
  }
  for (uint32_t i = 0; i < node.count; ++i) bytes += operand_bytes(bound, bound.tree().child(node, i));
  return bytes;
}

// Nothing if the type depends on the item.
std::optional<Update::KnownWrite> known_write(const BoundExpression& bound, const UpdateStep& step,
                                              std::string_view attribute) {
  if (step.section == UpdateSection::kRemove) return std::nullopt;
  const Node& node = bound.node(step.value);
  if (node.kind == NodeKind::kValue) {
    const ValueView value = bound.value(node);
    const bool is_set = step.section == UpdateSection::kSet;
    return Update::KnownWrite{attribute, value.type(), is_set ? std::optional(value) : std::nullopt};
  }
  if (node.kind == NodeKind::kPlus || node.kind == NodeKind::kMinus) {
    return Update::KnownWrite{attribute, ValueType::kNumber, std::nullopt};
  }
  if (node.kind == NodeKind::kFunction && node.function == Function::kListAppend) {
    return Update::KnownWrite{attribute, ValueType::kList, std::nullopt};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Update::KnownWrite> Update::known_writes() const {
  std::vector<KnownWrite> writes;
  if (impl_->legacy != nullptr) {
    for (const LegacyUpdate& update : *impl_->legacy) {
      if (!update.value) continue;
      const bool is_put = update.action.value_or(UpdateAction::kPut) == UpdateAction::kPut;
      writes.push_back(
          {update.attribute, update.value->view().type(), is_put ? std::optional(update.value->view()) : std::nullopt});
    }
    return writes;
  }
  const std::vector<UpdateStep>& steps = impl_->bound->tree().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (impl_->paths[i].size() > 1) continue;
    if (auto write = known_write(*impl_->bound, steps[i], impl_->paths[i].front().name)) writes.push_back(*write);
  }
  return writes;
}

size_t Update::charge_bytes() const {
  if (impl_->legacy != nullptr) return 0;
  size_t bytes = kUpdateCharge;
  const std::vector<UpdateStep>& steps = impl_->bound->tree().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool writes = steps[i].section == UpdateSection::kSet || steps[i].section == UpdateSection::kAdd;
    bytes += (writes ? kWriteCharge : kRemoveCharge) + target_bytes(impl_->paths[i]);
    if (writes) bytes += operand_bytes(*impl_->bound, impl_->bound->node(steps[i].value));
  }
  return bytes;
}

}  // namespace trestle
