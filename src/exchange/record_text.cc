#include "exchange/record_text.h"

#include <algorithm>

#include "protocol/json/attribute_value_json.h"

namespace trestle {

StreamResult<bool> RecordText::grow() {
  if (is_over_) return false;
  if (start_ > 0) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  if (fault_) return std::unexpected(*fault_);
  const size_t before = buffer_.size();
  auto more = stream_->read(buffer_);
  if (more.has_value()) {
    is_over_ = !*more;
    return more;
  }
  fault_ = std::move(more.error());
  if (buffer_.size() > before) return true;  // the bytes before the fault are good
  return std::unexpected(*fault_);
}

StreamResult<bool> RecordText::grow_twice() {
  const size_t before = view().size();
  bool more = false;
  do {
    auto grown = grow();
    if (!grown.has_value() && view().size() > before) return true;
    if (!grown.has_value()) return grown;
    more = *grown;
  } while (more && view().size() < before * 2);
  return more || view().size() > before;
}

StreamResult<bool> RecordText::skip_to(uint64_t offset) {
  while (offset_ < offset) {
    if (view().empty()) {
      TRY_INTO(const bool more, grow());
      if (!more) return false;
    }
    consume(std::min<uint64_t>(view().size(), offset - offset_));
  }
  return true;
}

Record damaged_record(std::string fault) {
  return Record{.kind = Record::Kind::kDamaged, .item = {}, .fault = std::move(fault)};
}

BucketResult<Record> TextRecords::next() {
  auto record = read();
  if (record.has_value()) return std::move(*record);
  if (!record.error().is_damaged) return std::unexpected(std::move(record.error().bucket));
  return damaged_record(std::move(record.error().message));
}

namespace {

BasicResult<Item, std::string> item_of(JsonElement json) {
  auto item = ValueReader(ValueWording::kOlder).item(json);
  if (!item.has_value()) return std::unexpected(std::move(item).error().message);
  if (item->fault) return std::unexpected(std::move(*item->fault));
  return std::move(item->value);
}

}  // namespace

BasicResult<Item, std::string> item_of_json(std::string_view json) {
  const auto input = parse_body(json);
  if (!input.has_value()) return std::unexpected(std::string("The record is not JSON in UTF-8"));
  for (const JsonMember member : *input) {
    if (member.name == "Item") return item_of(member.value);
  }
  return std::unexpected(std::string("The record has no Item"));
}

std::unique_ptr<RecordReader> open_records(const RecordFormat& format, std::unique_ptr<ByteStream> stream,
                                           uint64_t offset) {
  switch (format.format) {
    case InputFormat::kIon:
      return open_ion_records(std::move(stream), offset);
    case InputFormat::kCsv:
      return open_csv_records(format, std::move(stream), offset);
    case InputFormat::kDynamoDbJson:
      break;
  }
  return open_json_records(std::move(stream), offset);
}

}  // namespace trestle
