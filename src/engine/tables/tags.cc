// TagResource, UntagResource, ListTagsOfResource.
#include "engine/engine.h"
#include "engine/tables/table_tags.h"

namespace trestle {

Result<std::shared_ptr<const TableVersion>> Engine::find_tagged_table(std::string_view arn,
                                                                      std::string_view operation) const {
  TRY_INTO(const std::string name, tagged_table_name(arn, operation, options_.account));
  TRY(catalog_->check_certain(name));
  auto table = catalog_->find(name);
  if (!table || table->description.status == Status::kCreating) {
    return std::unexpected(tagged_table_not_found(arn, operation));
  }
  return table;
}

Result<TagResourceResponse> Engine::tag_resource(const TagResourceRequest& request, Call&) {
  TRY_INTO(const auto table, find_tagged_table(request.resource_arn, "TagResource"));
  TRY(catalog_->change(table->description.name, [&](TableDescription changed) -> Result<TableDescription> {
    TRY_INTO(changed.tags, add_tags(changed.tags, request.tags));
    return changed;
  }));
  return TagResourceResponse{};
}

Result<UntagResourceResponse> Engine::untag_resource(const UntagResourceRequest& request, Call&) {
  TRY_INTO(const auto table, find_tagged_table(request.resource_arn, "UntagResource"));
  TRY(catalog_->change(table->description.name, [&](TableDescription changed) -> Result<TableDescription> {
    TRY_INTO(changed.tags, remove_tags(changed.tags, request.tag_keys));
    return changed;
  }));
  return UntagResourceResponse{};
}

Result<ListTagsOfResourceResponse> Engine::list_tags_of_resource(const ListTagsOfResourceRequest& request, Call&) {
  TRY_INTO(const auto table, find_tagged_table(request.resource_arn, "ListTagsOfResource"));
  return list_tags(table->description.tags, request.next_token);
}

}  // namespace trestle
