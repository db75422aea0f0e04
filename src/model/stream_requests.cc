#include "model/stream_requests.h"

namespace trestle {

bool is_stream_arn(std::string_view text) {
  constexpr std::string_view kStream = "/stream/";
  const size_t at = text.rfind(kStream);
  if (at == std::string_view::npos || at + kStream.size() == text.size()) return false;
  const std::string_view table = text.substr(0, at);
  return table.starts_with("arn:") && table_name_of(table).has_value();
}

}  // namespace trestle
