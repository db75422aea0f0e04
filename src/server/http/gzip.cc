#include "server/http/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/check.h"
#include "server/http/http.h"

namespace trestle {

namespace {

constexpr size_t kInflateStep = 64 * 1024;

// zlib's windowBits: the largest window, plus 16 for gzip's header.
int window_bits(ContentCoding coding) { return coding == ContentCoding::kGzip ? 15 + 16 : 15; }

std::string_view next_part(std::string_view& list, char separator) {
  const size_t end = list.find(separator);
  const std::string_view part = list.substr(0, end);
  list = end == list.npos ? std::string_view{} : list.substr(end + 1);
  return trimmed(part, " ");
}

// The first "q=" anywhere in the parameters counts.
double weight_of(std::string_view parameters) {
  const size_t at = parameters.find("q=");
  if (at == parameters.npos) return 1;
  std::string_view text = parameters.substr(at + 2);
  text = next_part(text, ';');
  double weight = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return 1;
  return std::clamp(weight, 0.0, 1.0);
}

}  // namespace

std::string_view coding_name(ContentCoding coding) { return coding == ContentCoding::kGzip ? "gzip" : "deflate"; }

std::optional<ContentCoding> coding_named(std::string_view name) {
  for (const ContentCoding coding : {ContentCoding::kGzip, ContentCoding::kDeflate}) {
    if (equals_ignoring_case(name, coding_name(coding))) return coding;
  }
  return std::nullopt;
}

std::optional<ContentCoding> preferred_coding(std::string_view accept_encoding) {
  std::optional<ContentCoding> best;
  double best_weight = 0;
  double other_weight = 0;  // weight of "*"
  bool is_listed[2] = {false, false};
  while (!accept_encoding.empty()) {
    std::string_view parameters = next_part(accept_encoding, ',');
    const std::string_view name = next_part(parameters, ';');
    const double weight = weight_of(parameters);
    if (name == "*") other_weight = std::max(other_weight, weight);
    const auto coding = coding_named(name);
    if (!coding) continue;
    is_listed[static_cast<size_t>(*coding)] = true;
    if (weight <= best_weight) continue;
    best = coding;
    best_weight = weight;
  }
  for (const ContentCoding coding : {ContentCoding::kGzip, ContentCoding::kDeflate}) {
    if (is_listed[static_cast<size_t>(coding)] || other_weight <= best_weight) continue;
    best = coding;
    best_weight = other_weight;
  }
  return best;
}

struct Gzip::Streams {
  z_stream inflate{};
  bool inflate_ready = false;
  // Indexed by coding.
  z_stream deflate[2]{};
  bool deflate_ready[2] = {false, false};
};

Gzip::Gzip() : streams_(std::make_unique<Streams>()) {}

Gzip::~Gzip() {
  if (streams_->inflate_ready) inflateEnd(&streams_->inflate);
  for (size_t i = 0; i < 2; ++i) {
    if (streams_->deflate_ready[i]) deflateEnd(&streams_->deflate[i]);
  }
}

Gzip::Outcome Gzip::inflate(std::string_view compressed, ContentCoding coding, size_t bytes_max, std::string& out) {
  z_stream& stream = streams_->inflate;
  if (!streams_->inflate_ready) {
    CHECK(inflateInit2(&stream, window_bits(coding)) == Z_OK);
    streams_->inflate_ready = true;
  } else {
    inflateReset2(&stream, window_bits(coding));
  }
  out.clear();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  for (size_t used = 0;;) {
    // One byte more than the limit, so that a body of exactly the limit is recognised as complete.
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
    // Gzip members may be concatenated; the result is the concatenation of their contents.
    if (code == Z_STREAM_END ? inflateReset(&stream) != Z_OK : code != Z_OK) return Outcome::kMalformed;
    if (stream.avail_in == 0 && stream.avail_out != 0) return Outcome::kMalformed;
  }
}

void Gzip::deflate(std::string_view plain, ContentCoding coding, std::string& out) {
  const auto kind = static_cast<size_t>(coding);
  z_stream& stream = streams_->deflate[kind];
  if (!streams_->deflate_ready[kind]) {
    CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window_bits(coding), 8, Z_DEFAULT_STRATEGY) == Z_OK);
    streams_->deflate_ready[kind] = true;
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
