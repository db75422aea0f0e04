// User-defined requests from a file, for operations that the built-in workloads lack.
//
// A line is a request: the operation, a tab, the JSON body with placeholders (request_template.h). The operation is
// DynamoDB's (GetItem), or a path (/designs/authz/user) that is then requested without target and signature. `<key>` is
// a number that no earlier request of the run used. All connections together go through the lines in order, repeatedly.
#pragma once

#include <string>
#include <vector>

#include "bench/load_loop.h"
#include "bench/request_template.h"

namespace trestle::bench {

struct ReplayLine {
  std::string asks;
  std::string body;
};

Result<std::vector<ReplayLine>> read_replay(const std::string& path);

class ReplaySource final : public RequestSource {
 public:
  ReplaySource(const std::vector<ReplayLine>& lines, const RequestContext& context, size_t data_bytes, uint64_t seed);
  std::string_view next(size_t connection) override;
  bool accept(size_t connection, const Response& response) override;

 private:
  std::vector<RequestTemplate> requests_;
  Random random_;
  uint64_t key_;
  size_t place_ = 0;
};

}  // namespace trestle::bench
