// Requests from a user's file, for operations that the built-in workloads lack.
//
// Each line is a request: the operation, a tab, and the JSON body with placeholders (request_template.h). The operation
// is one of DynamoDB's (GetItem), or a path (/designs/authz/user), which is requested without target and signature.
// `<key>` is a number that no earlier request of the run used. All connections together repeat the lines in order.
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
