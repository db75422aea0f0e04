// T113, T615: examples that do not match the design, or contradict each other.
#include <fmt/format.h>

#include <algorithm>

#include "design/check/check_impl.h"

namespace trestle::design {

// Two examples with the same key show the same item, so their attributes must have the same values.
static void contradicting_examples(const Entity& entity, const Table& table, Findings& findings) {
  const auto value = [](const Example& example, std::string_view name) {
    for (const auto& [attribute, text] : example.attributes) {
      if (attribute == name) return std::string_view(text);
    }
    return std::string_view();
  };
  for (size_t i = 0; i < entity.examples.size(); ++i) {
    for (size_t j = i + 1; j < entity.examples.size(); ++j) {
      const Example& first = entity.examples[i];
      const Example& second = entity.examples[j];
      bool one_item = true;
      for (const auto* attributes : {&table.key.hash, &table.key.range}) {
        for (const KeyAttribute& attribute : *attributes) {
          const std::string_view key = value(first, attribute.name);
          one_item = one_item && !key.empty() && key == value(second, attribute.name);
        }
      }
      if (!one_item) continue;
      for (const auto& [name, text] : second.attributes) {
        const std::string_view other = value(first, name);
        if (other.empty() || other == text) continue;
        findings.add("T615", Severity::kWarning, second.place,
                     fmt::format("two examples show the same {} item, but `{}` is `{}` in one and `{}` in the other",
                                 entity.name, name, other, text),
                     "find out which of the two is right, and correct the other");
      }
    }
  }
}

void check_examples(const CheckContext& context, Findings& findings) {
  for (const Entity& entity : context.design.entities) {
    const Table* table = context.design.table(entity.table);
    if (table == nullptr) continue;
    contradicting_examples(entity, *table, findings);
    for (const Example& example : entity.examples) {
      const auto value = [&](std::string_view name) -> const std::string* {
        for (const auto& [attribute, text] : example.attributes) {
          if (attribute == name) return &text;
        }
        return nullptr;
      };
      const auto wrong = [&](std::string message) {
        findings.add("T113", Severity::kWarning, example.place,
                     fmt::format("the example of {} {}", entity.name, message), "correct the example or the design");
      };
      const auto compare = [&](const KeySchema& schema, const std::vector<Template>& key, bool required) {
        std::vector<KeyAttribute> attributes = schema.hash;
        attributes.insert(attributes.end(), schema.range.begin(), schema.range.end());
        for (size_t i = 0; i < attributes.size() && i < key.size(); ++i) {
          const std::string* text = value(attributes[i].name);
          if (text == nullptr) {
            if (required) wrong(fmt::format("has no {}", attributes[i].name));
          } else if (!strings_of(key[i], types_of(entity)).contains(*text)) {
            wrong(fmt::format("has {} = `{}`, which does not match `{}`", attributes[i].name, *text, key[i].text));
          }
        }
      };
      // An example without the table's key lists fields: each must exist and match its type.
      const bool stored = value(table->key.hash[0].name) != nullptr || entity.field(table->key.hash[0].name) != nullptr;
      if (!stored) {
        for (const auto& [name, text] : example.attributes) {
          const Field* field = entity.field(name);
          if (field == nullptr)
            wrong(fmt::format("has `{}`, which is not a field of the entity", name));
          else if (is_scalar(field->type) && !strings_of(field->type).contains(text))
            wrong(fmt::format("has {} = `{}`, which is not a valid {}", name, text, type_text(field->type)));
        }
        continue;
      }
      compare(table->key, entity.key, true);
      for (const IndexEntry& entry : entity.index) {
        // Items without an optional field of the entry's key, or for which its condition is false, are not in the
        // index.
        const bool sparse =
            entry.condition || std::any_of(entry.key.begin(), entry.key.end(), [&](const Template& key) {
              const auto fields = key.fields();
              return std::any_of(fields.begin(), fields.end(), [&](const std::string& name) {
                const Field* field = entity.field(name);
                return field != nullptr && field->optional;
              });
            });
        if (const Index* index = table->index(entry.index)) compare(index->key, entry.key, !sparse);
      }
      for (const Field& field : entity.fields) {
        if (!field.optional && value(field.name) == nullptr)
          wrong(fmt::format("has no `{}`, which every {} must have", field.name, entity.name));
      }
    }
  }
}

}  // namespace trestle::design
