#include "s3/s3_buckets.h"

#include <fmt/format.h>

#include <charconv>

#include "bucket/md5.h"
#include "bucket/object_name.h"

namespace trestle {
namespace {

using Kind = BucketFault::Kind;

// S3 requires at least 5 MB in every part but the last.
constexpr size_t kPartBytes = size_t{8} << 20;

std::unexpected<BucketFault> refused(std::string_view what, const HttpAnswer& answer) {
  const std::string_view code = xml_element(answer.body, "Code").value_or("");
  const std::string_view message = xml_element(answer.body, "Message").value_or("");
  Kind kind = Kind::kUnavailable;
  if (code == "NoSuchBucket") kind = Kind::kNoSuchBucket;
  if (code == "NoSuchKey") kind = Kind::kNoSuchObject;
  if (answer.status == 403) kind = Kind::kAccessDenied;
  if (kind == Kind::kNoSuchBucket && message.empty()) {
    return bucket_fault(kind, fmt::format("The specified bucket does not exist: {}", what));
  }
  return bucket_fault(kind, fmt::format("{}: S3 answers {} {} {}", what, answer.status, code, message));
}

std::unexpected<BucketFault> unreachable(http::Failure failure) {
  return bucket_fault(Kind::kUnavailable, std::move(failure.message));
}

class S3Sink final : public ObjectSink {
 public:
  S3Sink(const S3Client& client, std::string bucket, std::string name)
      : client_(client), bucket_(std::move(bucket)), name_(std::move(name)) {}

  // Aborts an incomplete upload. Otherwise it would remain, invisible but billed.
  ~S3Sink() override {
    if (upload_.empty() || is_committed_) return;
    (void)client_.send({.method = "DELETE",
                        .bucket = bucket_,
                        .object = name_,
                        .query = {{"uploadId", upload_}},
                        .range = {},
                        .body = {}});
  }

  BucketResult<void> append(std::string_view bytes) override {
    md5_.append(bytes);
    held_ += bytes;
    while (held_.size() > kPartBytes) {
      std::string rest = held_.substr(kPartBytes);
      held_.resize(kPartBytes);
      TRY(upload_part());
      held_ = std::move(rest);
    }
    return {};
  }

  BucketResult<void> commit() override {
    etag_ = md5_.finish();
    if (upload_.empty()) {
      TRY(send(
          {.method = "PUT", .bucket = bucket_, .object = name_, .query = {}, .range = {}, .body = std::move(held_)}));
      return {};
    }
    TRY(upload_part());
    std::string list = "<CompleteMultipartUpload>";
    for (size_t i = 0; i < parts_.size(); ++i) {
      list += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1, xml_escaped(parts_[i]));
    }
    list += "</CompleteMultipartUpload>";
    TRY_INTO(const HttpAnswer answer, send({.method = "POST",
                                            .bucket = bucket_,
                                            .object = name_,
                                            .query = {{"uploadId", upload_}},
                                            .range = {},
                                            .body = std::move(list)}));
    // S3 may send 200 before it knows the outcome.
    if (xml_element(answer.body, "Code")) return refused(name_, answer);
    is_committed_ = true;
    return {};
  }

  std::string etag() const override { return etag_; }

 private:
  BucketResult<HttpAnswer> send(const S3Request& request) {
    auto answer = client_.send(request);
    if (!answer.has_value()) return unreachable(std::move(answer).error());
    if (answer->status != 200) return refused(fmt::format("{}/{}", bucket_, name_), *answer);
    return std::move(*answer);
  }

  BucketResult<void> upload_part() {
    if (upload_.empty()) {
      TRY_INTO(const HttpAnswer begun, send({.method = "POST",
                                             .bucket = bucket_,
                                             .object = name_,
                                             .query = {{"uploads", ""}},
                                             .range = {},
                                             .body = {}}));
      upload_ = xml_text(xml_element(begun.body, "UploadId").value_or(""));
      if (upload_.empty()) return bucket_fault(Kind::kUnavailable, "S3 returned no UploadId");
    }
    TRY_INTO(HttpAnswer sent, send({.method = "PUT",
                                    .bucket = bucket_,
                                    .object = name_,
                                    .query = {{"partNumber", std::to_string(parts_.size() + 1)}, {"uploadId", upload_}},
                                    .range = {},
                                    .body = std::move(held_)}));
    // This is not the MD5 of the part if the bucket is encrypted with KMS.
    if (sent.etag.empty()) return bucket_fault(Kind::kUnavailable, "S3 returned no ETag of a part");
    parts_.push_back(std::move(sent.etag));
    held_.clear();
    return {};
  }

  const S3Client& client_;
  const std::string bucket_;
  const std::string name_;
  Md5 md5_;
  std::string held_;
  std::string upload_;              // the id of the multipart upload; empty: none has begun
  std::vector<std::string> parts_;  // ETags returned by S3
  bool is_committed_ = false;
  std::string etag_;
};

class S3Bucket final : public Bucket {
 public:
  S3Bucket(const S3Client& client, std::string name) : client_(client), name_(std::move(name)) {}

  BucketResult<BucketPage> list(std::string_view prefix, std::string_view after) const override {
    std::string last(after);
    while (true) {
      TRY_INTO(BucketPage page, list_page(prefix, last));
      if (page.is_last || !page.objects.empty()) return page;
    }
  }

  BucketResult<std::string> read(std::string_view name, uint64_t offset, size_t length_max) const override {
    if (length_max == 0) return std::string();
    auto answer = client_.send({.method = "GET",
                                .bucket = name_,
                                .object = std::string(name),
                                .query = {},
                                .range = fmt::format("bytes={}-{}", offset, offset + length_max - 1),
                                .body = {}});
    if (!answer.has_value()) return unreachable(std::move(answer).error());
    if (answer->status == 416) return std::string();  // the offset is beyond the end
    if (answer->status == 206) return std::move(answer->body);
    if (answer->status != 200) return refused(fmt::format("{}/{}", name_, name), *answer);
    // An endpoint without range requests returned the whole object.
    if (offset >= answer->body.size()) return std::string();
    return answer->body.substr(offset, length_max);
  }

  BucketResult<std::unique_ptr<ObjectSink>> write(std::string_view name) override {
    if (!is_object_name(name)) {
      return bucket_fault(Kind::kInvalidName, fmt::format("{} cannot be the name of an object", name));
    }
    return std::make_unique<S3Sink>(client_, name_, std::string(name));
  }

  BucketResult<void> erase(std::string_view name) override {
    auto answer = client_.send(
        {.method = "DELETE", .bucket = name_, .object = std::string(name), .query = {}, .range = {}, .body = {}});
    if (!answer.has_value()) return unreachable(std::move(answer).error());
    if (answer->status != 204 && answer->status != 200 && answer->status != 404) {
      return refused(fmt::format("{}/{}", name_, name), *answer);
    }
    return {};
  }

 private:
  // Moves `last` to the last name listed.
  BucketResult<BucketPage> list_page(std::string_view prefix, std::string& last) const {
    S3Request request{
        .method = "GET", .bucket = name_, .object = {}, .query = {{"list-type", "2"}}, .range = {}, .body = {}};
    request.query.emplace_back("prefix", prefix);
    if (!last.empty()) request.query.emplace_back("start-after", last);
    auto answer = client_.send(request);
    if (!answer.has_value()) return unreachable(std::move(answer).error());
    if (answer->status != 200) return refused(name_, *answer);
    BucketPage page;
    page.is_last = xml_element(answer->body, "IsTruncated") != "true";
    size_t at = 0;
    bool moved = false;
    while (const auto contents = xml_element(answer->body, "Contents", at)) {
      const auto key = xml_element(*contents, "Key");
      const auto size = xml_element(*contents, "Size");
      if (!key) continue;
      BucketObject object{.name = xml_text(*key), .bytes = 0};
      if (size) std::from_chars(size->data(), size->data() + size->size(), object.bytes);
      last = object.name;
      moved = true;
      // "folder/" is not an object but a folder marker that some tools create.
      if (is_object_name(object.name)) page.objects.push_back(std::move(object));
    }
    if (!moved) page.is_last = true;
    return page;
  }

  const S3Client& client_;
  const std::string name_;
};

class S3Buckets final : public Buckets {
 public:
  explicit S3Buckets(std::unique_ptr<S3Client> client) : client_(std::move(client)) {}

  BucketResult<std::unique_ptr<Bucket>> open(std::string_view name) override {
    if (!is_bucket_name(name)) {
      return bucket_fault(Kind::kNoSuchBucket, fmt::format("The specified bucket does not exist: {}", name));
    }
    auto bucket = std::make_unique<S3Bucket>(*client_, std::string(name));
    S3Request request{.method = "GET", .bucket = std::string(name), .object = {}, .query = {}, .range = {}, .body = {}};
    request.query = {{"list-type", "2"}, {"max-keys", "1"}};
    auto answer = client_->send(request);
    if (!answer.has_value()) return unreachable(std::move(answer).error());
    if (answer->status != 200) return refused(name, *answer);
    return bucket;
  }

 private:
  const std::unique_ptr<S3Client> client_;
};

}  // namespace

std::unique_ptr<Buckets> s3_buckets(std::unique_ptr<S3Client> client) {
  return std::make_unique<S3Buckets>(std::move(client));
}

}  // namespace trestle
