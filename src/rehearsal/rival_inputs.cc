#include "rehearsal/rival_inputs.h"

#include <algorithm>

#include "rehearsal/sample_plain.h"

namespace trestle::rehearsal {

using design::Binding;
using design::Expression;
using design::Step;
using runtime::Plain;

namespace {

constexpr size_t kOtherValuesMost = 8;

bool is_list(const Plain& value) { return value.is(Plain::Kind::kList); }

}  // namespace

RivalInputs::RivalInputs(const design::Design& design, const Drafts& drafts, const design::Operation& operation)
    : design_(design), drafts_(drafts) {
  note_steps(operation.steps, {});
  std::erase_if(groups_, [](const Group& group) { return group.names.size() < 2; });
}

// `loops`: the lists whose members the names stand for.
void RivalInputs::note_steps(const std::vector<Step>& steps, const std::map<std::string, std::string>& loops) {
  for (const Step& step : steps) {
    if (step.access) note(step.access->entity, step.access->by, loops);
    for (const design::Write& write : step.writes) {
      note(write.entity, write.by, loops);
      note(write.entity, write.set, loops);
    }
    auto inner = loops;
    if (step.kind == Step::Kind::kFor && step.value && step.value->is(Expression::Kind::kInput))
      inner[step.name] = step.value->text;
    note_steps(step.steps, inner);
  }
}

void RivalInputs::note(const std::string& entity_name, const std::vector<Binding>& bindings,
                       const std::map<std::string, std::string>& loops) {
  const design::Entity* entity = design_.entity(entity_name);
  if (entity == nullptr) return;
  for (const Binding& binding : bindings) {
    const design::Field* field = entity->field(binding.field);
    if (field == nullptr || binding.element || !entity->in_key(binding.field)) continue;
    Name name;
    if (binding.value.is(Expression::Kind::kInput) && !loops.contains(binding.value.text)) {
      name.input = binding.value.text;
    } else if (binding.value.is(Expression::Kind::kMember) && binding.value.arguments[0].is(Expression::Kind::kInput)) {
      const auto list = loops.find(binding.value.arguments[0].text);
      if (list == loops.end()) continue;
      name = {.input = list->second, .member = binding.value.text};
    } else {
      continue;
    }
    auto group = std::ranges::find(groups_, field, &Group::field);
    if (group == groups_.end()) group = groups_.insert(groups_.end(), {.entity = entity, .field = field, .names = {}});
    if (std::ranges::find(group->names, name) == group->names.end()) group->names.push_back(std::move(name));
  }
}

bool RivalInputs::has_equal(const Plain& inputs) const {
  for (const auto& [name, value] : inputs.members()) {
    if (!is_list(value)) continue;
    const Plain::List& members = value.elements();
    for (size_t i = 0; i < members.size(); ++i) {
      if (std::find(members.begin() + static_cast<ptrdiff_t>(i) + 1, members.end(), members[i]) != members.end())
        return true;
    }
  }
  return apart(inputs) != inputs;
}

// A value of a sample item, or one that no item has.
Plain RivalInputs::other_value(const Group& group, const std::vector<Plain>& used) const {
  const auto is_free = [&](const Plain& value) {
    return value.exists() && std::ranges::find(used, value) == used.end();
  };
  if (const auto drafts = drafts_.find(group.entity); drafts != drafts_.end()) {
    for (const design::SampleDraft& draft : drafts->second) {
      const auto text = draft.values.find(group.field->name);
      if (text == draft.values.end()) continue;
      if (Plain value = plain_of_text(group.field->type, text->second); is_free(value)) return value;
    }
  }
  for (size_t i = 0; i < kOtherValuesMost; ++i) {
    Plain value = sample_plain({.design = &design_,
                                .entity = group.entity->name,
                                .field = group.field->name,
                                .type = &group.field->type,
                                .index = i});
    if (is_free(value)) return value;
  }
  return {};
}

// Separates the rivals among `values`, the inputs or, with `list`, the fields of a record in that list, from each other
// and from `used`. False: there are no other values.
bool RivalInputs::set_apart(const Group& group, const std::string& list, Plain& values,
                            std::vector<Plain>& used) const {
  for (const Name& name : group.names) {
    if ((list.empty() && !name.member.empty()) || (!list.empty() && name.input != list)) continue;
    const std::string& own = list.empty() ? name.input : name.member;
    Plain value = values.member(own);
    if (!value.is(Plain::Kind::kText) && !value.is(Plain::Kind::kNumber)) continue;
    if (std::ranges::find(used, value) != used.end()) {
      value = other_value(group, used);
      if (!value.exists()) return false;
      values.set(own, value);
    }
    used.push_back(std::move(value));
  }
  return true;
}

Plain RivalInputs::apart(const Plain& inputs) const {
  Plain result = inputs;
  for (const Group& group : groups_) {
    std::vector<Plain> used;
    if (!set_apart(group, {}, result, used)) return inputs;
    for (const Name& name : group.names) {
      if (name.member.empty() || !is_list(result.member(name.input))) continue;
      Plain::List members;
      used.clear();
      for (Plain member : result.member(name.input).elements()) {
        if (!member.is(Plain::Kind::kMap) || set_apart(group, name.input, member, used))
          members.push_back(std::move(member));
      }
      result.set(name.input, Plain::list(std::move(members)));
    }
  }
  return result;
}

}  // namespace trestle::rehearsal
