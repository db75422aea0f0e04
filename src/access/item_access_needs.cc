// The permissions needed by operations on items: single items, batches, transactions, pages and vector searches.
#include "access/access_needs.h"
#include "access/leading_keys.h"
#include "access/named_attributes.h"
#include "expression/key_condition.h"

namespace trestle {
void set_consumed_capacity(ReturnConsumedCapacity value, AccessContext& context) {
  std::string_view text = "NONE";
  if (value == ReturnConsumedCapacity::kTotal) text = "TOTAL";
  if (value == ReturnConsumedCapacity::kIndexes) text = "INDEXES";
  context.set(access_key::kReturnConsumedCapacity, std::string(text));
}

namespace {

// A caller that gets the old item when a condition fails sees all of its attributes.
std::string_view returned_text(ReturnValues value, bool item_on_failure) {
  switch (value) {
    case ReturnValues::kAllOld:
      return "ALL_OLD";
    case ReturnValues::kAllNew:
      return "ALL_NEW";
    case ReturnValues::kUpdatedOld:
      return item_on_failure ? "ALL_OLD" : "UPDATED_OLD";
    case ReturnValues::kUpdatedNew:
      return item_on_failure ? "ALL_OLD" : "UPDATED_NEW";
    case ReturnValues::kNone:
      break;
  }
  return item_on_failure ? "ALL_OLD" : "NONE";
}

void set_select(const ReadProjection& projection, AccessContext& context) {
  const bool specific = projection.expression || projection.attributes_to_get;
  context.set(access_key::kSelect, std::string(specific ? "SPECIFIC_ATTRIBUTES" : "ALL_ATTRIBUTES"));
}

void set_leading_key(ItemView item, std::string_view table_name, const AccessNeeds& needs, AccessContext& context) {
  LeadingKeys keys(needs.find_key(table_name));
  keys.add(item);
  keys.put_into(context);
}

// Members shared by PutItem, DeleteItem and UpdateItem; `item` is the item or its key.
template <class Request>
void note_write(std::string_view action, const Request& request, const Item& item, NamedAttributes attributes,
                AccessNeeds& needs) {
  AccessContext& context = needs.add(action, needs.table_resource(request.table_name));
  if (!needs.detailed()) return;
  set_leading_key(item.view(), request.table_name, needs, context);
  attributes.add(item.view());
  attributes.add(request.condition, request.placeholders.names);
  context.set(access_key::kAttributes, attributes.release());
  context.set(access_key::kReturnValues,
              std::string(returned_text(request.return_values, request.condition.return_item_on_failure)));
  set_consumed_capacity(request.return_consumed_capacity, context);
}

}  // namespace

void note_needs(const PutItemRequest& request, AccessNeeds& needs) {
  note_write("PutItem", request, request.item, {}, needs);
}
void note_needs(const DeleteItemRequest& request, AccessNeeds& needs) {
  note_write("DeleteItem", request, request.key, {}, needs);
}
void note_needs(const UpdateItemRequest& request, AccessNeeds& needs) {
  NamedAttributes attributes;
  if (needs.detailed()) {
    attributes.add(request.update_expression, Grammar::kUpdate, request.placeholders.names);
    if (request.attribute_updates) {
      for (const LegacyUpdate& update : *request.attribute_updates) attributes.add(update.attribute);
    }
  }
  note_write("UpdateItem", request, request.key, std::move(attributes), needs);
}

void note_needs(const GetItemRequest& request, AccessNeeds& needs) {
  AccessContext& context = needs.add("GetItem", needs.table_resource(request.table_name));
  if (!needs.detailed()) return;
  set_leading_key(request.key.view(), request.table_name, needs, context);
  NamedAttributes attributes;
  attributes.add(request.key.view());
  attributes.add(request.projection, request.names);
  context.set(access_key::kAttributes, attributes.release());
  set_select(request.projection, context);
  set_consumed_capacity(request.return_consumed_capacity, context);
}

// ---- Batches: one access for each table, with the keys of all its items.

void note_needs(const BatchGetItemRequest& request, AccessNeeds& needs) {
  for (const BatchGetTable& read : request.tables) {
    AccessContext& context = needs.add("BatchGetItem", needs.table_resource(read.table_name));
    if (!needs.detailed()) continue;
    LeadingKeys keys(needs.find_key(read.table_name));
    NamedAttributes attributes;
    for (const Item& key : read.keys) {
      keys.add(key.view());
      attributes.add(key.view());
    }
    attributes.add(read.projection, read.names);
    keys.put_into(context);
    context.set(access_key::kAttributes, attributes.release());
    set_select(read.projection, context);
    set_consumed_capacity(request.return_consumed_capacity, context);
  }
}

void note_needs(const BatchWriteItemRequest& request, AccessNeeds& needs) {
  for (const BatchWriteTable& written : request.tables) {
    AccessContext& context = needs.add("BatchWriteItem", needs.table_resource(written.table_name));
    if (!needs.detailed()) continue;
    LeadingKeys keys(needs.find_key(written.table_name));
    NamedAttributes attributes;
    for (const BatchWrite& write : written.writes) {
      keys.add(write.item.view());
      attributes.add(write.item.view());
    }
    keys.put_into(context);
    context.set(access_key::kAttributes, attributes.release());
    set_consumed_capacity(request.return_consumed_capacity, context);
  }
}

// ---- Transactions: one access for each item, with the action on it.

void note_needs(const TransactGetItemsRequest& request, AccessNeeds& needs) {
  for (const TransactGet& get : request.gets) {
    const GetItemRequest single{.table_name = get.table_name,
                                .key = get.key,
                                .projection = get.projection,
                                .names = get.names,
                                .return_consumed_capacity = request.return_consumed_capacity};
    note_needs(single, needs);
    needs.last().set(access_key::kEnclosingOperation, std::string("TransactGetItems"));
  }
}

namespace {

std::string_view action_of(TransactWrite::Kind kind) {
  switch (kind) {
    case TransactWrite::Kind::kConditionCheck:
      return "ConditionCheckItem";
    case TransactWrite::Kind::kPut:
      return "PutItem";
    case TransactWrite::Kind::kDelete:
      return "DeleteItem";
    case TransactWrite::Kind::kUpdate:
      break;
  }
  return "UpdateItem";
}

}  // namespace

void note_needs(const TransactWriteItemsRequest& request, AccessNeeds& needs) {
  for (const TransactWrite& write : request.writes) {
    AccessContext& context = needs.add(action_of(write.kind), needs.table_resource(write.table_name));
    if (!needs.detailed()) continue;
    set_leading_key(write.item.view(), write.table_name, needs, context);
    NamedAttributes attributes;
    attributes.add(write.item.view());
    attributes.add(write.update_expression, Grammar::kUpdate, write.placeholders.names);
    attributes.add(write.condition, write.placeholders.names);
    context.set(access_key::kAttributes, attributes.release());
    context.set(access_key::kReturnValues,
                std::string(returned_text(ReturnValues::kNone, write.condition.return_item_on_failure)));
    context.set(access_key::kEnclosingOperation, std::string("TransactWriteItems"));
    set_consumed_capacity(request.return_consumed_capacity, context);
  }
}

// ---- Pages.

namespace {

std::string_view select_text(const PageRequest& request) {
  if (request.select) {
    switch (*request.select) {
      case Select::kAllAttributes:
        return "ALL_ATTRIBUTES";
      case Select::kAllProjectedAttributes:
        return "ALL_PROJECTED_ATTRIBUTES";
      case Select::kSpecificAttributes:
        return "SPECIFIC_ATTRIBUTES";
      case Select::kCount:
        return "COUNT";
    }
  }
  if (request.projection.expression || request.projection.attributes_to_get) return "SPECIFIC_ATTRIBUTES";
  return request.index_name ? "ALL_PROJECTED_ATTRIBUTES" : "ALL_ATTRIBUTES";
}

AccessContext& add_page(std::string_view action, const PageRequest& request, AccessNeeds& needs) {
  return needs.add(action, request.index_name ? needs.table_resource(request.table_name, "index/" + *request.index_name)
                                              : needs.table_resource(request.table_name));
}

void note_page(const PageRequest& request, NamedAttributes attributes, AccessContext& context) {
  attributes.add(request.projection, request.placeholders.names);
  attributes.add(request.filter_expression, Grammar::kCondition, request.placeholders.names);
  attributes.add(request.legacy_filter);
  context.set(access_key::kAttributes, attributes.release());
  context.set(access_key::kSelect, std::string(select_text(request)));
  set_consumed_capacity(request.return_consumed_capacity, context);
}

// Adds the value that the key condition requires of the first hash attribute. The operation rejects a key condition
// without such an equality.
void add_queried_keys(const QueryRequest& request, LeadingKeys& keys) {
  if (keys.key() == nullptr) return;
  const std::string& hash = keys.key()->hash.front().name;
  const auto add_terms = [&](const Result<KeyCondition>& condition) {
    if (!condition.has_value()) return;
    for (const KeyTerm& term : *condition) {
      if (term.attribute == hash && term.comparison == KeyComparison::kEqual) keys.add(term.first);
    }
  };
  if (request.key_condition_expression) {
    auto binding = Binding::make(request.placeholders, true);
    if (binding.has_value()) add_terms(compile_key_condition(*request.key_condition_expression, *binding));
  } else if (request.key_conditions) {
    add_terms(compile_legacy_key_condition(*request.key_conditions));
  }
}

}  // namespace

void note_needs(const QueryRequest& request, AccessNeeds& needs) {
  AccessContext& context = add_page("Query", request, needs);
  if (!needs.detailed()) return;
  LeadingKeys keys(needs.find_key(request.table_name, request.index_name));
  add_queried_keys(request, keys);
  keys.put_into(context);
  NamedAttributes attributes;
  attributes.add(request.key_condition_expression, Grammar::kCondition, request.placeholders.names);
  attributes.add(request.key_conditions);
  note_page(request, std::move(attributes), context);
}

void note_needs(const ScanRequest& request, AccessNeeds& needs) {
  AccessContext& context = add_page("Scan", request, needs);
  if (!needs.detailed()) return;
  context.set_everything(access_key::kLeadingKeys);
  note_page(request, {}, context);
}

// A search counts as touching all partitions.
void note_needs(const SearchVectorsRequest& request, AccessNeeds& needs) {
  AccessContext& context =
      needs.add("SearchVectors", needs.table_resource(request.table_name, "index/" + request.index_name));
  if (!needs.detailed()) return;
  context.set_everything(access_key::kLeadingKeys);
  NamedAttributes attributes;
  attributes.add(request.search_condition_expression, Grammar::kCondition, request.placeholders.names);
  attributes.add(request.projection_expression, Grammar::kProjection, request.placeholders.names);
  context.set(access_key::kAttributes, attributes.release());
  const bool specific = request.projection_expression.has_value();
  context.set(access_key::kSelect, std::string(specific ? "SPECIFIC_ATTRIBUTES" : "ALL_PROJECTED_ATTRIBUTES"));
  set_consumed_capacity(request.return_consumed_capacity, context);
}

}  // namespace trestle
