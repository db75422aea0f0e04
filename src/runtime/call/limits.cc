// Rate windows: one conditional write counts and refuses; the first request of a slice reads the slices before it.
#include <algorithm>
#include <charconv>

#include "runtime/call/execution.h"

namespace trestle::runtime {

using design::PlanStep;

namespace {

constexpr int kCountTriesMax = 20;

int64_t whole(const std::optional<ValueView>& value) {
  int64_t number = 0;
  if (!value || value->type() != ValueType::kNumber) return number;
  const std::string_view text = value->scalar();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

const design::Field* slice_field(const design::Entity& entity) {
  for (const design::Field& field : entity.fields) {
    if (field.type.base == design::BaseType::kEpoch) return &field;
  }
  return nullptr;
}

// The start of a slice, from its key.
std::optional<int64_t> slice_start(const PreparedRequest& prepared, ItemView item) {
  const design::Entity& entity = *prepared.request.entity;
  const design::Field* field = slice_field(entity);
  for (size_t i = 0; field != nullptr && i < entity.key.size() && i < prepared.table_key.size(); ++i) {
    const auto text = item.find(prepared.table_key[i]);
    if (!text || !entity.key[i].uses(field->name)) continue;
    const auto values = design::parse(entity.key[i], text->scalar(), design::types_of(entity));
    const auto value = values ? values->find(field->name) : design::FieldValues::const_iterator();
    if (!values || value == values->end()) continue;
    int64_t start = 0;
    std::from_chars(value->second.data(), value->second.data() + value->second.size(), start);
    return field->type.milliseconds ? start / 1000 : start;
  }
  return std::nullopt;
}

}  // namespace

Done<Execution::Counted> Execution::count_in_slice(const PreparedRequest& prepared) {
  TRY_INTO(Plain fields, fields_of(prepared));
  TRY_INTO(auto action, action_of(prepared, std::move(fields)));
  if (!action) return std::unexpected(Stop(Refused{.status = 400, .message = "What is limited lacks a value."}));
  TRY(finish(*action));
  for (int tries = 0;; ++tries) {
    const auto sent = send_alone(*action, true);
    if (sent) {
      const Item& item = **sent;
      return Counted{.remaining = std::max<int64_t>(0, whole(item.find("budget")) - whole(item.find("count")))};
    }
    const Error& error = sent.error();
    if (error.code == ErrorCode::kConditionalCheckFailed)
      return Counted{.kind = error.item == nullptr ? Counted::Kind::kNewSlice : Counted::Kind::kFull};
    if (error.code != ErrorCode::kTransactionConflict || tries >= kCountTriesMax)
      return std::unexpected(Stop(refused_by(error)));
    back_off(tries);
  }
}

Done<Execution::Earlier> Execution::earlier_slices(const PreparedRequest& prepared, const design::Limit& limit) {
  Earlier earlier;
  if (limit.window_s <= limit.slice_s) return earlier;
  TRY_INTO(const Page page, read_page(prepared, {}));
  for (const Item& item : page.items) {
    const int64_t count = whole(item.find("count"));
    earlier.total += count;
    const auto start = slice_start(prepared, item);
    if (count > 0 && start) earlier.oldest_s = std::min(earlier.oldest_s.value_or(*start), *start);
  }
  return earlier;
}

Done<void> Execution::limit_step(const PlanStep& step) {
  const design::Limit& limit = *step.limit;
  const auto full = [&](const Earlier& earlier) {
    // There is capacity again when the oldest non-empty slice leaves the window.
    const int64_t now_s = now_ms_ / 1000;
    const int64_t slice = now_s - now_s % std::max<int64_t>(limit.slice_s, 1);
    const int64_t leaves = earlier.oldest_s.value_or(slice) + limit.window_s;
    return stopped(&step.refusals[0], design::Cause::kCondition, nullptr, std::max<int64_t>(1, leaves - now_s));
  };
  const PreparedRequest& earlier_request = prepared_.of(step.requests[1]);
  TRY_INTO(Counted counted, count_in_slice(prepared_.of(step.requests[0])));
  if (counted.kind != Counted::Kind::kCounted) {
    TRY_INTO(const Earlier earlier, earlier_slices(earlier_request, limit));
    const int64_t budget = limit.max - earlier.total;
    if (counted.kind == Counted::Kind::kFull || budget <= 0) return full(earlier);
    names_["budget"] = Plain::number(budget);
    auto first = count_in_slice(prepared_.of(step.requests[2]));
    names_.erase("budget");
    if (!first) return std::unexpected(std::move(first.error()));
    if (first->kind != Counted::Kind::kCounted) return full(earlier);
    counted = *first;
  }
  names_[step.name] = Plain::number(counted.remaining);
  return {};
}

}  // namespace trestle::runtime
