#include "remote/credential_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/random_id.h"
#include "remote/service_endpoint.h"

namespace trestle {
namespace {

class CredentialSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("trestle-credentials-" + random_uuid());
    std::filesystem::create_directory(folder_);
    for (const char* name : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"}) {
      unsetenv(name);
    }
    setenv("AWS_SHARED_CREDENTIALS_FILE", path("credentials").c_str(), 1);
    setenv("AWS_CONFIG_FILE", path("config").c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  void write(const char* name, std::string_view text) const { std::ofstream(path(name)) << text; }

  std::filesystem::path folder_;
};

TEST_F(CredentialSourceTest, sections_and_settings_are_found) {
  const std::string_view text =
      "# comment\n[default]\nAWS_Access_Key_Id = A \nregion=us-west-2\ns3 =\n  max = 1\r\n[profile  other ]\nregion = "
      "x\n";
  const ProfileSettings settings = read_section(text, "default");
  EXPECT_EQ(settings, (ProfileSettings{{"aws_access_key_id", "A"}, {"region", "us-west-2"}, {"s3", ""}}));
  EXPECT_EQ(read_section(text, "profile other").at("region"), "x");
  EXPECT_TRUE(read_section(text, "none").empty());
}

TEST_F(CredentialSourceTest, options_before_environment_before_files) {
  write("credentials",
        "[default]\naws_access_key_id=FILE\naws_secret_access_key=s\n[p]\naws_access_key_id=P\n"
        "aws_secret_access_key=s\naws_session_token=t\n");
  EXPECT_EQ((*CredentialSource::open({}))->current()->access_key, "FILE");
  setenv("AWS_PROFILE", "p", 1);
  EXPECT_EQ((*CredentialSource::open({}))->current()->session_token, "t");
  setenv("AWS_ACCESS_KEY_ID", "ENVIRONMENT", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "s", 1);
  EXPECT_EQ((*CredentialSource::open({}))->current()->access_key, "ENVIRONMENT");
  EXPECT_EQ((*CredentialSource::open({.profile = "default"}))->current()->access_key, "FILE");
  EXPECT_EQ((*CredentialSource::open({.static_credentials = http::Credentials{"GIVEN", "s"}}))->current()->access_key,
            "GIVEN");
}

TEST_F(CredentialSourceTest, without_any_only_amazon_refuses) {
  EXPECT_EQ((*CredentialSource::open({}))->current()->access_key, "trestle");
  const auto refused = CredentialSource::open({.required = true});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kAccessDenied);
  write("config", "[profile r]\nrole_arn = arn:aws:iam::1:role/x\n");
  const auto role = CredentialSource::open({.profile = "r"});
  ASSERT_FALSE(role.has_value());
  EXPECT_THAT(role.error().message, testing::HasSubstr("role_arn, which is not supported"));
}

TEST_F(CredentialSourceTest, files_that_change_are_read_again) {
  write("credentials", "[default]\naws_access_key_id=OLD\naws_secret_access_key=s\n");
  const auto source = std::move(*CredentialSource::open({}));
  EXPECT_EQ(source->reloaded()->access_key, "OLD");
  write("credentials", "[default]\naws_access_key_id=NEW\naws_secret_access_key=s\n");
  EXPECT_EQ(source->reloaded()->access_key, "NEW");
  const auto before = source->current();
  write("credentials", "[default]\n");  // half written
  EXPECT_EQ(source->reloaded(), before);
}

TEST(ServiceEndpoint, amazon_has_regions_and_a_host_for_streams) {
  EXPECT_EQ(region_of_host("dynamodb.eu-west-1.amazonaws.com"), "eu-west-1");
  EXPECT_EQ(region_of_host("123456789012.ddb.us-east-2.amazonaws.com"), "us-east-2");
  EXPECT_EQ(region_of_host("dynamodb.cn-north-1.amazonaws.com.cn"), "cn-north-1");
  EXPECT_EQ(region_of_host("127.0.0.1"), std::nullopt);
  EXPECT_EQ(region_of_host("amazonaws.com.example.org"), std::nullopt);
  const auto streams = [](const char* url) { return streams_endpoint(*http::parse_endpoint(url)).host_header(); };
  EXPECT_EQ(streams("https://dynamodb.eu-west-1.amazonaws.com"), "streams.dynamodb.eu-west-1.amazonaws.com");
  EXPECT_EQ(streams("https://dynamodb.cn-north-1.amazonaws.com.cn"), "streams.dynamodb.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(streams("http://127.0.0.1:8000"), "127.0.0.1:8000");
}

}  // namespace
}  // namespace trestle
