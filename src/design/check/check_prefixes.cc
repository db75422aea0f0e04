// T120, T122, T222, T232: key parts that cannot be told apart or are out of order, and attributes with two spellings.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

// Whether the name suggests a value that the program itself chooses, such as a status. Such values contain no
// delimiter.
bool is_word_of_program(std::string_view name) {
  const std::string small = lower(name);
  for (const std::string_view word : {"status", "state", "type", "kind", "level", "severity"}) {
    if (small == word || small.ends_with("_" + std::string(word))) return true;
    if (small.ends_with(word) && name[name.size() - word.size()] != small[small.size() - word.size()]) return true;
  }
  return false;
}

// The first part of the template whose value may contain the delimiter that follows it. Null if there is none.
const TemplatePart* unfenced_part(const Template& key, const TypeOf& types) {
  for (size_t i = 0; i + 1 < key.parts.size(); ++i) {
    const TemplatePart& part = key.parts[i];
    if (part.is_literal() || !key.parts[i + 1].is_literal() || part.format.kind == Format::Kind::kEscape ||
        part.format.kind == Format::Kind::kFold)
      continue;
    const FieldType* type = types(part.field);
    if (type == nullptr || type->base != BaseType::kString || is_word_of_program(part.field)) continue;
    StringSet fence = StringSet::anything();
    fence.then(StringSet::literal(key.parts[i + 1].literal.substr(0, 1))).then(StringSet::anything());
    if (StringSet::common(strings_of(part, types), fence)) return &part;
  }
  return nullptr;
}

// T120: two owners share a partition: `TENANT#{tenant}#{shard}` of tenant `a`, shard 1, and `TENANT#{tenant}` of tenant
// `a#1`.
void shared_partitions(const KeySpace& space, Findings& findings) {
  const size_t hashes = space.schema().hash.size();
  if (hashes != 1) return;
  for (const Occupant& occupant : space.occupants) {
    const TemplatePart* part = unfenced_part(*occupant.key[0], types_of(*occupant.entity));
    if (part == nullptr) continue;
    for (const Occupant& other : space.occupants) {
      if (other.key[0]->text == occupant.key[0]->text) continue;
      const auto both = StringSet::common(occupant.strings[0], other.strings[0]);
      if (!both) continue;
      findings.add(
          "T120", Severity::kWarning, occupant.key[0]->place,
          fmt::format(
              "`{}` may contain the delimiter that follows it in `{}`: a partition of {} can also be a partition of {} "
              "(`{}`) for another value of `{}`, so access control by leading keys does not separate them",
              part->field, occupant.key[0]->text, occupant.name(), other.name(), other.key[0]->text, part->field),
          fmt::format("exclude the delimiter from the field, string([a-z0-9-]), or write {{{}:escape}}", part->field));
      break;
    }
  }
}

// T120: a query by the first field of a sort key also returns items with a longer value that begins with it.
void prefix_reads(const CheckContext& context, Findings& findings) {
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) {
      const Entity* entity = context.design.entity(access.entity);
      if (entity == nullptr || access.kind != Access::Kind::kQuery || access.by_guard) return;
      const IndexEntry* entry = access.index.empty() ? nullptr : entity->entry(access.index);
      const std::vector<Template>& key = entry == nullptr ? entity->key : entry->key;
      const KeySpace* space = context.space(entity->table, entry == nullptr ? "" : entry->index);
      if (space == nullptr) return;
      for (size_t i = space->schema().hash.size(); i < key.size(); ++i) {
        const TemplatePart* part = unfenced_part(key[i], types_of(*entity));
        const auto fields = key[i].fields();
        if (part == nullptr || !binds(access.by, part->field) || binds(access.by, fields.back())) continue;
        findings.add("T120", Severity::kWarning, access.place,
                     fmt::format("`{}` reads the keys `{}` of one `{}`, whose values may contain the delimiter: the "
                                 "prefix `a#` also matches the keys of the value `a#b`",
                                 operation.name, key[i].text, part->field),
                     fmt::format("exclude the delimiter from the field, string([a-z0-9-]), or write {{{}:escape}}",
                                 part->field));
      }
    });
  }
}

// T222: begins_with(SK, 'IP#{ip}') where the key continues after the field: 1.2.3.4 also finds 1.2.3.40.
void open_prefixes(const CheckContext& context, const Operation& operation, const Access& access, Findings& findings) {
  const KeySpace* space = access.where ? context.space(access.raw_table, access.raw_index) : nullptr;
  if (space == nullptr) return;
  each_expression(*access.where, [&](const Expression& part) {
    if (!part.is(Expression::Kind::kCall) || part.text != "begins_with" || part.arguments.size() != 2) return;
    const Expression& value = part.arguments[1];
    Findings ignored;
    const auto asked = value.is(Expression::Kind::kText) && !value.text.empty()
                           ? parse_template(value.text, {}, ignored)
                           : std::nullopt;
    if (!asked || asked->parts.empty() || asked->parts.back().is_literal()) return;
    const std::string& last = asked->parts.back().field;
    for (const Occupant& occupant : space->occupants) {
      if (!access.finds.empty() &&
          std::find(access.finds.begin(), access.finds.end(), occupant.entity->name) == access.finds.end())
        continue;
      for (size_t i = space->schema().hash.size(); i < occupant.key.size(); ++i) {
        const auto& parts = occupant.key[i]->parts;
        for (size_t at = 0; at + 1 < parts.size(); ++at) {
          const FieldType* type = parts[at].is_literal() ? nullptr : types_of(*occupant.entity)(parts[at].field);
          if (parts[at].field != last || !parts[at + 1].is_literal() || type == nullptr || fixed_length(*type) != 0)
            continue;
          findings.add("T222", Severity::kError, access.place,
                       fmt::format("`{}` reads keys that begin with `{}`, but the key is `{}`: it also returns longer "
                                   "values that begin with the requested one (1.2.3.4 finds 1.2.3.40)",
                                   operation.name, value.text, occupant.key[i]->text),
                       fmt::format("end the prefix with the delimiter: '{}{}'", value.text, parts[at + 1].literal));
          return;
        }
      }
    }
  });
}

// T232: a range by a field whose values may contain characters that do not sort after the delimiter.
void ranges_out_of_order(const CheckContext& context, const Operation& operation, const Access& access,
                         Findings& findings) {
  const Entity* entity = access.range_field.empty() ? nullptr : context.design.entity(access.entity);
  const Table* table = entity == nullptr ? nullptr : context.design.table(entity->table);
  if (table == nullptr) return;
  const IndexEntry* entry = access.index.empty() ? nullptr : entity->entry(access.index);
  const std::vector<Template>& key = entry == nullptr ? entity->key : entry->key;
  const Index* index = entry == nullptr ? nullptr : table->index(entry->index);
  const TypeOf types = types_of(*entity);
  for (size_t i = (index == nullptr ? table->key : index->key).hash.size(); i < key.size(); ++i) {
    const auto part = std::ranges::find(key[i].parts, access.range_field, &TemplatePart::field);
    const FieldType* type = types(access.range_field);
    if (part == key[i].parts.end() || type == nullptr) continue;
    StringSet escaped = StringSet::anything();
    escaped.then(StringSet::repeat(chars_of("#%"), 1, 1)).then(StringSet::anything());
    const bool is_cut = part->format.kind == Format::Kind::kCut && !has_one_spelling(*part, *type);
    const bool is_escaped = part->format.kind == Format::Kind::kEscape && StringSet::common(strings_of(*type), escaped);
    if (is_cut || is_escaped) {
      findings.add("T232", Severity::kError, access.place,
                   fmt::format("`{}` reads a range of `{}`, but the keys `{}` {}", operation.name, access.range_field,
                               key[i].text,
                               is_cut ? fmt::format("contain only its {} there: all items of the first and the last {} "
                                                    "are found",
                                                    part->format.unit, part->format.unit)
                                      : std::string("escape characters of it, which changes their order")),
                   is_cut ? "put the whole time into the sort key, and its cut into the partition key"
                          : "exclude `#` and `%` from its type, or use an index with several range attributes");
      continue;
    }
    const std::string_view delimiter = delimiter_after(key[i], access.range_field, types);
    if (delimiter.empty()) continue;
    StringSet earlier = StringSet::anything();
    earlier.then(StringSet::repeat(chars_between('\0', delimiter[0]), 1, 1)).then(StringSet::anything());
    const auto example = StringSet::common(
        part->format.kind == Format::Kind::kEscape ? strings_of(*type) : strings_of(*part, types), earlier);
    if (!example) continue;
    findings.add(
        "T232", Severity::kError, access.place,
        fmt::format("`{}` reads a range of `{}`, but the keys `{}` are not in the order of its values: `{}` contains a "
                    "character that does not sort after the delimiter `{}`",
                    operation.name, access.range_field, key[i].text, *example, delimiter.substr(0, 1)),
        "allow only characters that sort after the delimiter, string([0-9A-Za-z-]) before `#`, or use an index with "
        "several range attributes");
  }
}

// T122: an attribute that is `SITE#<id>` in some items and the bare id in others.
void two_spellings(const CheckContext& context, Findings& findings) {
  for (const KeySpace& space : context.spaces) {
    if (space.index == nullptr) continue;
    const KeySchema& schema = space.schema();
    for (size_t i = 0; i < schema.hash.size() + schema.range.size(); ++i) {
      const std::string& attribute =
          i < schema.hash.size() ? schema.hash[i].name : schema.range[i - schema.hash.size()].name;
      const Template* spelled = nullptr;
      for (const Occupant& occupant : space.occupants) {
        const auto& parts = occupant.key[i]->parts;
        if (parts.size() == 2 && parts[0].is_literal() && !parts[1].is_literal()) spelled = occupant.key[i];
      }
      if (spelled == nullptr) continue;
      for (const Occupant& occupant : space.occupants) {
        // The attribute `siteId` is `SITE#<id>`, but the field `siteId` is `<id>` in keys and for callers.
        const auto& parts = occupant.key[i]->parts;
        const Field* field = occupant.entity->field(attribute);
        const bool id = attribute == "id" || attribute.ends_with("Id") || attribute.ends_with("_id");
        if (field == nullptr || !id || parts.size() != 2 || !parts[0].is_literal() || parts[1].field != attribute)
          continue;
        findings.add("T122", Severity::kNote, field->place,
                     fmt::format("the attribute `{}` of {} is `{}`, but its field `{}` is the bare value: two "
                                 "spellings of an id under one name",
                                 attribute, occupant.entity->name, occupant.key[i]->text, attribute),
                     "give the index a separate attribute");
      }
      for (const Entity& entity : context.design.entities) {
        const Field* field = entity.table == space.table->name ? entity.field(attribute) : nullptr;
        const bool inside = std::any_of(entity.index.begin(), entity.index.end(), [&](const IndexEntry& entry) {
          const Index* index = space.table->index(entry.index);
          return index != nullptr && index->key.contains(attribute);
        });
        // A field stored in a key attribute of the table always has the spelling of that key.
        if (field == nullptr || inside || space.table->key.contains(attribute)) continue;
        findings.add("T122", Severity::kNote, field->place,
                     fmt::format("the attribute `{}` is `{}` in the index {} but the bare value in {}: two spellings "
                                 "of an id never compare as equal",
                                 attribute, spelled->text, space.name(), entity.name),
                     "use one spelling, or give the index a separate attribute");
      }
    }
  }
}

}  // namespace

void check_prefixes(const CheckContext& context, Findings& findings) {
  for (const KeySpace& space : context.spaces) shared_partitions(space, findings);
  prefix_reads(context, findings);
  for (const Operation& operation : context.design.operations) {
    each_access(operation, [&](const Access& access) {
      open_prefixes(context, operation, access, findings);
      ranges_out_of_order(context, operation, access, findings);
    });
  }
  two_spellings(context, findings);
}

}  // namespace trestle::design
