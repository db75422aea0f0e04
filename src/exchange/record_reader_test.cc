// Records as imports read them: each format, cut into pieces in every way, and damaged objects.
#include "exchange/record_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/scratch_folder.h"
#include "protocol/json/attribute_value_json.h"

namespace trestle {
namespace {

// A text that arrives in pieces of a fixed size.
class Pieces final : public ByteStream {
 public:
  Pieces(std::string text, size_t size) : text_(std::move(text)), size_(size) {}
  StreamResult<bool> read(std::string& out) override {
    if (at_ >= text_.size()) return false;
    out += text_.substr(at_, size_);
    at_ += size_;
    return true;
  }

 private:
  const std::string text_;
  const size_t size_;
  size_t at_ = 0;
};

std::string json_of(const Item& item) {
  std::string out;
  append_item_json(out, item);
  return out;
}

// Each record's JSON, "!fault" for a faulty record, "!!fault" for one after which nothing can be read.
std::vector<std::string> read_pieces(const RecordFormat& format, const std::string& text, size_t piece) {
  std::vector<std::string> records;
  const auto reader = open_records(format, std::make_unique<Pieces>(text, piece), 0);
  while (records.size() <= text.size()) {
    const auto record = reader->next();
    EXPECT_TRUE(record.has_value());
    switch (record->kind) {
      case Record::Kind::kItem:
        records.push_back(json_of(record->item));
        break;
      case Record::Kind::kFault:
        records.push_back("!" + record->fault);
        break;
      case Record::Kind::kDamaged:
        records.push_back("!!" + record->fault);
        return records;
      case Record::Kind::kEnd:
        EXPECT_EQ(text.size(), reader->offset());
        return records;
    }
  }
  ADD_FAILURE() << "it does not end: " << text;
  return records;
}

std::vector<std::string> read_all(const RecordFormat& format, const std::string& text, size_t piece = 1 << 20) {
  return read_pieces(format, text, piece);
}

// Expects the same records for all sizes of pieces, and when reading begins at any record.
std::vector<std::string> read_in_every_way(const RecordFormat& format, const std::string& text) {
  const std::vector<std::string> whole = read_all(format, text);
  for (size_t piece = 1; piece < 20; ++piece) EXPECT_EQ(whole, read_all(format, text, piece)) << "pieces of " << piece;
  uint64_t offset = 0;
  for (size_t i = 0; i < whole.size() && !whole[i].starts_with('!'); ++i) {
    const auto reader = open_records(format, std::make_unique<Pieces>(text, 7), offset);
    const auto record = reader->next();
    EXPECT_EQ(whole[i], json_of(record->item)) << "from " << offset;
    EXPECT_LT(offset, reader->offset());
    offset = reader->offset();
  }
  return whole;
}

using Strings = std::vector<std::string>;
const RecordFormat kJson{};
const RecordFormat kIon{.format = InputFormat::kIon, .csv = {}, .csv_types = {}};
const RecordFormat kCsv{
    .format = InputFormat::kCsv, .csv = {}, .csv_types = {{"n", ValueType::kNumber}, {"b", ValueType::kBinary}}};

TEST(JsonRecords, one_a_line_or_not) {
  EXPECT_EQ((Strings{R"({"pk":{"S":"a}\"{"}})", R"({"pk":{"N":"1"}})", R"({"pk":{"S":"é"}})"}),
            read_in_every_way(kJson,
                              "{\"Item\":{\"pk\":{\"S\":\"a}\\\"{\"}}}\n\n  \n{\"Item\":{\"pk\":{\"N\":\"1.0\"}}}"
                              "{\"Item\":{\"pk\":{\"S\":\"\\u00e9\"}}}\r\n"));
  EXPECT_EQ(Strings{}, read_all(kJson, ""));
  EXPECT_EQ(Strings{}, read_all(kJson, " \n "));
}

TEST(JsonRecords, a_record_that_is_not_an_item_ends_the_object) {
  EXPECT_EQ((Strings{R"({"pk":{"S":"a"}})", "!!The record has no Item"}),
            read_all(kJson, R"({"Item":{"pk":{"S":"a"}}} {"NotAnItem":{}} {"Item":{"pk":{"S":"b"}}})"));
  EXPECT_EQ((Strings{"!!The record is not JSON: it ends too early"}), read_all(kJson, R"({"Item": )"));
  EXPECT_EQ((Strings{"!!The record is not JSON in UTF-8"}), read_all(kJson, "{\"Item\": {\"a\": {\"S\": \"\xFF\"}}}"));
  EXPECT_EQ((Strings{"!!The record is not a JSON object"}), read_all(kJson, "[1]"));
  EXPECT_EQ(1u, read_all(kJson, R"({"Item":{"pk":{"N":"no"}}})").size());
  EXPECT_TRUE(read_all(kJson, R"({"Item":{"pk":{"N":"no"}}})").front().starts_with("!!"));
}

TEST(IonRecords, every_type_that_dynamodb_writes) {
  EXPECT_EQ(
      (Strings{R"({"b":{"B":"aGk="},"big":{"N":"1000"},"bs":{"BS":["AA==","AQ=="]},)"
               R"("l":{"L":[{"S":"x"},{"N":"1"},{"L":[]}]},"m":{"M":{"a b":{"S":""}}},"n":{"N":"-12.5"},)"
               R"("none":{"NULL":true},"ns":{"NS":["1","2.5"]},"pk":{"S":"a\"b"},"ss":{"SS":["x","y"]},)"
               R"("yes":{"BOOL":true}})",
               R"({"pk":{"S":"second"}})"}),
      read_in_every_way(kIon,
                        "$ion_1_0 {Item:{pk:\"a\\\"b\",n:-12.5,big:1d3,b:{{aGk=}},yes:true,none:null,l:[\"x\",1.,[]],"
                        "m:{'a b':\"\"},ss:$dynamodb_SS::[\"x\",\"y\"],ns:$dynamodb_NS::[1.,2.5],"
                        "bs:$dynamodb_BS::[{{AA==}},{{AQ==}}]}}\n$ion_1_0 {Item:{pk:\"second\"}}\n"));
}

TEST(IonRecords, comments_escapes_and_long_strings) {
  EXPECT_EQ(
      (Strings{R"({"e":{"S":"\t/é😀é"},"pk":{"S":"one two"},"q":{"N":"1000000"}})"}),
      read_in_every_way(kIon,
                        "// a comment with { in it\n$ion_1_0\n/* and } another */ {Item: { // here too\n"
                        " pk: '''one ''' '''two''', \"e\": \"\\t\\/\\xe9\\U0001F600\\u00e9\", q: 1_000_000, }} "));
}

TEST(IonRecords, slashes_of_base64_are_no_comment) {
  EXPECT_EQ((Strings{R"({"pk":{"B":"////"}})", R"({"pk":{"S":"next"}})"}),
            read_in_every_way(kIon, "{Item:{pk:{{//// }}}}{Item:{pk:\"next\"}}"));
}

TEST(IonRecords, values_that_an_item_cannot_hold_are_refused) {
  for (const char* text :
       {"{Item:{pk:2007-02-23T}}", "{Item:{pk:sym}}", "{Item:{pk:(1 2)}}", "{Item:{pk:other::1}}",
        "{Item:{pk:{{\"clob\"}}}}", "{Item:{pk:nan}}", "{Item:{pk:0xFF}}", "{Item:{pk:$dynamodb_SS::[1]}}",
        "{Item:{$7:1}}", "{Item:{pk:\"\\uD800\"}}", "{Item:1}", "{Item:{pk:1}", "{Other:{pk:1}}", "hello",
        "{Item:{pk:1 2}}", "{Item:{pk 1}}", "{Item:{pk:\"a}}"}) {
    const Strings records = read_all(kIon, text);
    ASSERT_EQ(1u, records.size()) << text;
    EXPECT_TRUE(records.front().starts_with("!!")) << text << " " << records.front();
  }
}

TEST(IonRecords, deep_nesting_is_refused_not_followed) {
  std::string text = "{Item:{pk:";
  text.append(100'000, '[');
  text.append(100'000, ']');
  text += "}}";
  const Strings records = read_all(kIon, text);
  ASSERT_EQ(1u, records.size());
  EXPECT_TRUE(records.front().starts_with("!!"));
}

TEST(CsvRecords, quoting_is_rfc_4180) {
  EXPECT_EQ((Strings{R"({"n":{"N":"1"},"pk":{"S":"a,b"},"text":{"S":"say \"hi\"\nthere"}})",
                     R"({"n":{"N":"2"},"pk":{"S":"c"},"text":{"S":""}})"}),
            read_in_every_way(kCsv, "pk,n,text\r\n\"a,b\",1,\"say \"\"hi\"\"\nthere\"\r\n\r\nc,2,\r\n"));
}

TEST(CsvRecords, keys_have_their_types) {
  EXPECT_EQ((Strings{R"({"b":{"B":"aGk="},"pk":{"S":"1"}})"}), read_in_every_way(kCsv, "pk,b\n1,aGk=\n"));
  const Strings records = read_all(kCsv, "pk,n\na,1\nb,two\nc,3");
  ASSERT_EQ(3u, records.size());
  EXPECT_TRUE(records[1].starts_with("!")) << records[1];
  EXPECT_FALSE(records[1].starts_with("!!"));
  EXPECT_EQ(R"({"n":{"N":"3"},"pk":{"S":"c"}})", records[2]);
}

TEST(CsvRecords, a_byte_order_mark_is_not_part_of_the_first_value) {
  const Strings expected{R"({"pk":{"S":"a"},"v":{"S":"b"}})"};
  EXPECT_EQ(expected, read_in_every_way(kCsv, "\xEF\xBB\xBF\"pk\",\"v\"\n\"a\",b\n"));
  EXPECT_EQ(expected, read_in_every_way(kCsv, "\xEF\xBB\xBFpk,v\na,b\n"));
  RecordFormat listed = kCsv;
  listed.csv = {.delimiter = {}, .header_list = Strings{"pk", "v"}};
  EXPECT_EQ(expected, read_in_every_way(listed, "\xEF\xBB\xBF\"a\",b\n"));
}

TEST(CsvRecords, delimiters_and_header_list) {
  for (const char* delimiter : {",", ";", ":", "|", "\t", " "}) {
    RecordFormat format = kCsv;
    format.csv = {.delimiter = delimiter, .header_list = Strings{"pk", "v"}};
    EXPECT_EQ((Strings{R"({"pk":{"S":"a"},"v":{"S":"b"}})", R"({"pk":{"S":"c"},"v":{"S":"d"}})"}),
              read_in_every_way(format, std::string("a") + delimiter + "b\nc" + delimiter + "d"));
  }
}

TEST(CsvRecords, rows_that_do_not_fit_are_passed_over) {
  EXPECT_EQ((Strings{"!The row has 1 values where there are 2 columns",
                     "!The row has 3 values where there are 2 columns", R"({"pk":{"S":"c"},"v":{"S":"d"}})"}),
            read_all(kCsv, "pk,v\na\nb,b,b\nc,d\n"));
  EXPECT_EQ((Strings{"!!Two columns have the name pk"}), read_all(kCsv, "pk,pk\na,b\n"));
  EXPECT_EQ((Strings{"!!A column has no name"}), read_all(kCsv, "pk,\na,b\n"));
}

// Objects with some bytes changed, removed or doubled: reading terminates, and gives the same result in pieces.
TEST(Records, reading_random_bytes_ends) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const std::pair<RecordFormat, std::string> good[] = {
      {kJson, R"({"Item":{"pk":{"S":"a\u00e9"}}}
                 {"Item":{"l":{"L":[{"N":"1"},{"M":{}}]}}} )"},
      {kIon, R"($ion_1_0 {Item:{pk:"a\"",n:-1.5d3,b:{{//8=}},s:$dynamodb_SS::['''x''',"y"],l:[null,true,{}]}} // end
               )"},
      {kCsv, "pk,n,\"b\"\r\n\"a\"\"\n\",1,aGk=\r\nb,2,\r\n"},
  };
  for (int round = 0; round < 20'000; ++round) {
    const auto& [format, text] = good[round % 3];
    std::string damaged = text + text;
    for (size_t changes = random() % 4 + 1; changes > 0; --changes) {
      const size_t at = random() % damaged.size();
      switch (random() % 4) {
        case 0:
          damaged[at] = static_cast<char>(random());
          break;
        case 1:
          damaged.erase(at, random() % 4);
          break;
        case 2:
          damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 8));
          break;
        default:
          damaged.insert(at, 1, "{}[]\"',:\\$/*\n"[random() % 13]);
      }
    }
    const Strings whole = read_pieces(format, damaged, damaged.size());
    ASSERT_EQ(whole, read_pieces(format, damaged, random() % 9 + 1)) << damaged;
  }
}

// ---- Compression.

std::string gzipped(const std::string& text) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&state, text.size()) + 64, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

std::string zstandard(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

class Compressed : public testing::Test {
 protected:
  Compressed() : buckets_(folder_buckets(folder_.path())) {
    EXPECT_TRUE(buckets_->make("bucket").has_value());
    bucket_ = std::move(*buckets_->open("bucket"));
  }
  void put(const std::string& bytes) {
    auto sink = bucket_->write("a/object");
    ASSERT_TRUE(sink.has_value());
    ASSERT_TRUE((*sink)->append(bytes).has_value());
    ASSERT_TRUE((*sink)->commit().has_value());
  }
  // Nothing: the object is damaged.
  std::optional<std::string> read(InputCompression compression) {
    const auto stream = open_object(*bucket_, "a/object", compression);
    std::string out;
    while (true) {
      const auto more = stream->read(out);
      if (!more.has_value()) {
        EXPECT_TRUE(more.error().is_damaged);
        return std::nullopt;
      }
      if (!*more) return out;
    }
  }
  ScratchFolder folder_;
  std::unique_ptr<Buckets> buckets_;
  std::unique_ptr<Bucket> bucket_;
};

std::string long_text() {
  std::mt19937 random(7);
  std::string text;
  for (int i = 0; i < 2'000'000; ++i) text += static_cast<char>('a' + random() % 8);
  return text;
}

TEST_F(Compressed, compressed_data_is_read_back) {
  const std::string text = long_text();
  put(gzipped(text));
  EXPECT_EQ(text, read(InputCompression::kGzip));
  put(zstandard(text));
  EXPECT_EQ(text, read(InputCompression::kZstd));
  put(text);
  EXPECT_EQ(text, read(InputCompression::kNone));
  put("");
  for (const auto compression : {InputCompression::kNone, InputCompression::kGzip, InputCompression::kZstd}) {
    EXPECT_EQ("", read(compression));
  }
}

TEST_F(Compressed, several_members_are_one_text) {
  put(gzipped("one ") + gzipped("") + gzipped("two"));
  EXPECT_EQ("one two", read(InputCompression::kGzip));
  put(zstandard("one ") + zstandard("two"));
  EXPECT_EQ("one two", read(InputCompression::kZstd));
}

// An object cut anywhere: every record that is complete before the cut is read, then the damage is reported.
TEST_F(Compressed, records_before_a_cut_are_kept) {
  const std::pair<RecordFormat, std::string> formats[] = {
      {{.format = InputFormat::kDynamoDbJson, .csv = {}, .csv_types = {}},
       "{{\"Item\":{{\"pk\":{{\"S\":\"{}-{}\"}}}}}}\n"},
      {kIon, "$ion_1_0 {{Item:{{pk:\"{}-{}\"}}}}\n"},
      {kCsv, "{},{}\n"}};
  std::mt19937 random(7);
  for (auto [format, line] : formats) {
    if (format.format == InputFormat::kCsv) format.csv = {.delimiter = {}, .header_list = Strings{"pk", "v"}};
    std::string text;
    for (int i = 0; i < 3'000; ++i) text += fmt::format(fmt::runtime(line), i, std::string(random() % 100, 'x'));
    const std::string whole = gzipped(text);
    for (int cut = 0; cut < 40; ++cut) {
      const size_t size = cut < 9 ? whole.size() - static_cast<size_t>(cut) : random() % whole.size();
      put(whole.substr(0, size));
      std::string plain;
      const auto stream = open_object(*bucket_, "a/object", InputCompression::kGzip);
      while (stream->read(plain).value_or(false)) continue;
      const auto reader = open_records(format, open_object(*bucket_, "a/object", InputCompression::kGzip), 0);
      std::ptrdiff_t items = 0;
      auto record = reader->next();
      for (; record.has_value() && record->kind == Record::Kind::kItem; record = reader->next()) ++items;
      ASSERT_TRUE(record.has_value());
      ASSERT_EQ(record->kind == Record::Kind::kEnd, size == whole.size() || size == 0) << record->fault;
      const auto lines = std::count(plain.begin(), plain.end(), '\n');
      ASSERT_GE(items, lines) << size << " of " << whole.size();
      ASSERT_LE(items, lines + 1);
    }
  }
}

TEST_F(Compressed, damage_is_reported) {
  std::string good = gzipped(long_text());
  put(good.substr(0, good.size() / 2));
  EXPECT_EQ(std::nullopt, read(InputCompression::kGzip));
  good[good.size() / 2] ^= 0x55;
  put(good);
  EXPECT_EQ(std::nullopt, read(InputCompression::kGzip));
  put("this is not compressed");
  EXPECT_EQ(std::nullopt, read(InputCompression::kGzip));
  EXPECT_EQ(std::nullopt, read(InputCompression::kZstd));
  good = zstandard(long_text());
  put(good.substr(0, good.size() / 2));
  EXPECT_EQ(std::nullopt, read(InputCompression::kZstd));
}

}  // namespace
}  // namespace trestle
