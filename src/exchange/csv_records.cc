// Reads records of CSV.
#include <fmt/format.h>

#include <set>

#include "exchange/record_text.h"
#include "protocol/json/json_output.h"

namespace trestle {
namespace {

// A row of a CSV file.
struct Row {
  std::vector<std::string> fields;
  size_t bytes = 0;  // including the line end
  bool is_blank = false;
};

// Reads one row from the front of `text`. Nothing: more text is needed. `is_all`: there is no more text. By RFC 4180, a
// quoted field may contain delimiters, line ends and doubled quotation marks. A quotation mark inside an unquoted field
// is literal.
std::optional<Row> read_row(std::string_view text, char delimiter, bool is_all) {
  Row row;
  std::string field;
  size_t at = 0;
  while (true) {
    if (at < text.size() && text[at] == '"') {
      for (++at;; ++at) {
        if (at >= text.size()) {
          if (!is_all) return std::nullopt;
          break;  // the closing mark is missing: the field is the rest of the text
        }
        if (text[at] != '"') {
          field += text[at];
        } else if (at + 1 >= text.size() && !is_all) {
          return std::nullopt;  // it may be the first of a doubled mark
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          field += '"';
          ++at;
        } else {
          ++at;
          break;
        }
      }
    }
    while (at < text.size() && text[at] != delimiter && text[at] != '\n' && text[at] != '\r') field += text[at++];
    if (at >= text.size() && !is_all) return std::nullopt;
    row.fields.push_back(std::move(field));
    field.clear();
    if (at < text.size() && text[at] == delimiter) {
      ++at;
      continue;
    }
    break;
  }
  if (at < text.size() && text[at] == '\r') {
    ++at;
    if (at >= text.size() && !is_all) return std::nullopt;
  }
  if (at < text.size() && text[at] == '\n') ++at;
  row.bytes = at;
  row.is_blank = row.fields.size() == 1 && row.fields.front().empty();
  return row;
}

class CsvRecords final : public TextRecords {
 public:
  CsvRecords(const RecordFormat& format, std::unique_ptr<ByteStream> stream, uint64_t offset)
      : TextRecords(std::move(stream), offset),
        delimiter_(format.csv.delimiter && !format.csv.delimiter->empty() ? format.csv.delimiter->front() : ','),
        types_(format.csv_types),
        has_header_(format.csv.header_list.has_value()) {
    if (has_header_) header_ = *format.csv.header_list;
  }

 private:
  StreamResult<Record> read() override {
    if (text_.offset() == 0) TRY(skip_byte_order_mark());
    if (!has_header_) {
      TRY_INTO(const auto row, next_row());
      if (!row) return Record{};
      has_header_ = true;
      header_ = row->fields;
    }
    if (const auto fault = header_fault()) return damaged_record(*fault);
    TRY(text_.skip_to(start_));
    TRY_INTO(const auto row, next_row());
    if (!row) return Record{};
    if (row->bytes > kRecordBytesMax) return damaged_record("The row is too long");
    if (row->fields.size() != header_.size()) {
      return fault(fmt::format("The row has {} values where there are {} columns", row->fields.size(), header_.size()));
    }
    auto item = item_of_json(json_of(*row));
    if (!item.has_value()) return fault(std::move(item).error());
    return Record{.kind = Record::Kind::kItem, .item = std::move(*item), .fault = {}};
  }

  static Record fault(std::string message) {
    return Record{.kind = Record::Kind::kFault, .item = {}, .fault = std::move(message)};
  }

  std::optional<std::string> header_fault() const {
    std::set<std::string_view> names;
    for (const std::string& name : header_) {
      if (name.empty()) return "A column has no name";
      if (!names.insert(name).second) return fmt::format("Two columns have the name {}", name);
    }
    return std::nullopt;
  }

  // Must be called before parsing, so that a quotation mark after the byte order mark begins a quoted field.
  StreamResult<void> skip_byte_order_mark() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    bool more = true;
    while (more && text_.view().size() < kByteOrderMark.size()) {
      TRY_INTO(more, text_.grow());
    }
    if (text_.view().starts_with(kByteOrderMark)) text_.consume(kByteOrderMark.size());
    return {};
  }

  // Returns the next row, skipping blank lines. Nothing: the object has ended.
  StreamResult<std::optional<Row>> next_row() {
    while (true) {
      bool is_all = false;
      if (text_.view().empty()) {
        TRY_INTO(const bool more, text_.grow());
        if (!more) return std::optional<Row>();
      }
      auto row = read_row(text_.view(), delimiter_, false);
      while (!row) {
        if (text_.is_too_long()) {
          row = Row{.fields = {}, .bytes = text_.view().size(), .is_blank = false};
          break;
        }
        TRY_INTO(const bool more, text_.grow_twice());
        is_all = !more;
        row = read_row(text_.view(), delimiter_, is_all);
      }
      text_.consume(row->bytes);
      if (!row->is_blank) return row;
    }
  }

  std::string json_of(const Row& row) const {
    std::string out;
    JsonOutput json(out);
    json.begin_object();
    json.key("Item").begin_object();
    for (size_t i = 0; i < row.fields.size(); ++i) {
      const auto typed = types_.find(header_[i]);
      const ValueType type = typed == types_.end() ? ValueType::kString : typed->second;
      json.key_escaped(header_[i]).begin_object();
      json.member(type == ValueType::kNumber   ? "N"
                  : type == ValueType::kBinary ? "B"
                                               : "S",
                  std::string_view(row.fields[i]));
      json.end_object();
    }
    json.end_object();
    json.end_object();
    return out;
  }

  const char delimiter_;
  const std::map<std::string, ValueType, std::less<>> types_;
  bool has_header_;
  std::vector<std::string> header_;
};

}  // namespace

std::unique_ptr<RecordReader> open_csv_records(const RecordFormat& format, std::unique_ptr<ByteStream> stream,
                                               uint64_t offset) {
  return std::make_unique<CsvRecords>(format, std::move(stream), offset);
}

}  // namespace trestle
