#include "s3/s3_client.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(S3Xml, entities_are_the_characters_they_stand_for) {
  EXPECT_EQ(xml_text("a&amp;b&lt;&gt;&quot;&apos;"), "a&b<>\"'");
  EXPECT_EQ(xml_text("a&#38;b&#x26;c&#x2F;&#13;"), "a&b&c/\r");
  EXPECT_EQ(xml_text("&#233;&#x20AC;&#128512;"), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(xml_text("&amp;#38;"), "&#38;") << "decoded once";
  for (const char* none :
       {"&#;", "&#x;", "&#38", "&#0;", "&#xD800;", "&#x110000;", "&#12x;", "&unknown;", "&", "&#99999999999;"})
    EXPECT_EQ(xml_text(none), none);
}

TEST(S3Xml, escaped_text_reads_back) {
  for (const char* text : {"", "plain", "\"etag-3\"", "<&>'\"", "&amp;"}) EXPECT_EQ(xml_text(xml_escaped(text)), text);
}

}  // namespace
}  // namespace trestle
