#include "exchange/byte_stream.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "base/check.h"

namespace trestle {
namespace {

constexpr size_t kPieceBytes = size_t{256} << 10;
// A frame may require a window of up to 128 MB; larger windows are rejected.
constexpr int kWindowLogMax = 27;

std::unexpected<StreamFault> damaged(std::string_view name, std::string_view why) {
  return std::unexpected(StreamFault{
      .is_damaged = true, .bucket = {}, .message = fmt::format("{} cannot be decompressed: {}", name, why)});
}

class ObjectBytes final : public ByteStream {
 public:
  ObjectBytes(const Bucket& bucket, std::string name) : bucket_(bucket), name_(std::move(name)) {}

  StreamResult<bool> read(std::string& out) override {
    auto piece = bucket_.read(name_, offset_, kPieceBytes);
    if (!piece.has_value()) return std::unexpected(StreamFault{.bucket = std::move(piece).error(), .message = {}});
    offset_ += piece->size();
    out += *piece;
    return !piece->empty();
  }

 private:
  const Bucket& bucket_;
  const std::string name_;
  uint64_t offset_ = 0;
};

// The common part of the decompressors. Each read() returns at most one piece of output; more input is read only when
// all input has been used.
class Decompressor : public ByteStream {
 public:
  Decompressor(const Bucket& bucket, std::string name) : name_(name), source_(bucket, std::move(name)) {}

  StreamResult<bool> read(std::string& out) override {
    while (!is_over_) {
      if (used_ == input_.size()) {
        input_.clear();
        used_ = 0;
        TRY_INTO(const bool more, source_.read(input_));
        if (!more) {
          is_over_ = true;
          if (is_inside_) return damaged(name_, "it ends too early");
          return false;
        }
      }
      const size_t before = out.size();
      TRY(step(out));
      if (out.size() > before) return true;
    }
    return false;
  }

 protected:
  // Uses some of input_, beginning at used_, and appends at most kPieceBytes to `out`.
  virtual StreamResult<void> step(std::string& out) = 0;

  const std::string name_;
  std::string input_;
  size_t used_ = 0;
  bool is_inside_ = false;  // a member or frame has begun but not ended

 private:
  ObjectBytes source_;
  bool is_over_ = false;
};

class GzipStream final : public Decompressor {
 public:
  GzipStream(const Bucket& bucket, std::string name) : Decompressor(bucket, std::move(name)) {
    CHECK(inflateInit2(&state_, 16 + MAX_WBITS) == Z_OK);
  }
  ~GzipStream() override { inflateEnd(&state_); }

 protected:
  StreamResult<void> step(std::string& out) override {
    const size_t before = out.size();
    out.resize(before + kPieceBytes);
    state_.next_in = reinterpret_cast<Bytef*>(input_.data() + used_);
    state_.avail_in = static_cast<uInt>(input_.size() - used_);
    state_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    state_.avail_out = static_cast<uInt>(kPieceBytes);
    const int status = inflate(&state_, Z_NO_FLUSH);
    used_ = input_.size() - state_.avail_in;
    out.resize(before + kPieceBytes - state_.avail_out);
    is_inside_ = status != Z_STREAM_END;
    if (status == Z_STREAM_END) {
      inflateReset(&state_);
      return {};
    }
    if (status == Z_OK || status == Z_BUF_ERROR) return {};
    return damaged(name_, state_.msg == nullptr ? "it is not gzip" : state_.msg);
  }

 private:
  z_stream state_{};
};

class ZstdStream final : public Decompressor {
 public:
  ZstdStream(const Bucket& bucket, std::string name)
      : Decompressor(bucket, std::move(name)), state_(ZSTD_createDCtx()) {
    CHECK(state_ != nullptr);
    CHECK(!ZSTD_isError(ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, kWindowLogMax)));
  }
  ~ZstdStream() override { ZSTD_freeDCtx(state_); }

 protected:
  StreamResult<void> step(std::string& out) override {
    const size_t before = out.size();
    out.resize(before + kPieceBytes);
    ZSTD_inBuffer in{input_.data(), input_.size(), used_};
    ZSTD_outBuffer output{out.data() + before, kPieceBytes, 0};
    const size_t left = ZSTD_decompressStream(state_, &output, &in);
    used_ = in.pos;
    out.resize(before + output.pos);
    if (ZSTD_isError(left)) return damaged(name_, ZSTD_getErrorName(left));
    is_inside_ = left != 0;
    return {};
  }

 private:
  ZSTD_DCtx* const state_;
};

}  // namespace

std::unique_ptr<ByteStream> open_object(const Bucket& bucket, std::string name, InputCompression compression) {
  switch (compression) {
    case InputCompression::kGzip:
      return std::make_unique<GzipStream>(bucket, std::move(name));
    case InputCompression::kZstd:
      return std::make_unique<ZstdStream>(bucket, std::move(name));
    case InputCompression::kNone:
      break;
  }
  return std::make_unique<ObjectBytes>(bucket, std::move(name));
}

}  // namespace trestle
