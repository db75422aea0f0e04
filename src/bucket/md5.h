// Incremental MD5, as in S3's ETags. Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace trestle {

class Md5 {
 public:
  Md5();
  ~Md5();
  void append(std::string_view bytes);
  // Returns the digest in hexadecimal digits. Nothing may be appended afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trestle
