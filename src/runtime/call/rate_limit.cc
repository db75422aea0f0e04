#include "runtime/call/rate_limit.h"

#include <algorithm>
#include <charconv>

#include "runtime/requests/request_values.h"
#include "runtime/requests/write_actions.h"
#include "runtime/requests/write_text.h"

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

// The start of a slice, from its key.
std::optional<int64_t> slice_start(const PreparedRequest& prepared, ItemView item) {
  const design::Entity& entity = *prepared.request.entity;
  const design::Field* field = design::slice_of(entity);
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

struct Counted {
  enum class Kind { kCounted, kFull, kNewSlice } kind = Kind::kCounted;
  int64_t remaining = 0;
};
struct EarlierSlices {
  int64_t total = 0;
  std::optional<int64_t> oldest_s;  // the start of the oldest slice that counted anything
};

Outcome<Counted> count_in_slice(const ReadParts& parts, const PreparedRequest& prepared) {
  TRY_INTO(Plain fields, fields_of(parts.requests, prepared));
  TRY_INTO(auto action, action_of(parts.requests, prepared, std::move(fields)));
  if (!action) return refuse(400, "A value that the rate limit needs is missing.");
  TRY(set_expressions(parts.requests, *action));
  for (int tries = 0;; ++tries) {
    const auto sent = parts.sender.write(*action, true);
    if (sent) {
      const Item& item = **sent;
      return Counted{.remaining = std::max<int64_t>(0, whole(item.find("budget")) - whole(item.find("count")))};
    }
    const Error& error = sent.error();
    if (error.code == ErrorCode::kConditionalCheckFailed)
      return Counted{.kind = error.item == nullptr ? Counted::Kind::kNewSlice : Counted::Kind::kFull};
    if (error.code != ErrorCode::kTransactionConflict || tries >= kCountTriesMax)
      return std::unexpected(refused_by(error));
    parts.sender.back_off(tries);
  }
}

Outcome<EarlierSlices> earlier_slices(const ReadParts& parts, const PreparedRequest& prepared,
                                      const design::Limit& limit) {
  EarlierSlices earlier;
  if (limit.window_s <= limit.slice_s) return earlier;
  TRY_INTO(const Page page, read_page(parts, prepared, {}));
  for (const Item& item : page.items) {
    const int64_t count = whole(item.find("count"));
    earlier.total += count;
    const auto start = slice_start(prepared, item);
    if (count > 0 && start) earlier.oldest_s = std::min(earlier.oldest_s.value_or(*start), *start);
  }
  return earlier;
}

}  // namespace

Outcome<int64_t> count_call(const ReadParts& parts, const PreparedPlan& plan, const PlanStep& step) {
  const design::Limit& limit = *step.limit;
  const auto full = [&](const EarlierSlices& earlier) {
    // There is capacity again when the oldest non-empty slice leaves the window.
    const int64_t now_s = parts.requests.state.now_ms / 1000;
    const int64_t slice = now_s - now_s % std::max<int64_t>(limit.slice_s, 1);
    const int64_t leaves = earlier.oldest_s.value_or(slice) + limit.window_s;
    return std::unexpected(
        refused_by(&step.refusals[0], design::Cause::kCondition, nullptr, std::max<int64_t>(1, leaves - now_s)));
  };
  TRY_INTO(const Counted counted, count_in_slice(parts, plan.of(step.requests[0])));
  if (counted.kind == Counted::Kind::kCounted) return counted.remaining;
  TRY_INTO(const EarlierSlices earlier, earlier_slices(parts, plan.of(step.requests[1]), limit));
  const int64_t budget = limit.max - earlier.total;
  if (counted.kind == Counted::Kind::kFull || budget <= 0) return full(earlier);
  const Names inner = {{"budget", Plain::number(budget)}};
  TRY_INTO(const Counted first, count_in_slice({parts.requests.with(inner), parts.sender}, plan.of(step.requests[2])));
  if (first.kind != Counted::Kind::kCounted) return full(earlier);
  return first.remaining;
}

}  // namespace trestle::runtime
