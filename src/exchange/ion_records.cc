// Reads records of Ion text.
#include "exchange/ion_json.h"
#include "exchange/record_text.h"

namespace trestle {
namespace {

class IonRecords final : public TextRecords {
 public:
  using TextRecords::TextRecords;

 private:
  StreamResult<Record> read() override {
    TRY(text_.skip_to(start_));
    bool is_all = false;
    while (true) {
      IonScanner scanner;
      switch (scanner.find(text_.view(), is_all)) {
        case IonScanner::Found::kValue:
          return value(scanner);
        case IonScanner::Found::kNothing:
          text_.consume(scanner.end());
          if (is_all) return Record{};
          break;
        case IonScanner::Found::kNoStruct:
          return damaged_record("The record is not an Ion struct");
        case IonScanner::Found::kMore:
          break;
      }
      if (text_.is_too_long()) return damaged_record("The record is too long");
      TRY_INTO(const bool more, text_.grow_twice());
      is_all = !more;
    }
  }

  Record value(const IonScanner& scanner) {
    std::string json;
    const std::string_view ion = text_.view().substr(scanner.start(), scanner.end() - scanner.start());
    auto converted = ion_to_json(ion, json);
    text_.consume(scanner.end());
    if (!converted.has_value()) return damaged_record(std::move(converted).error());
    auto item = item_of_json(json);
    if (!item.has_value()) return damaged_record(std::move(item).error());
    // The line break belongs to the record before it.
    const std::string_view rest = text_.view();
    if (rest.starts_with("\n")) text_.consume(1);
    return Record{.kind = Record::Kind::kItem, .item = std::move(*item), .fault = {}};
  }
};

}  // namespace

std::unique_ptr<RecordReader> open_ion_records(std::unique_ptr<ByteStream> stream, uint64_t offset) {
  return std::make_unique<IonRecords>(std::move(stream), offset);
}

}  // namespace trestle
