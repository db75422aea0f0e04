// Requests of one's own, from a file: for operations that the built-in workloads do not have.
//
// A line is a request: what is asked, a tab, the JSON body with marks (request_template.h). What is asked is a DynamoDB
// operation (GetItem), or a path (/designs/authz/user) that is then asked plainly, without target and signature.
// `<key>` is a number that no earlier request of the run had. All connections together walk the lines in order, over
// and over.
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
