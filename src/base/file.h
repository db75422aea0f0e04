// File descriptors, and writes that survive a power loss. Errors are in errno.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace trestle {

// An open file, or none if open() failed; closed by the destructor.
class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0644)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  // Appends all bytes at the current position.
  bool write(std::string_view bytes) const;
  bool sync() const { return ::fsync(number_) == 0; }

 private:
  const int number_;
};

// Makes the names of new files in the folder durable. `flags` of open() are added.
bool sync_folder(const std::string& path, int flags = 0);

}  // namespace trestle
