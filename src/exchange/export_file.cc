#include "exchange/export_file.h"

#include <zlib.h>

#include "base/check.h"

namespace trestle {

struct ExportFileWriter::Gzip {
  z_stream stream = {};
  std::string out = std::string(size_t{64} << 10, '\0');
};

ExportFileWriter::ExportFileWriter(std::unique_ptr<ObjectSink> sink)
    : sink_(std::move(sink)), gzip_(std::make_unique<Gzip>()) {
  constexpr int kWindowBits = 15 + 16;  // gzip's header
  constexpr int kMemoryLevel = 8;
  // The fastest level: the larger output costs less than the CPU time taken from requests.
  const int begun =
      deflateInit2(&gzip_->stream, Z_BEST_SPEED, Z_DEFLATED, kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY);
  CHECK(begun == Z_OK);
}

ExportFileWriter::~ExportFileWriter() { deflateEnd(&gzip_->stream); }

BucketResult<void> ExportFileWriter::append(std::string_view lines) {
  bytes_ += lines.size();
  return deflate(lines, false);
}

BucketResult<void> ExportFileWriter::deflate(std::string_view lines, bool last) {
  z_stream& stream = gzip_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(lines.data()));
  stream.avail_in = static_cast<uInt>(lines.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(gzip_->out.data());
    stream.avail_out = static_cast<uInt>(gzip_->out.size());
    const int status = ::deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    CHECK(status != Z_STREAM_ERROR);
    const size_t compressed_bytes = gzip_->out.size() - stream.avail_out;
    if (compressed_bytes > 0) TRY(sink_->append(std::string_view(gzip_->out).substr(0, compressed_bytes)));
  } while (stream.avail_out == 0);
  return {};
}

BucketResult<std::string> ExportFileWriter::finish() {
  TRY(deflate({}, true));
  TRY(sink_->commit());
  return sink_->etag();
}

}  // namespace trestle
