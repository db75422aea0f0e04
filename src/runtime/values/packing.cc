#include "runtime/values/packing.h"

#include <zlib.h>

#include <algorithm>

#include "base/check.h"

namespace trestle::runtime {
namespace {

// zlib's window bits, and 16 for gzip's header.
constexpr int kGzip = 15 + 16;

Bytef* input_of(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write to it
}

}  // namespace

std::string pack_bytes(std::string_view bytes) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

bool is_packed(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::optional<std::string> unpack_bytes(std::string_view bytes) {
  if (!is_packed(bytes)) return std::nullopt;
  z_stream stream{};
  CHECK(inflateInit2(&stream, kGzip) == Z_OK);
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK && out.size() < kUnpackedMax) {
    const size_t done = out.size();
    out.resize(std::min(std::max<size_t>(done * 2, bytes.size() * 4 + 64), kUnpackedMax));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = static_cast<uInt>(out.size() - done);
    state = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (state == Z_OK && stream.avail_out > 0) break;  // the input ends too early
  }
  const bool whole = state == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!whole) return std::nullopt;
  return out;
}

Packing packing_of(std::string_view bytes, int64_t over, double saves) {
  Packing out{.packed = false, .original_size = bytes.size(), .storage_size = bytes.size()};
  if (static_cast<int64_t>(bytes.size()) <= over) return out;
  const size_t smaller = pack_bytes(bytes).size();
  if (static_cast<double>(smaller) > static_cast<double>(bytes.size()) * (1 - saves)) return out;
  out.packed = true;
  out.storage_size = smaller;
  return out;
}

}  // namespace trestle::runtime
