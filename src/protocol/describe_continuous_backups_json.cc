#include "protocol/describe_continuous_backups_json.h"

#include "protocol/backup_members.h"

namespace trestle {

Result<DescribeContinuousBackupsRequest> read_describe_continuous_backups_json(JsonInput input) {
  TRY_INTO(const std::string_view table_name, read_table_name(input));
  return DescribeContinuousBackupsRequest{.table_name = std::string(table_name)};
}

void write_describe_continuous_backups_json(const DescribeContinuousBackupsResponse& response, std::string& out) {
  write_continuous_backups_response(response, out);
}

}  // namespace trestle
