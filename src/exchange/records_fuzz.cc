// Reads arbitrary bytes as an object of any format: reading terminates, and every item it returns is valid.
#include "base/check.h"
#include "exchange/record_reader.h"

using namespace trestle;

namespace {

class Pieces final : public ByteStream {
 public:
  Pieces(std::string_view text, size_t size) : text_(text), size_(size) {}
  StreamResult<bool> read(std::string& out) override {
    if (text_.empty()) return false;
    out += text_.substr(0, size_);
    text_.remove_prefix(std::min(size_, text_.size()));
    return true;
  }

 private:
  std::string_view text_;
  const size_t size_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  RecordFormat format;
  format.format = static_cast<InputFormat>(data[0] % 3);
  if (data[0] & 0x80) format.csv.header_list = std::vector<std::string>{"pk", "n"};
  format.csv_types = {{"n", ValueType::kNumber}, {"b", ValueType::kBinary}};
  const auto reader = open_records(format, std::make_unique<Pieces>(text, data[1] % 32 + 1), 0);
  for (size_t records = 0;; ++records) {
    CHECK(records <= size);
    const auto record = reader->next();
    CHECK(record.has_value());
    CHECK(reader->offset() <= text.size());
    if (record->kind == Record::Kind::kItem) CHECK(is_valid_item(record->item.bytes()));
    if (record->kind == Record::Kind::kEnd || record->kind == Record::Kind::kDamaged) break;
  }
  return 0;
}
