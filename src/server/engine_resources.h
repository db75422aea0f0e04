// The tables and streams of an engine, in the form that access control needs. Thread-safe.
#pragma once

#include "access/protected_resources.h"
#include "storage/catalog/catalog.h"

namespace trestle {

class EngineResources final : public ProtectedResources {
 public:
  explicit EngineResources(const Catalog& catalog) : catalog_(catalog) {}

  bool has_policies() const override { return catalog_.has_policies(); }
  ResourcePolicy table_policy(std::string_view table_name) const override;
  ResourcePolicy stream_policy(std::string_view stream_arn, std::string_view table_name) const override;
  std::shared_ptr<const KeySchema> key(std::string_view table_name,
                                       const std::optional<std::string>& index_name) const override;
  std::optional<std::string> stream_of(std::string_view shard_iterator) const override;
  SelectedPartitions selected_partitions(const PartiqlStatement& statement, const PartiqlLowering& lowering,
                                         const KeySchema& key) const override;

 private:
  const Catalog& catalog_;
};

}  // namespace trestle
