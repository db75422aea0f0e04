#include "design/plan_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace trestle::design {
namespace {

constexpr size_t kWidth = 118;

std::string number(double value) {
  if (value == static_cast<double>(static_cast<int64_t>(value))) return fmt::format("{}", static_cast<int64_t>(value));
  return fmt::format("{:.1f}", value);
}

// Writes "label   text", wrapping at spaces and continuing under the text.
class Page {
 public:
  explicit Page(size_t depth) : depth_(depth) {}
  void line(std::string_view text) {
    std::string start(depth_, ' ');
    while (!text.empty()) {
      size_t end = text.size();
      if (start.size() + end > kWidth + 2) end = text.rfind(' ', kWidth - start.size());
      if (end == std::string_view::npos || end == 0) end = text.size();
      out_ += fmt::format("{}{}\n", start, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      start = std::string(depth_ + 6, ' ');
    }
  }
  void row(std::string_view label, std::string_view text) {
    const size_t left = depth_ + 2 + kLabel;
    std::string start = fmt::format("{}  {:<{}}", std::string(depth_, ' '), label, kLabel);
    while (!text.empty()) {
      size_t end = text.size();
      if (left + end > kWidth) {
        end = text.rfind(' ', kWidth - left);
        if (end == std::string_view::npos || end == 0) end = std::min(text.find(' '), text.size());
      }
      out_ += start;
      out_ += text.substr(0, end);
      out_ += '\n';
      text.remove_prefix(std::min(end + 1, text.size()));
      start = std::string(left, ' ');
    }
  }
  // The same, wrapping between `items` where it can.
  void list(std::string_view label, const std::vector<std::string>& items, std::string_view separator) {
    const size_t width = kWidth - depth_ - 2 - kLabel;
    const std::string_view end = separator.substr(0, separator.find_last_not_of(' ') + 1);
    std::string text;
    for (size_t i = 0; i < items.size(); ++i) {
      const bool last = i + 1 == items.size();
      const size_t length = items[i].size() + (last ? 0 : end.size());
      if (!text.empty() && text.size() + separator.size() - end.size() + length > width) {
        row(label, text);
        label = "";
        text.clear();
      }
      if (!text.empty()) text += separator.substr(end.size());
      text += items[i];
      if (!last) text += end;
    }
    row(label, text);
  }
  void blank() { out_ += '\n'; }
  void append(std::string_view text) { out_ += text; }
  std::string take() { return std::move(out_); }
  size_t depth() const { return depth_; }

 private:
  static constexpr size_t kLabel = 9;
  size_t depth_;
  std::string out_;
};

std::string joined(const std::vector<std::string>& parts, std::string_view by) {
  return fmt::format("{}", fmt::join(parts, by));
}

std::string cost_text(const Cost& cost) {
  std::vector<std::string> parts;
  if (!cost.read.is_zero()) parts.push_back(fmt::format("read {}", units_text(cost.read)));
  if (!cost.write.is_zero()) {
    std::vector<std::string> indexes;
    for (const IndexUnits& index : cost.indexes) {
      if (!index.write.is_zero()) indexes.push_back(fmt::format("{} {}", index.index, units_text(index.write)));
    }
    parts.push_back(fmt::format("write {}{}", units_text(cost.write),
                                indexes.empty() ? "" : fmt::format(", of which {}", joined(indexes, ", "))));
  }
  return parts.empty() ? "nothing" : joined(parts, " · ");
}

std::string refusal_text(const Refusal& refusal) {
  std::string text;
  switch (refusal.cause) {
    case Cause::kAbsent:
      text = "if there is none";
      break;
    case Cause::kPresent:
      text = "if there is one";
      break;
    case Cause::kCondition:
      text = "if it does not hold";
      break;
    case Cause::kFlow:
      text = "if the flow forbids it";
      break;
    case Cause::kObserved:
      text = "if it changed meanwhile";
      break;
    case Cause::kForm:
      text = "if another form fits";
      break;
    case Cause::kRevision:
      text = "if If-Match differs";
      break;
    case Cause::kGuard:
      text = "if taken";
      break;
  }
  std::string made = fmt::format("{} {}", refusal.status, text);
  if (refusal.again > 0) made = fmt::format("{}: tried again {} times, then {}", text, refusal.again, refusal.status);
  if (!refusal.message.empty()) made += fmt::format(" \"{}\"", refusal.message);
  if (refusal.failure != nullptr && !refusal.failure->also.empty()) made += ", after the steps below";
  return made;
}

void refusals(Page& page, const std::vector<Refusal>& list) {
  bool first = true;
  for (const Refusal& refusal : list) {
    page.row(first ? "else" : "", refusal_text(refusal));
    first = false;
  }
}

std::vector<std::string> value_texts(const std::vector<PlannedValue>& values) {
  std::vector<std::string> parts;
  for (const PlannedValue& value : values)
    parts.push_back(fmt::format("{} = {}", value.placeholder, source_text(value.source)));
  return parts;
}

std::vector<std::string> name_texts(const std::vector<PlannedName>& names) {
  std::vector<std::string> parts;
  for (const PlannedName& name : names) {
    if (name.member)
      parts.push_back(fmt::format("{} is the member {}", name.placeholder, expression_text(*name.member)));
    else if (name.placeholder != "#" + name.attribute)
      parts.push_back(fmt::format("{} = {}", name.placeholder, name.attribute));
  }
  return parts;
}

bool is_simple(const ValueSource& source, std::string_view name) {
  return source.kind == ValueSource::Kind::kExpression && source_text(source) == fmt::format("${}", name);
}

std::string times_text(const Request& request) {
  if (request.each != nullptr) {
    return fmt::format(" · one for each `member` of {} {}, {}", request.each->field,
                       request.follows == Request::Follows::kOldValue ? "that went" : "that came",
                       request.unbounded ? "however many" : fmt::format("at most {}", number(request.times_most)));
  }
  return {};
}

std::string subject_of(const Request& request) {
  std::string text = request.table;
  if (!request.index.empty()) text += "." + request.index;
  if (request.guard != nullptr)
    text += fmt::format(" · guard {}", request.guard->type.empty() ? request.guard->name : request.guard->type);
  else if (request.entity != nullptr)
    text += " · " + request.entity->name;
  return text;
}

void fields_rows(Page& page, const Request& request) {
  // Only the fields that do not simply take the input of their name, and only where the key is made of them.
  std::vector<std::string> parts;
  const auto used = [&](const std::string& name) {
    const auto in = [&](const std::vector<PlannedValue>& values) {
      return std::any_of(values.begin(), values.end(), [&](const PlannedValue& value) {
        if (value.source.kind == ValueSource::Kind::kExpression) return false;
        bool named = value.source.key.uses(name);
        each_expression(value.source.expression, [&](const Expression& part) { named |= part.is_name(name); });
        if (value.source.entry != nullptr && value.source.entry->condition)
          each_expression(*value.source.entry->condition, [&](const Expression& part) { named |= part.is_name(name); });
        return named;
      });
    };
    bool found = in(request.key) || in(request.values);
    for (const Form* form : first_forms(request)) found |= in(form->values);
    return found || (request.shard != nullptr && request.shard->of == name);
  };
  const bool shows_item = request.kind == RequestKind::kPutItem && request.guard == nullptr;
  for (const FieldValue& field : request.fields) {
    if (shows_item || is_simple(field.source, field.name) || !used(field.name)) continue;
    parts.push_back(fmt::format("{} = {}", field.name, source_text(field.source)));
  }
  if (request.shard != nullptr && !request.fan_out)
    parts.push_back(fmt::format("{} = sha256({}) mod the count of its time", request.shard->field, request.shard->of));
  if (!parts.empty()) page.list("where", parts, "   ");
}

void write_rows(Page& page, const Request& request) {
  if (!request.key.empty()) page.list("key", value_texts(request.key), "   ");
  if (request.kind == RequestKind::kPutItem) {
    std::vector<PlannedValue> rest(request.item.begin() + static_cast<std::ptrdiff_t>(request.key.size()),
                                   request.item.end());
    std::vector<PlannedValue> sparse;
    std::erase_if(rest, [&](const PlannedValue& value) {
      const bool is_sparse = value.source.entry != nullptr && value.source.entry->condition;
      if (is_sparse) sparse.push_back(value);
      return is_sparse;
    });
    if (!rest.empty()) page.list("item", value_texts(rest), "   ");
    bool first = true;
    for (const PlannedValue& value : sparse) {
      page.row(first ? "sparse" : "", fmt::format("{} = {}   while {}", value.placeholder, source_text(value.source),
                                                  expression_text(*value.source.entry->condition)));
      first = false;
    }
  }
  const auto forms = first_forms(request);
  std::string_view label = "update";
  for (const auto& [section, word] : {std::pair(Section::kSet, "SET "),
                                      {Section::kRemove, "REMOVE "},
                                      {Section::kAdd, "ADD "},
                                      {Section::kDelete, "DELETE "}}) {
    std::vector<std::string> parts;
    for (const Form* form : forms) {
      if (form->section == section && !form->text.empty()) parts.push_back((parts.empty() ? word : "") + form->text);
    }
    if (parts.empty()) continue;
    page.list(label, parts, ", ");
    label = "";
  }
  const ExpressionText text = plan_text_of(forms);
  std::vector<std::string> conditions;
  for (const Form* form : forms) {
    // Each as the whole condition has it, in parentheses where those are needed.
    if (!form->condition.empty())
      conditions.push_back(text.condition.find("(" + form->condition + ")") != std::string::npos
                               ? "(" + form->condition + ")"
                               : form->condition);
  }
  if (!conditions.empty()) page.list("if", conditions, " AND ");
  if (!name_texts(text.names).empty()) page.list("names", name_texts(text.names), "   ");
  if (!text.values.empty()) page.list("values", value_texts(text.values), "   ");
  for (const Piece& piece : request.pieces) {
    if (piece.choice == Piece::Choice::kOnly || piece.choice == Piece::Choice::kByValue || piece.forms.size() < 2)
      continue;
    const Form& other = piece.forms[1];
    std::string what = other.text.empty() ? "not written" : fmt::format("SET {}", other.text);
    std::vector<std::string> parts = {fmt::format("{} if {}", what, other.condition)};
    for (const std::string& value : value_texts(other.values)) parts.push_back(value);
    page.list("or", parts, "   ");
  }
  std::vector<std::string> optional;
  std::vector<std::string> absent;
  for (const Piece& piece : request.pieces) {
    for (const std::string& input : piece.given) {
      if (input == "if_match") continue;
      if (std::find(optional.begin(), optional.end(), "$" + input) == optional.end()) optional.push_back("$" + input);
    }
    if (piece.choice != Piece::Choice::kByValue || piece.forms.size() < 2) continue;
    const Form& other = piece.forms[1];
    absent.push_back(other.section == Section::kRemove ? fmt::format("REMOVE {}", other.text) : other.condition);
  }
  if (!absent.empty()) page.list("absent", absent, ", ");
  if (!optional.empty())
    page.row("given", fmt::format("what belongs to {} takes part only if given", joined(optional, ", ")));
}

void read_rows(Page& page, const Request& request) {
  if (!request.key.empty()) page.list("key", value_texts(request.key), "   ");
  if (!request.key_condition.empty()) page.row("key", request.key_condition);
  if (!request.filter.empty()) page.row("filter", request.filter);
  if (!request.projection.empty()) page.row("fields", request.projection);
  if (!name_texts(request.names).empty()) page.list("names", name_texts(request.names), "   ");
  if (!request.values.empty()) page.list("values", value_texts(request.values), "   ");
  std::vector<std::string> how;
  if (request.consistent) how.push_back("consistent");
  if (request.descending) how.push_back("descending");
  if (request.limit > 0) how.push_back(fmt::format("limit {}", request.limit));
  if (request.paging == Request::Paging::kAll) how.push_back("every page");
  if (request.paging == Request::Paging::kPage) how.push_back("a page, then `next`");
  if (request.hides_expired && request.filter.find("ttl") == std::string::npos)
    how.push_back("nothing if it has expired");
  if (request.cached_s > 0) how.push_back(fmt::format("remembered for {}", duration_text(request.cached_s)));
  if (!how.empty()) page.row("how", joined(how, ", "));
  if (request.fan_out && request.shard != nullptr) {
    page.row(
        "shards",
        fmt::format("one Query for each {} of the epochs asked for ({} to {}), merged in the order of the sort key",
                    request.shard->field, number(request.times_least), number(request.times_most)));
  }
  if (request.reads_again)
    page.row("then",
             fmt::format("BatchGetItem {}: {} does not copy all that is answered", request.table, request.index));
}

void request_block(Page& page, const Request& request, std::string_view title, bool with_cost) {
  page.line(fmt::format("{} {}{}", title, subject_of(request), times_text(request)));
  if (request.when) page.row("when", expression_text(*request.when));
  if (request.while_field != nullptr) page.row("when", fmt::format("{} has a value", request.while_field->name));
  const bool read = request.kind == RequestKind::kGetItem || request.kind == RequestKind::kQuery ||
                    request.kind == RequestKind::kScan;
  if (read)
    read_rows(page, request);
  else
    write_rows(page, request);
  fields_rows(page, request);
  refusals(page, request.refusals);
  if (with_cost) page.row("cost", cost_text(request.cost));
}

std::string range_text(int64_t least, int64_t most, bool unbounded) {
  if (unbounded) return fmt::format("{} or more", least);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

void steps_text(Page& page, const std::vector<PlanStep>& steps, int& count);

void step_text(Page& page, const PlanStep& step, int& count) {
  const auto titled = [&](std::string_view name) {
    std::string title = fmt::format("{:>2}  {}", ++count, name);
    if (!step.name.empty()) title = fmt::format("{:>2}  ${} = {}", count, step.name, name);
    return title;
  };
  Page inner(page.depth() + 4);
  switch (step.kind) {
    case PlanStep::Kind::kRequire:
      page.line(fmt::format("{:>2}  require {}", ++count, expression_text(*step.value)));
      refusals(inner, step.refusals);
      break;
    case PlanStep::Kind::kLet: {
      std::vector<std::string> parts;
      for (const Binding* binding : step.lets)
        parts.push_back(fmt::format("${} = {}", binding->field, expression_text(binding->value)));
      page.line(fmt::format("{:>2}  let {}", ++count, joined(parts, ", ")));
      break;
    }
    case PlanStep::Kind::kRead:
    case PlanStep::Kind::kObserve: {
      if (step.together) {
        const bool batch = is_batch(step);
        page.line(fmt::format("{:>2}  {} · {} reads at once", ++count, batch ? "BatchGetItem" : "side by side",
                              step.steps.size()));
        for (const PlanStep& one : step.steps) {
          if (one.when) inner.row("when", expression_text(*one.when));
          request_block(inner, one.requests[0],
                        fmt::format("${} = {}", one.name, batch ? "item of" : request_name(one.requests[0].kind)),
                        false);
          refusals(inner, one.refusals);
        }
        inner.row("cost", cost_text(step.cost));
        break;
      }
      bool first = true;
      for (const Request& request : step.requests) {
        Page block(page.depth() + 4);
        Page lines(page.depth() + 4);
        request_block(block, request, "", step.requests.size() > 1);
        std::string text = block.take();
        text.erase(0, text.find('\n') + 1);
        std::string title =
            first ? titled(request_name(request.kind)) : fmt::format("    then {}", request_name(request.kind));
        if (step.requests.size() > 1 && first)
          title = fmt::format("{:>2}  $guard = {}", count, request_name(request.kind));
        if (step.requests.size() > 1 && !first)
          title = fmt::format("    ${} = {}", step.name, request_name(request.kind));
        page.line(
            fmt::format("{} {}{}", title, subject_of(request),
                        step.kind == PlanStep::Kind::kObserve ? " · what the write needs and was not given" : ""));
        if (first && step.when) lines.row("when", expression_text(*step.when));
        if (first && !step.given.empty()) {
          std::vector<std::string> given;
          for (const std::string& name : step.given) given.push_back("$" + name);
          lines.row("when", fmt::format("{}{} is given", given.size() > 1 ? "one of " : "", joined(given, ", ")));
        }
        page.append(lines.take());
        page.append(text);
        first = false;
      }
      refusals(inner, step.refusals);
      if (step.requests.size() == 1) inner.row("cost", cost_text(step.cost));
      break;
    }
    case PlanStep::Kind::kWrite: {
      if (step.requests.size() == 1) {
        Page block(page.depth() + 4);
        request_block(block, step.requests[0], "", false);
        std::string text = block.take();
        text.erase(0, text.find('\n') + 1);
        page.line(
            fmt::format("{:>2}  {} {}", ++count, request_name(step.requests[0].kind), subject_of(step.requests[0])));
        page.append(text);
      } else {
        page.line(fmt::format("{:>2}  TransactWriteItems · {} items, all or none{}", ++count,
                              range_text(step.items_least, step.items_most, step.unbounded),
                              step.items_least == 1 ? "; one alone is sent as it is" : ""));
        for (const Request& request : step.requests) {
          std::string_view name = request_name(request.kind);
          if (name.ends_with("Item")) name.remove_suffix(4);
          request_block(inner, request, name, true);
        }
      }
      inner.row(step.requests.size() == 1 ? "cost" : "total",
                fmt::format("{} · refused: {}", cost_text(step.cost), cost_text(step.failed_cost)));
      break;
    }
    case PlanStep::Kind::kLimit:
      page.line(fmt::format("{:>2}  limit {} · at most {} in any {}, counted by {}", ++count, step.limit->name,
                            step.limit->max, duration_text(step.limit->window_s), duration_text(step.limit->slice_s)));
      request_block(inner, step.requests[0], "UpdateItem", false);
      inner.line("if the slice is new:");
      request_block(inner, step.requests[1], "Query", false);
      inner.line(fmt::format("then, with $budget = {} - sum(count), if that is above 0:", step.limit->max));
      request_block(inner, step.requests[2], "UpdateItem", false);
      refusals(inner, step.refusals);
      inner.row("cost", fmt::format("{} · refused: {}", cost_text(step.cost), cost_text(step.failed_cost)));
      break;
    case PlanStep::Kind::kCascade: {
      page.line(fmt::format("{:>2}  cascade, page by page until none is left; resumable", ++count));
      request_block(inner, step.requests[0], "$item = Query", false);
      const bool alone = step.requests.size() == 2;
      inner.line(alone ? "then BatchWriteItem, 25 at a time:" : "then for each TransactWriteItems:");
      for (size_t i = 1; i < step.requests.size(); ++i) request_block(inner, step.requests[i], "Delete", false);
      inner.row("cost", cost_text(step.cost));
      break;
    }
    case PlanStep::Kind::kFor: {
      page.line(
          fmt::format("{:>2}  for each ${} of {}, side by side", ++count, step.name, expression_text(*step.value)));
      int within = 0;
      steps_text(inner, step.steps, within);
      inner.row("cost", cost_text(step.cost));
      break;
    }
  }
  page.append(inner.take());
}

void steps_text(Page& page, const std::vector<PlanStep>& steps, int& count) {
  for (const PlanStep& step : steps) step_text(page, step, count);
}

}  // namespace

std::string units_text(const Units& units) {
  if (units.best == units.worst) return number(units.typical);
  return fmt::format("{} ({} to {})", number(units.typical), number(units.best), number(units.worst));
}

std::vector<const Form*> first_forms(const Request& request) {
  std::vector<const Form*> forms;
  for (const Piece& piece : request.pieces) {
    // If-Match is a header; what is not part of an ordinary call stays out of the listing's text.
    if (piece.cause == Cause::kRevision && !piece.given.empty()) continue;
    if (!piece.forms.empty()) forms.push_back(&piece.forms[0]);
  }
  return forms;
}

std::string plan_text(const Design& design, const Plan& plan) {
  const Operation& operation = *plan.operation;
  Page page(0);
  std::vector<std::string> inputs;
  for (const Input& input : operation.takes) inputs.push_back(input.name + (input.optional ? "?" : ""));
  page.line(fmt::format("{}.{} ({})", design.name, operation.name, joined(inputs, ", ")));
  if (!operation.about.empty()) page.line("  " + operation.about);
  page.line(fmt::format("  {} request{} · {}",
                        plan.requests_most == 0 ? fmt::format("{} or more", plan.requests_least)
                                                : range_text(plan.requests_least, plan.requests_most, false),
                        plan.requests_most == 1 && plan.requests_least == 1 ? "" : "s", cost_text(plan.cost)));
  if (operation.allow) page.line(fmt::format("  allowed if {}", expression_text(*operation.allow)));
  page.blank();
  int count = 0;
  steps_text(page, plan.steps, count);
  if (plan.idempotent != nullptr) {
    page.line(fmt::format("    if {} is taken, its owner is the answer:", plan.idempotent->name));
    Page inner(4);
    int within = 0;
    steps_text(inner, plan.idempotent_steps, within);
    page.append(inner.take());
  }
  for (const auto& [failure, steps] : plan.also) {
    page.line(fmt::format("    before {} is answered:", failure->status));
    Page inner(4);
    int within = 0;
    steps_text(inner, steps, within);
    page.append(inner.take());
  }
  if (!plan.afterwards.empty()) {
    page.line("    afterwards, through the stream; changes of one second share these writes:");
    Page inner(4);
    int within = 0;
    steps_text(inner, plan.afterwards, within);
    page.append(inner.take());
  }
  for (const std::string& note : plan.notes) page.line("    note: " + note);
  return page.take();
}

}  // namespace trestle::design
