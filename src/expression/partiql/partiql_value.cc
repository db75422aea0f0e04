#include "expression/partiql/partiql_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "expression/partiql/partiql_parser.h"
#include "model/limits.h"
#include "model/number.h"

namespace trestle {
namespace {

class Conversion {
 public:
  explicit Conversion(const PartiqlStatement& statement) : statement_(statement) {}

  Result<void> append(const PartiqlNode& node, unsigned depth, std::string& out) {
    if (depth >= kNestingDepthMax) {
      return invalid(fmt::format("Nesting Levels have exceeded supported limits under {}", path_));
    }
    switch (node.kind) {
      case PartiqlKind::kNull:
        append_null(out);
        return {};
      case PartiqlKind::kTrue:
        append_bool(out, true);
        return {};
      case PartiqlKind::kFalse:
        append_bool(out, false);
        return {};
      case PartiqlKind::kString:
        append_string(out, node.text);
        return {};
      case PartiqlKind::kNumber: {
        TRY_INTO(const std::string number, canonical(node));
        append_number(out, number);
        return {};
      }
      case PartiqlKind::kList:
        return append_list(node, depth, out);
      case PartiqlKind::kMap:
        return append_map(node, depth, out);
      case PartiqlKind::kBag:
        return append_bag(node, out);
      default:
        return invalid(fmt::format("Unsupported data type: {} under key {} at {}", type_shown(node), path_,
                                   position_text(node.at)));
    }
  }

 private:
  static std::string type_shown(const PartiqlNode& node) {
    switch (node.kind) {
      case PartiqlKind::kParameter:
        return "Parameter";
      case PartiqlKind::kFunction:
        return node.text;
      case PartiqlKind::kPath:
        return node.path.size() == 1 ? "VariableReference" : "Path";
      case PartiqlKind::kMissing:
        return "LiteralMissing";
      default:
        return "NAry";
    }
  }

  Result<std::string> canonical(const PartiqlNode& node) const {
    auto number = canonical_number(node.text);
    if (number) return std::move(*number);
    return invalid(fmt::format("{} under {}", number.error().message, path_));
  }

  Result<void> append_list(const PartiqlNode& node, unsigned depth, std::string& out) {
    const size_t start = begin_list(out, node.children.size());
    for (size_t i = 0; i < node.children.size(); ++i) {
      const size_t length = path_.size();
      path_ += fmt::format("[{}]", i);
      TRY(append(statement_.child(node, i), depth + 1, out));
      path_.resize(length);
    }
    end_container(out, start);
    return {};
  }

  Result<void> append_map(const PartiqlNode& node, unsigned depth, std::string& out) {
    std::map<std::string_view, std::string> fields;
    for (size_t i = 0; i < node.children.size(); i += 2) {
      const PartiqlNode& name = statement_.child(node, i);
      if (name.kind != PartiqlKind::kString) {
        return invalid(fmt::format("Unsupported data type: {} under key {} at {}", type_shown(name), path_,
                                   position_text(name.at)));
      }
      const size_t length = path_.size();
      path_ += "." + name.text;
      std::string value;
      TRY(append(statement_.child(node, i + 1), depth + 1, value));
      path_.resize(length);
      fields[name.text] = std::move(value);
    }
    const size_t start = begin_map(out, fields.size());
    for (const auto& [name, value] : fields) {
      append_sized(out, name);
      out += value;
    }
    end_container(out, start);
    return {};
  }

  Result<void> append_bag(const PartiqlNode& node, std::string& out) {
    if (node.children.empty()) return invalid("Empty bags are not supported");
    const PartiqlKind kind = statement_.child(node, 0).kind;
    std::string elements_text;
    std::vector<std::string> elements;
    for (size_t i = 0; i < node.children.size(); ++i) {
      const PartiqlNode& element = statement_.child(node, i);
      if (element.kind != kind || (kind != PartiqlKind::kString && kind != PartiqlKind::kNumber)) {
        return invalid("Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags");
      }
      elements_text += elements_text.empty() ? "" : ", ";
      elements_text += element.text;
      if (kind == PartiqlKind::kString) {
        elements.push_back(element.text);
      } else {
        TRY_INTO(std::string number, canonical(element));
        elements.push_back(std::move(number));
      }
    }
    std::vector<std::string_view> views(elements.begin(), elements.end());
    std::ranges::sort(views);
    if (std::ranges::adjacent_find(views) != views.end()) {
      return invalid_parameter(fmt::format("Input collection [{}] contains duplicates{}", elements_text,
                                           kind == PartiqlKind::kString ? "." : "! under " + path_));
    }
    append_set(out, kind == PartiqlKind::kString ? ValueType::kStringSet : ValueType::kNumberSet, std::move(views));
    return {};
  }

  const PartiqlStatement& statement_;
  std::string path_ = "root";
};

}  // namespace

Result<Value> partiql_value(const PartiqlStatement& statement, const PartiqlNode& node) {
  std::string bytes;
  TRY(Conversion(statement).append(node, 0, bytes));
  return Value(std::move(bytes));
}

}  // namespace trestle
