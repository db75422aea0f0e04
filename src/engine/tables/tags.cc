// TagResource, UntagResource and ListTagsOfResource.
#include "engine/tables/table_operations.h"
#include "engine/tables/table_tags.h"

namespace trestle {
namespace {

Result<std::shared_ptr<const TableVersion>> find_tagged_table(const TableParts& parts, std::string_view arn,
                                                              std::string_view operation) {
  TRY_INTO(const std::string name, tagged_table_name(arn, operation, parts.options.account));
  auto table = parts.catalog->find(name);
  TRY(parts.catalog->check_certain(name));
  if (!table || table->description.status == Status::kCreating) {
    return std::unexpected(tagged_table_not_found(arn, operation));
  }
  return table;
}

}  // namespace

Result<TagResourceResponse> tag_resource(TableParts& parts, const TagResourceRequest& request, Call&) {
  TRY_INTO(const auto table, find_tagged_table(parts, request.resource_arn, "TagResource"));
  TRY(parts.catalog->change(table->description.name, [&](TableDescription changed) -> Result<TableDescription> {
    TRY_INTO(changed.tags, add_tags(changed.tags, request.tags));
    return changed;
  }));
  return TagResourceResponse{};
}

Result<UntagResourceResponse> untag_resource(TableParts& parts, const UntagResourceRequest& request, Call&) {
  TRY_INTO(const auto table, find_tagged_table(parts, request.resource_arn, "UntagResource"));
  TRY(parts.catalog->change(table->description.name, [&](TableDescription changed) -> Result<TableDescription> {
    TRY_INTO(changed.tags, remove_tags(changed.tags, request.tag_keys));
    return changed;
  }));
  return UntagResourceResponse{};
}

Result<ListTagsOfResourceResponse> list_tags_of_resource(TableParts& parts, const ListTagsOfResourceRequest& request,
                                                         Call&) {
  TRY_INTO(const auto table, find_tagged_table(parts, request.resource_arn, "ListTagsOfResource"));
  return list_tags(table->description.tags, request.next_token);
}

}  // namespace trestle
