#include "design/export/export_typescript.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/json/json_writer.h"
#include "design/export/field_schema.h"
#include "design/export/typescript_keys.h"
#include "design/export/typescript_runtime.h"
#include "design/language/word.h"

namespace trestle::design {
namespace {

// "site-catalog" -> SiteCatalog
std::string pascal(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      upper = true;
    } else {
      out.push_back(upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
      upper = false;
    }
  }
  return out;
}

std::string type_name(const FieldType& type) {
  switch (type.base) {
    case BaseType::kInt:
    case BaseType::kNumber:
    case BaseType::kMoney:
    case BaseType::kEpoch:
      return "number";
    case BaseType::kBool:
      return "boolean";
    case BaseType::kEnum: {
      std::string out;
      for (const std::string& value : type.values) out += (out.empty() ? "" : " | ") + json_quoted(value);
      return out;
    }
    case BaseType::kSet:
    case BaseType::kList: {
      const std::string inner = type_name(*type.element);
      return inner.find(' ') == std::string::npos ? inner + "[]" : "(" + inner + ")[]";
    }
    case BaseType::kMap:
      return fmt::format("Record<string, {}>", type_name(*type.element));
    case BaseType::kRecord:
      return type.record;
    case BaseType::kAny:
      return "unknown";
    default:
      return "string";
  }
}

void append_about(std::string& out, std::string_view about, std::string_view indent) {
  if (about.empty()) return;
  std::string text(about);
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.replace(at, 2, "* /");
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  out += fmt::format("{}/** {} */\n", indent, text);
}

void append_member(std::string& out, std::string_view name, bool optional, std::string_view type) {
  out += fmt::format("  {}{}: {};\n", typescript_member(name), optional ? "?" : "", type);
}

// The type of an item that the access returns. In a query of several entities, `_entity` tells them apart.
std::string found_type(const Access& access) {
  if (access.others.empty()) return access.entity;
  const auto tagged = [](const std::string& entity) {
    return fmt::format("({} & {{ {}: {} }})", entity, kEntityMember, json_quoted(entity));
  };
  std::string out = tagged(access.entity);
  for (const auto& [entity, index] : access.others) out += " | " + tagged(entity);
  return out;
}

// The TypeScript types of an operation's answers.
class Answers {
 public:
  Answers(const Design& design, const Operation& operation) : design_(design), operation_(operation) {
    each_step(operation.steps, [&](const Step& step) {
      if (step.access && !step.name.empty() && !step.access->others.empty())
        several_[step.name] = fmt::format("({})[]", found_type(*step.access));
      else if (step.access && !step.name.empty())
        found_[step.name] = {design.entity(step.access->entity),
                             step.access->kind != Access::Kind::kGet && !step.access->one};
    });
  }

  std::string of(const Answer& answer) const {
    if (answer.each && answer.key) return "Record<string, unknown>";
    if (answer.each) {
      const bool object = answer.of && (!answer.of->members.empty() || answer.of->each);
      return object ? of(*answer.of) + "[]" : "unknown[]";
    }
    if (answer.value) return of(*answer.value);
    std::string out = "{ ";
    for (const auto& [name, member] : answer.members) {
      const std::string type = of(member);
      // The server omits members whose value is absent.
      out += fmt::format("{}{}: {}; ", typescript_member(name),
                         member.value && !member.value->is(Expression::Kind::kInput) ? "?" : "", type);
    }
    return out + "}";
  }

 private:
  std::string of(const Expression& value) const {
    if (value.is(Expression::Kind::kInput)) {
      if (const Input* input = operation_.input(value.text)) return type_name(input->type);
      if (const auto step = several_.find(value.text); step != several_.end()) return step->second;
      if (const auto step = found_.find(value.text); step != found_.end() && step->second.first != nullptr)
        return step->second.first->name + (step->second.second ? "[]" : "");
    }
    if (value.is(Expression::Kind::kMember) && value.arguments[0].is(Expression::Kind::kInput)) {
      const auto step = found_.find(value.arguments[0].text);
      const Field* field = step == found_.end() || step->second.first == nullptr || step->second.second
                               ? nullptr
                               : step->second.first->field(value.text);
      if (field != nullptr) return type_name(field->type);
    }
    if (value.is_name("items") && operation_.access && design_.entity(operation_.access->entity) != nullptr)
      return operation_.access->others.empty() ? operation_.access->entity + "[]"
                                               : fmt::format("({})[]", found_type(*operation_.access));
    if (value.is(Expression::Kind::kBool) || value.is(Expression::Kind::kCompare)) return "boolean";
    if (value.is(Expression::Kind::kCall) && value.text == "count") return "number";
    return "any";
  }

  const Design& design_;
  const Operation& operation_;
  std::map<std::string, std::pair<const Entity*, bool>> found_;
  std::map<std::string, std::string> several_;  // TypeScript types of queries of several entities
};

std::string item_type(const Design& design, const Operation& operation) {
  if (operation.returns) {
    for (const AnswerMember& member : operation.returns->members) {
      if (member.name != "items") continue;
      std::string list = Answers(design, operation).of(member.answer);
      return list.ends_with("[]") ? list.substr(0, list.size() - 2) : "any";
    }
  }
  const Entity* entity = subject(design, operation);
  if (entity == nullptr) return "Record<string, unknown>";
  if (operation.access && !operation.access->others.empty()) return fmt::format("({})", found_type(*operation.access));
  if (!operation.access || operation.access->fields.empty()) return entity->name;
  std::string names;
  for (const std::string& name : operation.access->fields) names += (names.empty() ? "" : " | ") + json_quoted(name);
  return fmt::format("Pick<{}, {}>", entity->name, names);
}

void append_entities(std::string& out, const Design& design) {
  for (const NamedRecord& type : design.types) {
    if (!is_record(type)) continue;
    out += fmt::format("\nexport interface {} {{\n", type.name);
    for (const Field& field : type.fields)
      append_member(out, field.name, field.optional || field.default_value, type_name(field.type));
    out += "}\n";
  }
  for (const Entity& entity : design.entities) {
    out += "\n";
    append_about(out, entity.about, "");
    out += fmt::format("export interface {} {{\n", entity.name);
    for (const Field& field : entity.fields) {
      if (!field.secret) append_member(out, field.name, field.optional, type_name(field.type));
    }
    if (entity.additional) out += "  [attribute: string]: unknown;\n";
    out += "}\n";
  }
}

void append_inputs(std::string& out, const Design& design, const Operation& operation) {
  out += fmt::format("\nexport interface {}Inputs{} {{\n", upper_first(operation.name),
                     answers_list(operation) ? " extends ListOptions" : "");
  for (const Input& input : operation.takes) {
    const bool null = null_removes(design, operation, input);
    append_member(out, input.name, input.optional || input.default_value,
                  type_name(input.type) + (null ? " | null" : ""));
  }
  if (operation.additional) out += "  [attribute: string]: unknown;\n";
  out += "}\n";
  if (operation.returns && !answers_list(operation)) {
    out += fmt::format("export type {}Answer = {};\n", upper_first(operation.name),
                       Answers(design, operation).of(*operation.returns));
  } else if (!answers_list(operation)) {
    out += fmt::format("export interface {}Answer {{\n  item: {};\n}}\n", upper_first(operation.name),
                       item_type(design, operation));
  }
}

void append_method(std::string& out, const Design& design, const Operation& operation) {
  const std::string name = upper_first(operation.name);
  const bool may_be_left_out =
      std::ranges::all_of(operation.takes, [](const Input& input) { return input.optional || input.default_value; });
  const std::string inputs = fmt::format("inputs: {}Inputs{}", name, may_be_left_out ? " = {}" : "");
  const std::string path = fmt::format("/designs/{}/{}", design.name, operation.name);
  out += "\n";
  append_about(out, operation.about, "  ");
  if (answers_list(operation)) {
    const std::string item = item_type(design, operation);
    out += fmt::format(
        "  {}({}, options?: CallOptions): Paged<{}> {{\n    return this.list<{}>('{}', inputs, options);\n  }}\n",
        operation.name, inputs, item, item, path);
  } else {
    out += fmt::format(
        "  {0}({1}, options?: {2}): Promise<{3}Answer> {{\n    return this.call<{3}Answer>('{4}', inputs, options);\n  "
        "}}\n",
        operation.name, inputs, operation.is_write ? "WriteOptions" : "CallOptions", name, path);
  }
}

}  // namespace

Exported export_typescript(const Design& design) {
  Exported out;
  out.text =
      fmt::format("// Client of the design {} (version {}). Generated by `trestle design export --to typescript`.\n\n",
                  design.name, design.version);
  out.text += kTypescriptRuntime;
  append_entities(out.text, design);
  out.text += typescript_keys(design);
  for (const Operation& operation : design.operations) append_inputs(out.text, design, operation);
  out.text += "\n";
  append_about(out.text, design.about, "");
  out.text += fmt::format(
      "export class {}Client extends Caller {{\n  constructor(options: ClientOptions) {{\n    super(options);\n  }}\n",
      pascal(design.name));
  for (const Operation& operation : design.operations) append_method(out.text, design, operation);
  out.text += "}\n";
  return out;
}

}  // namespace trestle::design
