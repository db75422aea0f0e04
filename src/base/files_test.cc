#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <random>

#include "base/file.h"
#include "base/read_file.h"
#include "base/scratch_folder.h"
#include "base/utf8.h"

namespace trestle {
namespace {

TEST(ReadFile, gives_every_byte) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/file";
  std::string bytes(700'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  std::ofstream(path, std::ios::binary) << bytes;
  const auto read = read_file(path);
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_EQ(*read, bytes);
  EXPECT_EQ(read_file("/dev/null").value_or("fails"), "");
}

TEST(ReadFile, says_why_a_file_cannot_be_read) {
  const ScratchFolder folder;
  EXPECT_EQ(read_file(folder.path()).error(), folder.path() + " cannot be read: it is a folder");
  EXPECT_EQ(read_file(folder.path() + "/no").error(), folder.path() + "/no cannot be read: No such file or directory");
  EXPECT_EQ(read_file(folder.path() + "/no/no").error(),
            folder.path() + "/no/no cannot be read: No such file or directory");
  EXPECT_EQ(read_file("/dev/zero", 1000).error(), "/dev/zero cannot be read: it is larger than 1000 bytes");
  std::ofstream(folder.path() + "/file") << std::string(1000, 'x');
  EXPECT_TRUE(read_file(folder.path() + "/file", 1000).has_value());
  EXPECT_FALSE(read_file(folder.path() + "/file", 999).has_value());
}

TEST(File, writes_all_bytes_with_the_mode_of_a_new_file) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/file";
  {
    const File file(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    EXPECT_TRUE(file.write("first ") && file.write("") && file.write("second") && file.sync());
    EXPECT_TRUE(sync_folder(folder.path()));
  }
  EXPECT_EQ(read_file(path).value_or(""), "first second");
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(File, reports_what_cannot_be_opened_or_written) {
  const ScratchFolder folder;
  const File missing(folder.path() + "/no", O_RDONLY);
  EXPECT_FALSE(missing.is_open());
  EXPECT_FALSE(missing.write("x"));
  EXPECT_FALSE(missing.sync());
  EXPECT_FALSE(File("/dev/full", O_WRONLY).write("x"));
  EXPECT_FALSE(sync_folder(folder.path() + "/no"));
  ASSERT_EQ(::symlink(folder.path().c_str(), (folder.path() + "/link").c_str()), 0);
  EXPECT_TRUE(sync_folder(folder.path() + "/link"));
  EXPECT_FALSE(sync_folder(folder.path() + "/link", O_NOFOLLOW));
}

TEST(Utf8, text_is_cut_between_characters_and_other_bytes_are_replaced) {
  EXPECT_EQ(valid_utf8("a\xC3\xA9z", 10), "a\xC3\xA9z");
  EXPECT_EQ(valid_utf8("a\xC3\xA9z", 2), "a");
  EXPECT_EQ(valid_utf8("a\xC3\xA9z", 3), "a\xC3\xA9");
  EXPECT_EQ(valid_utf8("\xFFz\xC3", 10), "\xEF\xBF\xBDz\xEF\xBF\xBD");
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (size_t n = random() % 20; n > 0; --n) bytes += static_cast<char>(random() % 3 ? 0x80 | random() : random());
    const size_t most = random() % 24;
    const std::string result = valid_utf8(bytes, most);
    ASSERT_TRUE(is_utf8(result));
    ASSERT_LE(result.size(), most);
    ASSERT_EQ(is_utf8(bytes), valid_utf8(bytes, 100) == bytes);
  }
}

}  // namespace
}  // namespace trestle
