#include "design/language/raw_condition.h"

#include <algorithm>

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

TypeOf input_types(const Operation& operation) {
  return [&operation](std::string_view name) -> const FieldType* {
    const Input* input = operation.input(name);
    return input == nullptr ? nullptr : &input->type;
  };
}

class ConditionWalk {
 public:
  ConditionWalk(const KeySchema& schema, const Operation& operation, RawCondition& out)
      : operation_(operation), out_(out) {
    for (const auto& attribute : schema.hash) attributes_.push_back(attribute.name);
    for (const auto& attribute : schema.range) attributes_.push_back(attribute.name);
    hashes_ = schema.hash.size();
    out_.strings.assign(attributes_.size(), StringSet::anything());
    out_.equal.assign(attributes_.size(), false);
    out_.constant.assign(attributes_.size(), false);
    out_.fields.resize(attributes_.size());
  }

  void walk(const Expression& e) {
    switch (e.kind) {
      case Kind::kAnd:
        for (const Expression& side : e.arguments) walk(side);
        return;
      case Kind::kCompare:
        if (e.text == "=") {
          const size_t before = out_.inputs.size();
          const StringSet strings = value_strings(e.arguments[1]);
          const auto index = position(e.arguments[0]);
          if (index) out_.fields[*index].assign(out_.inputs.begin() + static_cast<long>(before), out_.inputs.end());
          return admit(e.arguments[0], strings, true, is_constant(e.arguments[1]));
        }
        return admit(e.arguments[0], StringSet::anything(), false, false);
      case Kind::kBetween: {
        value_strings(e.arguments[1]);
        value_strings(e.arguments[2]);
        return admit(e.arguments[0], between(e.arguments[1], e.arguments[2]), false, false);
      }
      case Kind::kCall:
        if (e.text == "begins_with" && e.arguments.size() == 2) {
          return admit(e.arguments[0], StringSet(value_strings(e.arguments[1])).then(StringSet::anything()), false,
                       false);
        }
        return;
      default:
        return;
    }
  }

 private:
  std::optional<size_t> position(const Expression& attribute) const {
    const auto found = std::find(attributes_.begin(), attributes_.end(), attribute.text);
    if (!attribute.is(Kind::kName) || found == attributes_.end()) return std::nullopt;
    return static_cast<size_t>(found - attributes_.begin());
  }

  bool is_constant(const Expression& value) const {
    if (value.is(Kind::kNumber)) return true;
    Findings ignored;
    const auto key =
        value.is(Kind::kText) && !value.text.empty() ? parse_template(value.text, {}, ignored) : std::nullopt;
    return key && key->is_literal();
  }

  StringSet value_strings(const Expression& value) {
    if (value.is(Kind::kText) && !value.text.empty()) {
      Findings ignored;
      if (const auto key = parse_template(value.text, {}, ignored)) {
        for (const std::string& field : key->fields()) out_.inputs.push_back(field);
        return strings_of(*key, input_types(operation_));
      }
    }
    if (value.is(Kind::kNumber)) return StringSet::literal(value.text);
    if (value.is(Kind::kInput)) {
      out_.inputs.push_back(value.text);
      if (const Input* input = operation_.input(value.text)) return strings_of(input->type);
    }
    return StringSet::anything();
  }

  // The common literal prefix of both bounds, then anything.
  static StringSet between(const Expression& low, const Expression& high) {
    Findings ignored;
    const auto a = low.is(Kind::kText) && !low.text.empty() ? parse_template(low.text, {}, ignored) : std::nullopt;
    const auto b = high.is(Kind::kText) && !high.text.empty() ? parse_template(high.text, {}, ignored) : std::nullopt;
    if (!a || !b) return StringSet::anything();
    const std::string x = a->literal_prefix();
    const std::string y = b->literal_prefix();
    size_t same = 0;
    while (same < x.size() && same < y.size() && x[same] == y[same]) ++same;
    return StringSet::literal(x.substr(0, same)).then(StringSet::anything());
  }

  void admit(const Expression& attribute, const StringSet& strings, bool equal, bool constant) {
    if (!attribute.is(Kind::kName)) return;
    if (!attribute.truth) out_.bare_names.push_back(attribute.text);
    const auto found = std::find(attributes_.begin(), attributes_.end(), attribute.text);
    if (found == attributes_.end()) {
      out_.other_attributes.push_back(attribute.text);
      return;
    }
    const auto index = static_cast<size_t>(found - attributes_.begin());
    out_.strings[index] = strings;
    out_.equal[index] = equal;
    out_.constant[index] = constant;
    if (index >= hashes_) out_.has_range = true;
  }

  const Operation& operation_;
  RawCondition& out_;
  std::vector<std::string> attributes_;
  size_t hashes_ = 1;
};

}  // namespace

RawCondition read_raw_condition(const Expression& where, const KeySchema& schema, const Operation& operation) {
  RawCondition condition;
  ConditionWalk(schema, operation, condition).walk(where);
  return condition;
}

}  // namespace trestle::design
