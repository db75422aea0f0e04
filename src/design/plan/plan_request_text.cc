#include "design/plan/plan_request_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/plan/plan_text.h"

namespace trestle::design {
namespace {

std::string number(double value) {
  if (value == static_cast<double>(static_cast<int64_t>(value))) return fmt::format("{}", static_cast<int64_t>(value));
  return fmt::format("{:.1f}", value);
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
    case Cause::kRange:
      text = "if out of range";
      break;
    case Cause::kGuard:
      text = "if taken";
      break;
  }
  std::string result = fmt::format("{} {}", refusal.status, text);
  if (refusal.retries_max > 0)
    result = fmt::format("{}: retried {} times, then {}", text, refusal.retries_max, refusal.status);
  if (!refusal.message.empty()) result += fmt::format(" \"{}\"", refusal.message);
  if (refusal.failure != nullptr && !refusal.failure->also.empty()) result += ", after the steps below";
  return result;
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

// Whether the form would set a least or greatest value that the change does not have.
bool has_no_value(const Form& form) {
  return form.section == Section::kSet && form.values.size() == 1 && source_text(form.values[0].source) == "$none";
}

bool is_simple(const ValueSource& source, std::string_view name) {
  return source.kind == ValueSource::Kind::kExpression && source_text(source) == fmt::format("${}", name);
}

std::string times_text(const Request& request) {
  if (request.each != nullptr) {
    return fmt::format(" · one for each `member` {} {}, {}",
                       request.follows == Request::Follows::kOldValue ? "removed from" : "added to",
                       request.each->field,
                       request.unbounded ? "no limit" : fmt::format("at most {}", number(request.times_most)));
  }
  if (request.tally != nullptr && request.follows == Request::Follows::kOldValue)
    return " · subtracts the old item, if it existed";
  if (request.guard != nullptr && request.kind == RequestKind::kUpdateItem)
    return " · refreshed, if the guard does not change";
  return {};
}

void fields_rows(Page& page, const Request& request) {
  // Shows only fields that the request uses and that are not simply the input of the same name.
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
    parts.push_back(
        fmt::format("{} = sha256({}) mod the shard count of its epoch", request.shard->field, request.shard->of));
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
    // Printed as in the joined condition, with parentheses where needed.
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
    if (piece.choice == Piece::Choice::kByItem) {
      page.row("or", piece.forms[1].condition);
      continue;
    }
    if (piece.choice == Piece::Choice::kByExtreme) {
      for (const Form& form : piece.forms) {
        const bool first = std::find(forms.begin(), forms.end(), &form) != forms.end();
        if (first || has_no_value(form)) continue;
        const std::string_view section = form.section == Section::kRemove ? "REMOVE " : "SET ";
        std::vector<std::string> parts = {
            fmt::format("{}{} if {}", form.text.empty() ? "not written" : section, form.text, form.condition)};
        for (const std::string& value : value_texts(form.values)) parts.push_back(value);
        page.list("or", parts, "   ");
      }
      continue;
    }
    // A removed member: forms[3] writes nothing if there is no map.
    const bool removes = piece.choice == Piece::Choice::kByMember && piece.forms[0].section == Section::kRemove;
    const Form& other = piece.forms[removes ? 3 : 1];
    std::string what = other.text.empty() ? "not written" : fmt::format("SET {}", other.text);
    std::vector<std::string> parts = {fmt::format("{} if {}", what, other.condition)};
    for (const std::string& value : value_texts(other.values)) parts.push_back(value);
    page.list("or", parts, "   ");
  }
  std::vector<std::string> optional;
  std::vector<std::string> absent;
  for (const Piece& piece : request.pieces) {
    for (const std::string& input : piece.trigger_inputs) {
      if (input == "if_match") continue;
      if (std::find(optional.begin(), optional.end(), "$" + input) == optional.end()) optional.push_back("$" + input);
    }
    const bool sets_member = piece.choice == Piece::Choice::kByMember && piece.forms[0].section == Section::kSet;
    if (!sets_member && (piece.choice != Piece::Choice::kByValue || piece.forms.size() < 2)) continue;
    const Form& other = piece.forms[sets_member ? 2 : 1];
    absent.push_back(other.section == Section::kRemove ? fmt::format("REMOVE {}", other.text)
                     : other.section == Section::kSet  ? fmt::format("SET {}", other.text)
                                                       : other.condition);
    if (other.section == Section::kSet && !sets_member) {
      for (const std::string& value : value_texts(other.values)) absent.push_back(value);
    }
  }
  if (!absent.empty()) page.list("absent", absent, ", ");
  if (!optional.empty())
    page.row("given", fmt::format("the parts for {} are sent only if the input is present", joined(optional, ", ")));
}

void read_rows(Page& page, const Request& request) {
  if (!request.key.empty()) page.list("key", value_texts(request.key), "   ");
  if (!request.key_condition.empty()) page.row("key", request.key_condition);
  if (!request.filter.empty()) page.row("filter", request.filter);
  if (!request.projection.empty()) page.row("fields", fmt::format("{}", fmt::join(request.projection, ", ")));
  if (!name_texts(request.names).empty()) page.list("names", name_texts(request.names), "   ");
  if (!request.values.empty()) page.list("values", value_texts(request.values), "   ");
  std::vector<std::string> how;
  if (request.consistent) how.push_back("consistent");
  if (request.descending) how.push_back("descending");
  if (request.limit > 0) how.push_back(fmt::format("limit {}", request.limit));
  if (request.paging == Request::Paging::kAll) how.push_back("every page");
  if (request.paging == Request::Paging::kPage) how.push_back("a page, then `next`");
  if (request.hides_expired && request.filter.find("ttl") == std::string::npos) how.push_back("absent if expired");
  if (request.cached_s > 0) how.push_back(fmt::format("cached for {}", duration_text(request.cached_s)));
  if (!how.empty()) page.row("how", joined(how, ", "));
  if (request.fan_out && request.shard != nullptr) {
    page.row(
        "shards",
        fmt::format("one Query for each {} of the requested epochs ({} to {}), merged in the order of the sort key",
                    request.shard->field, number(request.times_least), number(request.times_most)));
  }
  if (request.reads_again)
    page.row("then",
             fmt::format("BatchGetItem {}: {} does not project every field needed", request.table, request.index));
}

}  // namespace

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

void refusal_rows(Page& page, const std::vector<Refusal>& list) {
  bool first = true;
  for (const Refusal& refusal : list) {
    page.row(first ? "else" : "", refusal_text(refusal));
    first = false;
  }
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

void request_block(Page& page, const Request& request, std::string_view title, bool with_cost) {
  page.line(fmt::format("{} {}{}", title, subject_of(request), times_text(request)));
  if (request.when) page.row("when", expression_text(*request.when));
  if (request.holds) page.row("holds", expression_text(*request.holds));
  if (request.while_field != nullptr) page.row("when", fmt::format("{} has a value", request.while_field->name));
  const bool read = request.kind == RequestKind::kGetItem || request.kind == RequestKind::kQuery ||
                    request.kind == RequestKind::kScan;
  if (read)
    read_rows(page, request);
  else
    write_rows(page, request);
  fields_rows(page, request);
  refusal_rows(page, request.refusals);
  if (with_cost) page.row("cost", cost_text(request.cost));
  const auto figures = exact_figures(request);
  const bool refused = request.tally != nullptr && !request.tally->through_stream;
  Page inner(page.depth() + 2);
  for (size_t i = 0; i < request.extreme_reads.size() && i < figures.size(); ++i) {
    inner.line(fmt::format("only if the write removes the current {}, {}:", figures[i],
                           refused ? "after a refused attempt" : "before this"));
    request_block(inner, request.extreme_reads[i], "$left = Query", true);
  }
  page.append(inner.take());
}

std::vector<std::string> exact_figures(const Request& request) {
  std::vector<std::string> names;
  for (const Piece& piece : request.pieces) {
    if (piece.choice == Piece::Choice::kByExtreme && piece.forms.size() > 2) names.push_back(piece.attribute);
  }
  return names;
}

std::string units_text(const Units& units) {
  if (units.best == units.worst) return number(units.typical);
  return fmt::format("{} ({} to {})", number(units.typical), number(units.best), number(units.worst));
}

std::vector<const Form*> first_forms(const Request& request) {
  std::vector<const Form*> forms;
  for (const Piece& piece : request.pieces) {
    // If-Match is a header; conditions that an ordinary call does not send are not listed.
    if (piece.cause == Cause::kRevision && !piece.trigger_inputs.empty()) continue;
    if (piece.forms.empty()) continue;
    // If the change has no new value, the first attempt leaves the extreme as it is.
    const bool stays = piece.choice == Piece::Choice::kByExtreme && has_no_value(piece.forms[0]);
    forms.push_back(&piece.forms[stays ? 1 : 0]);
  }
  return forms;
}

}  // namespace trestle::design
