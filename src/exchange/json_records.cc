// Reads records of DynamoDB JSON.
#include "exchange/record_text.h"

namespace trestle {
namespace {

bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Finds the end of a JSON object incrementally: counts braces outside of strings.
class ObjectEnd {
 public:
  // The number of bytes of `text` that belong to the object; nothing: more text is needed. Continues where the last
  // call stopped.
  std::optional<size_t> find(std::string_view text) {
    for (; at_ < text.size(); ++at_) {
      const char c = text[at_];
      if (in_string_) {
        if (escaped_) {
          escaped_ = false;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c == '"') {
          in_string_ = false;
        }
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{') {
        ++depth_;
      } else if (c == '}' && --depth_ == 0) {
        return at_ + 1;
      }
    }
    return std::nullopt;
  }

 private:
  size_t at_ = 0;
  size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

class JsonRecords final : public TextRecords {
 public:
  using TextRecords::TextRecords;

 private:
  StreamResult<Record> read() override {
    TRY(text_.skip_to(start_));
    TRY_INTO(const bool more, skip_spaces());
    if (!more) return Record{};
    if (text_.view().front() != '{') return damaged_record("The record is not a JSON object");
    ObjectEnd end;
    std::optional<size_t> size = end.find(text_.view());
    while (!size) {
      if (text_.is_too_long()) return damaged_record("The record is too long");
      TRY_INTO(const bool grown, text_.grow());
      if (!grown) {
        text_.consume(text_.view().size());
        return damaged_record("The record is not JSON: it ends too early");
      }
      size = end.find(text_.view());
    }
    auto item = item_of_json(text_.view().substr(0, *size));
    text_.consume(*size);
    pass_line_end();
    if (!item.has_value()) return damaged_record(std::move(item).error());
    return Record{.kind = Record::Kind::kItem, .item = std::move(*item), .fault = {}};
  }

  StreamResult<bool> skip_spaces() {
    while (true) {
      const std::string_view view = text_.view();
      size_t spaces = 0;
      while (spaces < view.size() && is_json_space(view[spaces])) ++spaces;
      text_.consume(spaces);
      if (!text_.view().empty()) return true;
      TRY_INTO(const bool more, text_.grow());
      if (!more) return false;
    }
  }

  // The line break belongs to the record before it, so that after the last record the whole object has been read. A
  // fault after the record does not belong to it: the next call of next() reports it.
  void pass_line_end() { (void)skip_spaces(); }
};

}  // namespace

std::unique_ptr<RecordReader> open_json_records(std::unique_ptr<ByteStream> stream, uint64_t offset) {
  return std::make_unique<JsonRecords>(std::move(stream), offset);
}

}  // namespace trestle
