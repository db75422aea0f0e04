#include "server/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "base/check.h"
#include "server/http.h"

namespace trestle {

namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with a gzip header
constexpr size_t kInflateStep = 64 * 1024;

std::string_view next_part(std::string_view& list, char separator) {
  const size_t end = list.find(separator);
  std::string_view part = list.substr(0, end);
  list = end == list.npos ? std::string_view{} : list.substr(end + 1);
  while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
  while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
  return part;
}

bool weight_is_zero(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = next_part(parameters, ';');
    if (parameter.starts_with("q=0") || parameter.starts_with("Q=0")) {
      return parameter.find_first_not_of("0.", 2) == parameter.npos;
    }
  }
  return false;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view parameters = next_part(accept_encoding, ',');
    const std::string_view coding = next_part(parameters, ';');
    if (equals_ignoring_case(coding, "gzip")) return !weight_is_zero(parameters);
    if (coding == "*") any = !weight_is_zero(parameters);
  }
  return any;
}

struct Gzip::Streams {
  z_stream inflate{};
  z_stream deflate{};
  bool inflate_ready = false;
  bool deflate_ready = false;
};

Gzip::Gzip() : streams_(std::make_unique<Streams>()) {}

Gzip::~Gzip() {
  if (streams_->inflate_ready) inflateEnd(&streams_->inflate);
  if (streams_->deflate_ready) deflateEnd(&streams_->deflate);
}

Gzip::Outcome Gzip::inflate(std::string_view compressed, size_t bytes_max, std::string& out) {
  z_stream& stream = streams_->inflate;
  if (!streams_->inflate_ready) {
    CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK);
    streams_->inflate_ready = true;
  } else {
    inflateReset(&stream);
  }
  out.clear();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  for (size_t used = 0;;) {
    // One byte past the limit, so that a body of exactly the limit is seen to end there.
    if (used == out.size()) out.resize(std::min(used + std::max(kInflateStep, used), bytes_max + 1));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(out.size() - used);
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    used = out.size() - stream.avail_out;
    if (used > bytes_max) return Outcome::kTooLarge;
    if (code == Z_STREAM_END && stream.avail_in == 0) {
      out.erase(used);
      return Outcome::kOk;
    }
    // Gzip members may follow one another and mean their contents joined.
    if (code == Z_STREAM_END ? inflateReset(&stream) != Z_OK : code != Z_OK) return Outcome::kMalformed;
    if (stream.avail_in == 0 && stream.avail_out != 0) return Outcome::kMalformed;
  }
}

void Gzip::deflate(std::string_view plain, std::string& out) {
  z_stream& stream = streams_->deflate;
  if (!streams_->deflate_ready) {
    CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    streams_->deflate_ready = true;
  } else {
    deflateReset(&stream);
  }
  out.resize(deflateBound(&stream, plain.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.erase(stream.total_out);
}

}  // namespace trestle
