#include "access/credentials.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(Credentials, profiles_and_simple_lines_are_read) {
  const auto credentials = Credentials::parse(
      "# people\nKEY1 secret1\r\n\n[default]\naws_access_key_id = KEY2\naws_secret_access_key=sec/ret+2=\n"
      "region = eu-west-1\n; more\n[ team a "
      "]\naws_access_key_id=KEY3\naws_secret_access_key=s3\naws_session_token=t=3");
  ASSERT_TRUE(credentials.has_value()) << credentials.error();
  EXPECT_EQ(credentials->size(), 3u);
  EXPECT_EQ(credentials->find("KEY1")->secret_access_key, "secret1");
  EXPECT_EQ(credentials->find("KEY2")->secret_access_key, "sec/ret+2=");
  EXPECT_EQ(credentials->find("KEY3")->session_token, "t=3");
  EXPECT_EQ(credentials->find("KEY3")->profile, "team a");
  EXPECT_EQ(credentials->find("KEY4"), nullptr);
}

TEST(Credentials, errors_contain_the_line_number) {
  EXPECT_EQ(Credentials::parse("A b\nlonely\n").error(),
            "credentials line 2: expected [profile], a setting of a profile, or ACCESS_KEY SECRET");
  EXPECT_EQ(Credentials::parse("A b\n[p\n").error(), "credentials line 2: a profile's name must end with ]");
  EXPECT_EQ(Credentials::parse("[p]\naws_access_key_id=A\n").error(),
            "credentials line 1: profile 'p' needs aws_access_key_id and aws_secret_access_key");
  EXPECT_EQ(Credentials::parse("A b\nA c\n").error(), "credentials line 2: duplicate access key");
}

TEST(Credentials, an_empty_or_missing_file_is_rejected) {
  EXPECT_FALSE(Credentials::parse("# nobody\n").has_value());
  EXPECT_NE(Credentials::load("/nowhere/credentials").error().find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace trestle
