#include "bench/table.h"

#include <fmt/format.h>

#include <charconv>
#include <thread>

namespace trestle::bench {

namespace {

constexpr auto kActiveWaitMax = std::chrono::seconds(120);
constexpr std::string_view kStream =
    R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"})";
constexpr unsigned kAttemptsMax = 100;  // per batch

// Supplies batches in order, then those that must be written again.
class LoadSource final : public RequestSource {
 public:
  explicit LoadSource(const LoadOptions& options)
      : request_(options.context, {.operation = "BatchWriteItem",
                                   .body = batch_body(options.data, options.kind),
                                   .data_bytes = data_bytes(options.data, options.kind),
                                   .items = options.data.items}),
        random_(options.seed),
        batches_(options.data.items / kBatchItems),
        at_(options.connections) {}

  std::string_view next(size_t connection) override {
    if (!failure_.empty()) return {};
    Batch& batch = at_[connection];
    if (!again_.empty()) {
      batch = again_.back();
      again_.pop_back();
    } else if (next_ < batches_) {
      batch = {.number = next_++};
    } else {
      return {};
    }
    return request_.fill(batch.number * kBatchItems, random_);
  }

  bool accept(size_t connection, const Response& response) override {
    const bool throttled = response.status >= 500 || response.body.find("Throttl") != std::string_view::npos ||
                           response.body.find("ThroughputExceeded") != std::string_view::npos;
    if (response.status == 200 && response.body.find("PutRequest") == std::string_view::npos) {
      ++written_;
      return true;
    }
    if (response.status != 200 && !throttled) {
      failure_ = fmt::format("loading: {} {}", response.status, response.body);
    } else {
      repeat(connection);
    }
    return false;
  }

  void lost(size_t connection) override { repeat(connection); }

  Result<void> finished() const {
    if (!failure_.empty()) return fail(failure_);
    if (written_ != batches_) return fail(fmt::format("loading: {} batches were never written", batches_ - written_));
    return {};
  }

 private:
  struct Batch {
    uint64_t number = 0;
    unsigned attempts = 0;
  };

  void repeat(size_t connection) {
    Batch& batch = at_[connection];
    if (++batch.attempts >= kAttemptsMax) failure_ = "loading: the endpoint keeps refusing a batch";
    again_.push_back(batch);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the endpoint throttles: slow down
  }

  RequestTemplate request_;
  Random random_;
  const uint64_t batches_;
  uint64_t next_ = 0;
  uint64_t written_ = 0;
  std::vector<Batch> at_;
  std::vector<Batch> again_;
  std::string failure_;
};

std::optional<uint64_t> scanned_count(std::string_view page) {
  constexpr std::string_view kField = "\"ScannedCount\"";
  const size_t field = page.rfind(kField);
  if (field == std::string_view::npos) return std::nullopt;
  const size_t digits = std::min(page.find_first_not_of(" :", field + kField.size()), page.size());
  uint64_t count = 0;
  const auto end = std::from_chars(page.data() + digits, page.data() + page.size(), count);
  return end.ec == std::errc{} ? std::optional(count) : std::nullopt;
}

}  // namespace

Result<void> create_table(Caller& caller, const std::string& name, TableKind kind) {
  const bool ranged = kind == TableKind::kRanged;
  TRY(caller.must("CreateTable", fmt::format(R"({{"TableName":"{}","BillingMode":"PAY_PER_REQUEST","KeySchema":[)"
                                             R"({{"AttributeName":"pk","KeyType":"HASH"}}{}],"AttributeDefinitions":[)"
                                             R"({{"AttributeName":"pk","AttributeType":"S"}}{}]{}}})",
                                             name, ranged ? R"(,{"AttributeName":"sk","KeyType":"RANGE"})" : "",
                                             ranged ? R"(,{"AttributeName":"sk","AttributeType":"S"})" : "",
                                             kind == TableKind::kStreamed ? kStream : "")));
  const auto deadline = std::chrono::steady_clock::now() + kActiveWaitMax;
  while (std::chrono::steady_clock::now() < deadline) {
    TRY_INTO(const std::string table, caller.must("DescribeTable", fmt::format(R"({{"TableName":"{}"}})", name)));
    if (table.find("\"ACTIVE\"") != std::string::npos) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return fail(fmt::format("table {} is not ACTIVE after two minutes", name));
}

Result<std::string> find_shard_iterator(Caller& caller, const std::string& table) {
  TRY_INTO(const std::string described, caller.must("DescribeTable", fmt::format(R"({{"TableName":"{}"}})", table)));
  const auto arn = find_string(described, "LatestStreamArn");
  if (!arn) return fail(fmt::format("table {} has no stream", table));
  TRY_INTO(std::string stream, caller.must("DescribeStream", fmt::format(R"({{"StreamArn":"{}"}})", *arn)));
  while (const auto shard = find_string(stream, "ShardId")) {
    TRY_INTO(const std::string reply,
             caller.must("GetShardIterator",
                         fmt::format(R"({{"StreamArn":"{}","ShardId":"{}","ShardIteratorType":"TRIM_HORIZON"}})", *arn,
                                     *shard)));
    const auto iterator = find_string(reply, "ShardIterator");
    if (!iterator) return fail("GetShardIterator returned no iterator");
    TRY_INTO(const std::string page,
             caller.must("GetRecords", fmt::format(R"({{"ShardIterator":"{}","Limit":1}})", *iterator)));
    if (page.find("\"eventID\"") != std::string::npos) return std::string(*iterator);
    stream.erase(0, stream.find(*shard) + shard->size());
  }
  return fail(fmt::format("no shard of the stream of {} has records", table));
}

Result<void> delete_table(Caller& caller, const std::string& name) {
  TRY(caller.must("DeleteTable", fmt::format(R"({{"TableName":"{}"}})", name)));
  return {};
}

Result<Measurement> load_table(const LoadOptions& options) {
  LoadSource source(options);
  LoadLoop loop({.endpoint = options.context.endpoint, .tls = options.tls, .connections = options.connections});
  Progress progress(fmt::format("loading {}, batches of {}", table_name(options.data, options.kind), kBatchItems), 10);
  TRY_INTO(Measurement measured, loop.run(source, {.expected_requests = options.data.items / kBatchItems}, progress));
  TRY(source.finished());
  return measured;
}

Result<ScanTotals> scan_table(Caller& caller, const std::string& name, uint64_t expected_items) {
  ScanTotals totals;
  Progress progress(fmt::format("scanning {}, items", name), 10);
  const auto started = std::chrono::steady_clock::now();
  std::string start_key;
  do {
    TRY_INTO(const std::string page, caller.must("Scan", fmt::format(R"({{"TableName":"{}"{}}})", name, start_key)));
    const auto count = scanned_count(page);
    if (!count) return fail("a Scan page has no ScannedCount");
    totals.items += *count;
    ++totals.pages;
    const auto next_key = find_object(page, "LastEvaluatedKey");
    start_key = next_key ? fmt::format(R"(,"ExclusiveStartKey":{})", *next_key) : "";
    const auto now = std::chrono::steady_clock::now();
    if (progress.due(now)) {
      progress.show(now, static_cast<double>(totals.items) / static_cast<double>(expected_items), totals.items);
    }
  } while (!start_key.empty());
  totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return totals;
}

}  // namespace trestle::bench
