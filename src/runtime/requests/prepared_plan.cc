#include "runtime/requests/prepared_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/contains.h"
#include "runtime/requests/brief_plan.h"

namespace trestle::runtime {

using design::Expression;
using design::PlanStep;
using design::Request;
using design::RequestKind;
using design::ValueSource;

namespace {

constexpr size_t kTextsMax = 128;

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (!list_contains(list, name)) list.push_back(name);
}

void add_key(std::vector<std::string>& list, const KeySchema& key) {
  for (const auto& attribute : key.hash) add_once(list, attribute.name);
  for (const auto& attribute : key.range) add_once(list, attribute.name);
}

bool same_expression(const Expression& a, const Expression& b) {
  return a.kind == b.kind && a.text == b.text && a.duration_s == b.duration_s && a.truth == b.truth &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(), same_expression);
}

template <class Visit>
void each_source(const Request& request, const Visit& visit) {
  for (const auto& field : request.fields) visit(field.source);
  for (const auto* list : {&request.key, &request.item, &request.values}) {
    for (const auto& value : *list) visit(value.source);
  }
  for (const design::Piece& piece : request.pieces) {
    for (const design::Form& form : piece.forms) {
      for (const auto& value : form.values) visit(value.source);
    }
  }
}

}  // namespace

bool is_closed(const design::Entity& entity, const design::Field& field) {
  return design::is_stored_closed(entity, field);
}

bool has_closed_fields(const design::Entity& entity) {
  return std::any_of(entity.fields.begin(), entity.fields.end(),
                     [&](const design::Field& field) { return is_closed(entity, field) && !field.secret; });
}

// ---- A piece of text -----------------------------------------------------------------------------------------------

PlaceholderText::PlaceholderText(std::string_view text) {
  if (text.empty()) return;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  std::string part;
  bool in_placeholder = false;
  for (const char c : text) {
    if (in_placeholder && !is_word(c)) {
      parts_.push_back(std::exchange(part, {}));
      in_placeholder = false;
    }
    in_placeholder |= c == '#' || c == ':';
    part += c;
  }
  if (in_placeholder) parts_.push_back(std::exchange(part, {}));
  parts_.push_back(std::move(part));
}

std::string PlaceholderText::with(const std::string& suffix) const {
  std::string text;
  for (size_t i = 0; i < parts_.size(); ++i) text += i + 1 < parts_.size() ? parts_[i] + suffix : parts_[i];
  return text;
}

// ---- A request ----------------------------------------------------------------------------------------------------

PreparedRequest::PreparedRequest(const design::Design& design, const Request& from)
    : request(from),
      table(design.table(from.table)),
      projection(fmt::format("{}", fmt::join(from.projection, ", "))),
      current(from.current) {
  for (const design::PlannedName& name : request.names) {
    if (!name.member) names.emplace_back(name.placeholder, name.attribute);
  }
  for (const design::Piece& piece : request.pieces) {
    auto& prepared = forms.emplace_back();
    for (const design::Form& form : piece.forms)
      prepared.push_back(
          {.text = PlaceholderText(form.text), .condition = PlaceholderText(form.condition), .has_or = form.has_or});
  }
  if (table != nullptr) {
    const design::Index* index = request.index.empty() ? nullptr : table->index(request.index);
    const KeySchema& key = index == nullptr ? table->key : index->key;
    for (const auto& attribute : key.range) order.push_back(attribute.name);
    add_key(table_key, table->key);
    start_key = table_key;
    add_key(start_key, key);
    if (!projection.empty()) {
      for (const std::string& attribute : start_key) {
        const auto same = [&](const auto& name) { return name.second == attribute; };
        const auto known = std::find_if(names.begin(), names.end(), same);
        std::string placeholder = known == names.end() ? fmt::format("#key_{}", names.size()) : known->first;
        if (known == names.end()) names.emplace_back(placeholder, attribute);
        if (!list_contains(request.projection, placeholder)) projection += ", " + placeholder;
      }
    }
  }
  if (table != nullptr && request.entity != nullptr && !request.raw && request.finds.empty() &&
      (request.kind == RequestKind::kQuery || request.kind == RequestKind::kScan)) {
    may_find_others = std::ranges::any_of(design.entities, [&](const design::Entity& entity) {
      return entity.table == table->name && (&entity != request.entity || !entity.unique.empty());
    });
  }
  each_source(request, [&](const ValueSource& source) {
    if (source.kind != ValueSource::Kind::kExpression || source.field == nullptr) return;
    for (size_t i = 0; i < request.fields.size(); ++i) {
      const design::FieldValue& field = request.fields[i];
      if (field.field == source.field && &field.source != &source &&
          same_expression(field.source.expression, source.expression))
        field_of[&source] = i;
    }
  });
}

std::shared_ptr<const RequestText> PreparedRequest::make_text(const ChosenForms& chosen) const {
  std::vector<const design::Form*> pieces;
  for (size_t i = 0; i < request.pieces.size(); ++i)
    pieces.push_back(chosen[i] < 0 ? nullptr : &request.pieces[i].forms[static_cast<size_t>(chosen[i])]);
  auto result = std::make_shared<RequestText>();
  result->text = design::plan_text_of(pieces);
  for (const design::PlannedName& name : result->text.names) {
    if (name.member)
      result->members.emplace_back(name.placeholder, &*name.member);
    else
      result->names.emplace_back(name.placeholder, name.attribute);
  }
  return result;
}

std::shared_ptr<const RequestText> PreparedRequest::text(const ChosenForms& chosen) const {
  {
    const MutexLock lock(mutex_);
    const auto found = texts_.find(chosen);
    if (found != texts_.end()) return found->second;
  }
  auto result = make_text(chosen);
  const MutexLock lock(mutex_);
  if (texts_.size() < kTextsMax) texts_.emplace(chosen, result);
  return result;
}

// ---- A plan -------------------------------------------------------------------------------------------------------

PreparedPlan::PreparedPlan(const design::Design& the_design, const design::Operation& the_operation)
    : design(the_design), operation(the_operation), plan(design::plan_operation(the_design, the_operation)) {
  prepare(plan.steps);
  prepare(plan.idempotent_steps);
  for (const auto& [failure, steps] : plan.also) prepare(steps);
  note_uses();
  note_lists(plan.steps);
  for (const auto& [failure, steps] : plan.also) note_lists(steps);
  find_lets();
  find_job_names();

  is_brief = is_brief_plan(operation, plan);
  const auto look = [&](const auto& self, const std::vector<PlanStep>& steps) -> void {
    for (const PlanStep& step : steps) {
      cascades |= step.kind == PlanStep::Kind::kCascade;
      for (const Request& request : step.requests) {
        const bool page = request.paging == Request::Paging::kPage &&
                          (request.kind == RequestKind::kQuery || request.kind == RequestKind::kScan);
        is_list |= page && step.kind == PlanStep::Kind::kRead;
        for (const design::Piece& piece : request.pieces) has_revision_check |= piece.cause == design::Cause::kRevision;
      }
      undoes |= !step.undo.empty();
      self(self, step.steps);
      self(self, step.undo);
    }
  };
  look(look, plan.steps);
}

void PreparedPlan::prepare(const std::vector<PlanStep>& steps) {
  for (const PlanStep& step : steps) {
    for (const Request& request : step.requests) {
      requests_[&request] = std::make_unique<PreparedRequest>(design, request);
      if (!request.current.empty()) observed_.insert(request.current);
      if (!request.extras_from.empty()) observed_.insert(request.extras_from);
    }
    prepare(step.steps);
    prepare(step.undo);
  }
}

const std::vector<PlanStep>* PreparedPlan::also(const design::Failure* failure) const {
  if (failure == nullptr) return nullptr;
  for (const auto& [key, steps] : plan.also) {
    if (key == failure) return &steps;
  }
  return nullptr;
}

bool PreparedPlan::is_shard_count(const PlanStep& step) const {
  if (step.kind != PlanStep::Kind::kRead || step.requests.size() != 1 || step.requests[0].entity == nullptr)
    return false;
  return std::any_of(design.entities.begin(), design.entities.end(), [&](const design::Entity& entity) {
    const design::Shard* shard = entity.shard(step.name);
    return shard != nullptr && shard->count_entity == step.requests[0].entity->name;
  });
}

void PreparedPlan::note_use(const Expression& e) {
  const bool named = e.is(Expression::Kind::kMember) &&
                     (e.arguments[0].is(Expression::Kind::kInput) || e.arguments[0].is_name("items"));
  if (named) {
    uses_[e.arguments[0].text].fields.insert(e.text);
    return;
  }
  if (e.is(Expression::Kind::kInput) || e.is_name("items")) uses_[e.text].whole = true;
  for (const Expression& argument : e.arguments) note_use(argument);
}

void PreparedPlan::note_use(const ValueSource& source) {
  note_use(source.expression);
  if (source.member) note_use(*source.member);
}

void PreparedPlan::note_use(const design::Answer& answer) {
  for (const auto* e : {&answer.value, &answer.each, &answer.key, &answer.where}) {
    if (*e) note_use(**e);
  }
  if (answer.of) note_use(*answer.of);
  for (const auto& [name, member] : answer.members) note_use(member);
}

void PreparedPlan::note_uses(const std::vector<PlanStep>& steps) {
  for (const PlanStep& step : steps) {
    for (const auto* e : {&step.when, &step.value}) {
      if (*e) note_use(**e);
    }
    for (const design::Binding* binding : step.lets) note_use(binding->value);
    for (const Request& request : step.requests) {
      each_source(request, [&](const ValueSource& source) { note_use(source); });
      if (request.when) note_use(*request.when);
      if (request.holds) note_use(*request.holds);
    }
    note_uses(step.steps);
    note_uses(step.undo);
  }
}

void PreparedPlan::note_uses() {
  note_uses(plan.steps);
  for (const auto& [failure, steps] : plan.also) note_uses(steps);
  if (operation.returns)
    note_use(*operation.returns);
  else
    uses_["item"].whole = uses_["items"].whole = uses_["$first"].whole = true;
}

// What is used of a loop's member is used of the list's items. Inner loops first: they may run over a list that is the
// member of an outer one.
void PreparedPlan::note_lists(const std::vector<PlanStep>& steps) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    note_lists(step->steps);
    note_lists(step->undo);
    if (step->kind != PlanStep::Kind::kFor || !step->value || !step->value->is(Expression::Kind::kInput)) continue;
    if (is_observed(step->name)) observed_.insert(step->value->text);
    if (const auto member = uses_.find(step->name); member != uses_.end()) {
      const Use use = member->second;
      Use& list = uses_[step->value->text];
      list.whole |= use.whole;
      list.fields.insert(use.fields.begin(), use.fields.end());
    }
  }
}

bool PreparedPlan::opens(std::string_view name, const design::Entity& entity) const {
  const auto use = uses_.find(name);
  if (use == uses_.end()) return false;
  if (use->second.whole && has_closed_fields(entity)) return true;
  return std::any_of(entity.fields.begin(), entity.fields.end(), [&](const design::Field& field) {
    return is_closed(entity, field) && use->second.fields.contains(field.name);
  });
}

void PreparedPlan::find_lets() {
  design::each_step(operation.steps, [&](const design::Step& step) {
    for (const design::Binding& binding : step.values) {
      design::each_write(operation, [&](const design::Write& write, const design::Step&) {
        const design::Entity* entity = design.entity(write.entity);
        const bool bound = std::any_of(write.set.begin(), write.set.end(),
                                       [&](const design::Binding& set) { return set.field == binding.field; });
        const design::Field* field = entity == nullptr || bound ? nullptr : entity->field(binding.field);
        if (field != nullptr && write.sets_inputs) let_fields.emplace(binding.field, field);
      });
    }
  });
}

void PreparedPlan::find_job_names() {
  size_t first = 0;
  while (first < plan.steps.size() &&
         std::none_of(
             plan.steps[first].requests.begin(), plan.steps[first].requests.end(),
             [](const Request& request) { return request.table == design::kJournalTable; }))
    ++first;
  const auto look = [&](const Expression& e) {
    design::each_expression(e, [&](const Expression& part) {
      if (part.is(Expression::Kind::kInput)) add_once(job_names, part.text);
    });
  };
  const auto visit = [&](const auto& self, const PlanStep& step) -> void {
    for (const auto* e : {&step.when, &step.value}) {
      if (*e) look(**e);
    }
    for (const design::Binding* binding : step.lets) look(binding->value);
    for (const Request& request : step.requests)
      each_source(request, [&](const ValueSource& source) { look(source.expression); });
    for (const PlanStep& inner : step.steps) self(self, inner);
  };
  for (size_t i = first + 1; i < plan.steps.size(); ++i) visit(visit, plan.steps[i]);
}

}  // namespace trestle::runtime
