// Tests the API with a runtime that only reports the calls it received.
#include "api/design_api.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>

#include "base/scratch_folder.h"
#include "base/sha256.h"
#include "design/language/reader.h"
#include "runtime/values/plain_json.h"

namespace trestle::api {
namespace {

using runtime::Outcome;
using runtime::parse_plain_json;
using runtime::Plain;
using runtime::plain_json;

constexpr std::string_view kDesign = R"y(design: shop
tables: {t: {key: [PK, SK]}}
entities:
  Thing:
    key: ["T#{id}", "T#{id}"]
    fields: {id: "string([a-z], 1..9)", size: int, on: bool, tags: list<string>, rev: revision}
reads:
  thing: {get: Thing}
  things: {scan: Thing, takes: {size: int optional, on: bool optional, tags: list<string> optional}}
writes:
  save: {put: Thing}
)y";

// Replies with the call it received, or as `answer` says.
class Echo final : public runtime::DesignRuntime {
 public:
  explicit Echo(const design::Design& design) : design_(design) {}
  Outcome<runtime::CallReply> call(const design::Operation& operation, const Plain& inputs,
                                   const runtime::ListOptions& list, const runtime::CallContext& context,
                                   Call& call) override {
    ++calls;
    (call.cached_reads_only ? calls_on_loop : calls_on_pool)++;
    if (misses && call.cached_reads_only) {
      call.needs_disk = true;
      return runtime::refuse(503, "a miss");
    }
    if (wait) wait();
    if (sends && context.observer) sends(context.observer);
    if (answer) return answer(list);
    runtime::CallReply reply{.body = Plain::map({{"operation", Plain::text(operation.name)}, {"inputs", inputs}})};
    if (list.limit) reply.body.set("limit", Plain::number(*list.limit));
    if (list.descending) reply.body.set("descending", Plain::boolean(*list.descending));
    if (context.if_match) reply.body.set("if_match", Plain::text(*context.if_match));
    if (context.idempotency_key) reply.body.set("key", Plain::text(*context.idempotency_key));
    if (!context.caller.is_absent()) reply.body.set("caller", context.caller);
    return reply;
  }
  bool is_brief(const design::Operation& operation) const override { return operation.name != "save"; }
  const design::Plan& plan(const design::Operation&) const override { return plan_; }
  const design::Design& design() const override { return design_; }
  bool is_list(const design::Operation& operation) const override { return operation.name == "things"; }
  const runtime::OperationUnits& units() const override { return units_; }
  Outcome<int64_t> resume() override { return 0; }

  std::function<Outcome<runtime::CallReply>(const runtime::ListOptions&)> answer;
  std::function<void()> wait;
  std::function<void(const runtime::RequestObserver&)> sends;
  bool misses = false;  // a call that must not wait is handed over
  std::atomic<int> calls = 0;
  std::atomic<int> calls_on_loop = 0;
  std::atomic<int> calls_on_pool = 0;

 private:
  const design::Design& design_;
  const runtime::OperationUnits units_{design_};
  design::Plan plan_;
};

// A database that is only used to wait for durability.
class NoDatabase final : public Database {
 public:
  Result<void> wait_durable(const Call&) override { return {}; }
  void when_durable(const Call&, std::move_only_function<void(Result<void>)> then) override { then({}); }
#define TRESTLE_REFUSE(Name, name)                                    \
  Result<Name##Response> name(const Name##Request&, Call&) override { \
    return failure(ErrorCode::kInternal, "not here");                 \
  }
  TRESTLE_OPERATIONS(TRESTLE_REFUSE)
#undef TRESTLE_REFUSE
};

class Next final : public HttpHandler {
 public:
  void handle(const HttpRequest&, ReplyHandle reply) override { reply.send({.status = 299}); }
};

// Receives one reply.
class Mailbox final : public ReplyPort {
 public:
  void deliver(uint64_t, HttpReply reply) override {
    const std::lock_guard lock(mutex_);
    reply_ = std::move(reply);
    arrived_ = true;
    changed_.notify_all();
  }
  HttpReply take() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), [&] { return arrived_; }));
    return std::move(reply_);
  }

  bool try_add_waiting(size_t bytes) override {
    if (waiting + bytes > waiting_max) return false;
    waiting += bytes;
    return true;
  }
  void remove_waiting(size_t bytes) override { waiting -= bytes; }

  std::atomic<size_t> waiting = 0;
  size_t waiting_max = SIZE_MAX;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  HttpReply reply_;
  bool arrived_ = false;
};

class DesignApiTest : public ::testing::Test {
 protected:
  DesignApiTest() : reading_(design::read_design(kDesign)), echo_(reading_.design), tokens_({"secret"}) {
    EXPECT_TRUE(reading_.mistakes.empty()) << reading_.mistakes[0].message;
    open({});
  }
  void open(DesignApiOptions options, std::map<std::string, DesignApi::Background, std::less<>> background = {},
            DesignApi::Save save = {}) {
    api_ = std::make_unique<DesignApi>(DesignApi::Parts{.designs = {&echo_},
                                                        .database = database_,
                                                        .callers = callers_,
                                                        .tokens = tokens_,
                                                        .clock = clock_,
                                                        .next = next_,
                                                        .background = std::move(background),
                                                        .save = std::move(save)},
                                       std::move(options));
  }
  std::shared_ptr<Mailbox> send(HttpRequest request, std::vector<HttpHeader> headers = {},
                                size_t waiting_max = SIZE_MAX) {
    request.headers = headers;
    if (request.peer.empty()) request.peer = "127.0.0.1:9999";
    auto mailbox = std::make_shared<Mailbox>();
    mailbox->waiting_max = waiting_max;
    api_->handle(request, ReplyHandle(mailbox, 1));
    return mailbox;
  }
  HttpReply get(std::string_view path, std::string_view query = {}, std::vector<HttpHeader> headers = {}) {
    return send({.method = "GET", .path = path, .query = query}, std::move(headers))->take();
  }
  HttpReply post(std::string_view path, std::string_view body, std::vector<HttpHeader> headers = {}) {
    headers.push_back({"Content-Type", "application/json"});
    return send({.method = "POST", .path = path, .body = body}, std::move(headers))->take();
  }

  design::Reading reading_;
  Echo echo_;
  NoDatabase database_;
  Callers callers_;
  PageTokens tokens_;
  SystemClock clock_;
  Next next_;
  std::unique_ptr<DesignApi> api_;
};

TEST_F(DesignApiTest, other_paths_are_the_next_handlers) {
  for (const char* path : {"/", "/metrics", "/designsx", "/design"}) EXPECT_EQ(get(path).status, 299) << path;
}

TEST_F(DesignApiTest, pages_are_where_they_are_said_to_be) {
  EXPECT_NE(get("/designs").body.find("\"/designs/shop/openapi.json\""), std::string::npos);
  EXPECT_EQ(get("/designs", "", {{"Accept", "text/html,*/*"}}).status, 302);
  EXPECT_EQ(get("/designs/shop").status, 308);
  EXPECT_NE(get("/designs/shop/").headers.find("Location: /console/?design=shop\r\n"), std::string::npos);
  EXPECT_EQ(get("/designs/shop/design.json").status, 404);  // this test has no source
  EXPECT_NE(get("/designs/shop/openapi.json").body.find("\"3.1.0\""), std::string::npos);
  EXPECT_EQ(get("/designs/none/").status, 404);
  EXPECT_EQ(get("/designs/shop/none").status, 404);
  EXPECT_EQ(post("/designs/shop/", "{}").status, 405);
}

TEST_F(DesignApiTest, any_design_text_is_described_with_its_findings) {
  const HttpReply good = post("/designs/check", std::string(kDesign));
  EXPECT_EQ(good.status, 200);
  EXPECT_NE(good.body.find("\"name\": \"save\""), std::string::npos) << good.body;
  EXPECT_NE(good.body.find("<svg"), std::string::npos);
  const HttpReply bad = post("/designs/check", "design: [");
  EXPECT_EQ(bad.status, 200);
  EXPECT_NE(bad.body.find("\"T001\""), std::string::npos);
  EXPECT_EQ(get("/designs/check").status, 404);  // no design of that name
}

TEST_F(DesignApiTest, a_file_is_saved_only_where_that_is_allowed) {
  const auto put = [&](std::string_view peer) {
    return send({.method = "PUT", .path = "/designs/shop/source", .body = "design: shop", .peer = peer},
                {{"X-Trestle-Replaces", "ab12"}})
        ->take();
  };
  EXPECT_EQ(put("").status, 404);
  std::string saved;
  open({}, {}, [&](const std::string& design, const std::string& text, std::string_view replaces) -> Outcome<void> {
    saved = fmt::format("{} {} {}", design, text, replaces);
    return {};
  });
  EXPECT_EQ(put("").status, 200);
  EXPECT_EQ(saved, "shop design: shop ab12");
  EXPECT_EQ(put("192.0.2.7:1").status, 403);
  open({}, {}, [](const std::string&, const std::string&, std::string_view) -> Outcome<void> {
    return runtime::refuse(409, "The file has changed since it was read.");
  });
  EXPECT_EQ(put("").status, 409);
}

TEST_F(DesignApiTest, a_post_gives_inputs_as_json) {
  const HttpReply reply = post("/designs/shop/thing", R"({"id":"a","size":12345678901234567890123456789.5,"on":null})");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_EQ(reply.body,
            R"({"operation":"thing","inputs":{"id":"a","size":12345678901234567890123456789.5,"on":null}})");
  EXPECT_EQ(post("/designs/shop/thing", "").body, R"({"operation":"thing","inputs":{}})");
}

TEST_F(DesignApiTest, a_get_gives_the_same_inputs_by_their_types) {
  EXPECT_EQ(
      get("/designs/shop/things", "size=05.0&on=true&tags=a&tags=b%26+c&x=1&limit=7&descending=false").body,
      R"({"operation":"things","inputs":{"size":5,"on":true,"tags":["a","b& c"],"x":"1"},"limit":7,"descending":false})");
  EXPECT_EQ(get("/designs/shop/things", "size=big&tags=%5B%22x%22%5D").body,
            R"({"operation":"things","inputs":{"size":"big","tags":["x"]}})");
  const HttpReply twice = get("/designs/shop/things", "size=1&size=2");
  EXPECT_EQ(twice.status, 400);
  EXPECT_NE(twice.body.find(R"({"field":"size","reason":"is given twice"})"), std::string::npos);
  EXPECT_EQ(get("/designs/shop/things", "size=%ff").status, 400);
  EXPECT_EQ(send({.method = "HEAD", .path = "/designs/shop/thing", .query = "id=a"})->take().status, 200);
}

TEST_F(DesignApiTest, methods_types_and_sizes_are_refused_before_anything_is_called) {
  const HttpReply write = get("/designs/shop/save", "id=a");
  EXPECT_EQ(write.status, 405);
  EXPECT_NE(write.headers.find("Allow: POST, OPTIONS"), std::string::npos);
  EXPECT_EQ(send({.method = "DELETE", .path = "/designs/shop/thing"})->take().status, 405);
  EXPECT_EQ(send({.method = "OPTIONS", .path = "/designs/shop/thing"})->take().status, 204);
  EXPECT_EQ(send({.method = "POST", .path = "/designs/shop/thing", .body = "{}"}, {{"Content-Type", "text/plain"}})
                ->take()
                .status,
            415);
  EXPECT_EQ(send({.method = "POST", .path = "/designs/shop/thing", .body = "{}"})->take().status, 415);
  EXPECT_EQ(post("/designs/shop/thing", std::string((1 << 20) + 1, ' ')).status, 413);
  for (const char* body : {"{", "[]", "1", "{\"a\":1,\"a\":2}", "{\"a\":\"\xff\"}"}) {
    const HttpReply reply = post("/designs/shop/thing", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_EQ(reply.content_type, "application/problem+json");
  }
  EXPECT_EQ(echo_.calls, 0);
}

TEST_F(DesignApiTest, refusals_are_problems_with_what_callers_react_to) {
  const auto refusing = [&](runtime::Refused refused) {
    echo_.answer = [refused](const auto&) -> Outcome<runtime::CallReply> { return std::unexpected(refused); };
    return post("/designs/shop/save", "{}");
  };
  EXPECT_EQ(
      refusing({.status = 409, .message = "Taken.", .fields = {{"id", "is \"taken\""}}}).body,
      R"({"type":"urn:trestle:problem:conflict","title":"Conflict","status":409,"detail":"Taken.","retryable":false,)"
      R"("errors":[{"field":"id","reason":"is \"taken\""}]})");
  const HttpReply limited =
      refusing({.status = 429, .message = "", .fields = {}, .retry_after_s = 17, .retryable = true});
  EXPECT_NE(limited.headers.find("Retry-After: 17"), std::string::npos);
  EXPECT_NE(limited.body.find("\"retryable\":true"), std::string::npos);
  EXPECT_NE(refusing({.status = 503, .message = "", .fields = {}}).headers.find("Retry-After: 1"), std::string::npos);
  EXPECT_NE(refusing({.status = 401, .message = "", .fields = {}}).headers.find("WWW-Authenticate: Bearer"),
            std::string::npos);
}

TEST_F(DesignApiTest, a_page_token_goes_on_only_where_it_came_from) {
  echo_.answer = [](const runtime::ListOptions& list) -> Outcome<runtime::CallReply> {
    return runtime::CallReply{
        .body = Plain::map({{"at", Plain::text(list.position)}}), .revision = {}, .position = "p1"};
  };
  const HttpReply first = post("/designs/shop/things", R"({"size":1,"on":true,"limit":2})");
  const std::string next = parse_plain_json(first.body)->member("next").string();
  const auto at = [&](std::string_view inputs) {
    const HttpReply reply = post("/designs/shop/things", fmt::format(R"({{"next":"{}",{}}})", next, inputs));
    return reply.status == 200 ? parse_plain_json(reply.body)->member("at").string() : std::to_string(reply.status);
  };
  EXPECT_EQ(at(R"("on":true,"size":1)"), "p1") << "the order of inputs and the limit do not matter";
  EXPECT_EQ(parse_plain_json(get("/designs/shop/things", "size=1&on=true&next=" + next).body)->member("at").string(),
            "p1");
  EXPECT_EQ(at(R"("on":true,"size":2)"), "400");
  EXPECT_EQ(at(R"("on":true,"size":1,"descending":true)"), "400");
  const HttpReply bad = post("/designs/shop/things", R"({"next":"AAAA"})");
  EXPECT_EQ(bad.status, 400);
  EXPECT_NE(bad.body.find(R"("field":"next")"), std::string::npos);
  for (const char* limit : {"0", "1001", "1.5", "\"5\"", "true"})
    EXPECT_EQ(post("/designs/shop/things", fmt::format(R"({{"limit":{}}})", limit)).status, 400) << limit;
}

TEST_F(DesignApiTest, revisions_are_etags) {
  echo_.answer = [](const auto&) -> Outcome<runtime::CallReply> {
    return runtime::CallReply{.body = Plain::map(), .revision = "7", .position = {}};
  };
  EXPECT_NE(get("/designs/shop/thing", "id=a").headers.find("ETag: \"7\""), std::string::npos);
  EXPECT_EQ(get("/designs/shop/thing", "id=a", {{"If-None-Match", "\"6\", W/\"7\""}}).status, 304);
  EXPECT_EQ(get("/designs/shop/thing", "id=a", {{"If-None-Match", "\"6\""}}).status, 200);
  echo_.answer = nullptr;
  EXPECT_NE(post("/designs/shop/save", "{}", {{"If-Match", "\"7\""}}).body.find(R"("if_match":"7")"),
            std::string::npos);
  EXPECT_EQ(post("/designs/shop/save", "{}", {{"If-Match", "*"}}).body.find("if_match"), std::string::npos);
  EXPECT_EQ(post("/designs/shop/save", "{}", {{"If-Match", "7"}}).status, 400);
}

TEST_F(DesignApiTest, idempotency_keys_are_short_and_printable) {
  EXPECT_NE(post("/designs/shop/save", "{}", {{"Idempotency-Key", "a b"}}).body.find(R"("key":"a b")"),
            std::string::npos);
  const std::string longest(255, 'k'), too_long(256, 'k');
  EXPECT_EQ(post("/designs/shop/save", "{}", {{"Idempotency-Key", longest}}).status, 200);
  for (const std::string_view bad : {std::string_view(too_long), std::string_view(""), std::string_view("\xc3\xa9")})
    EXPECT_EQ(post("/designs/shop/save", "{}", {{"Idempotency-Key", bad}}).status, 400);
}

TEST_F(DesignApiTest, without_keys_only_the_same_machine_may_call_and_callers_are_not_signed_in) {
  EXPECT_EQ(send({.method = "GET", .path = "/designs", .peer = "10.0.0.1:80"})->take().status, 403);
  for (const char* peer : {"127.0.0.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"})
    EXPECT_EQ(send({.method = "GET", .path = "/designs", .peer = peer})->take().status, 200) << peer;
  EXPECT_EQ(get("/designs/shop/thing", "id=a", {{"Authorization", "Bearer a.b.c"}}).status, 401)
      << "a token that nobody can check is not ignored";
}

TEST_F(DesignApiTest, where_callers_sign_in_only_operators_see_background_work_wherever_they_call_from) {
  const auto digest = [](std::string_view key) {
    std::string hex;
    append_hex(hex, sha256(key));
    return hex;
  };
  const ScratchFolder folder;
  const std::string file = folder.path() + "/api-keys";
  std::ofstream(file) << "ann " << digest("ann's") << " ops\nbob " << digest("bob's") << " admin\n";
  const std::map<std::string, DesignApi::Background, std::less<>> background = {
      {"shop", {.status = [](bool) { return std::string("{}"); }, .retry = [](const std::string&) { return 1; }}}};
  open({}, background);
  EXPECT_EQ(get("/designs/shop/status", "dead").status, 200) << "nobody can sign in: the same machine is enough";

  auto keys = WatchedFile<ApiKeys>::open(file);
  ASSERT_TRUE(keys.has_value()) << keys.error();
  callers_ = Callers({.api_keys = std::move(*keys)});
  open({.operator_group = "ops"}, background);
  for (const auto& [method, path] : {std::pair("GET", "/designs/shop/status"), {"POST", "/designs/shop/retry"}}) {
    const auto ask = [&](std::vector<HttpHeader> headers) {
      return send({.method = method, .path = path, .query = "dead"}, std::move(headers))->take().status;
    };
    EXPECT_EQ(ask({}), 403) << path;
    EXPECT_EQ(ask({{"X-Api-Key", "nobody's"}}), 401) << path;
    EXPECT_EQ(ask({{"X-Api-Key", "bob's"}}), 403) << path;
    EXPECT_EQ(ask({{"X-Api-Key", "ann's"}}), 200) << path;
  }
}

TEST_F(DesignApiTest, a_traced_reply_has_the_requests_of_the_call_beside_its_answer) {
  const std::vector<HttpHeader> trace = {{"Trestle-Trace", "requests"}};
  echo_.sends = [](const runtime::RequestObserver& observer) {
    const GetItemRequest request{.table_name = "t", .key = Item{{"PK", Value::string("T#a")}}};
    const ConsumedCapacity consumed{.table_name = "t", .total = 0.5};
    observer({.request = &request, .consumed = {&consumed, 1}, .time_us = 7});
    const Error error{.code = ErrorCode::kConditionalCheckFailed};
    observer({.request = &request, .error = &error, .time_us = 9});
  };
  const HttpReply traced = get("/designs/shop/thing", "id=a", trace);
  EXPECT_EQ(traced.status, 200);
  EXPECT_EQ(traced.body, R"({"answer":{"operation":"thing","inputs":{"id":"a"}},"requests":[)"
                         R"({"operation":"GetItem","request":{"TableName":"t","Key":{"PK":{"S":"T#a"}}},)"
                         R"("consumed":[{"CapacityUnits":0.5,"TableName":"t"}],"units":0.5,"time_us":7},)"
                         R"({"operation":"GetItem","request":{"TableName":"t","Key":{"PK":{"S":"T#a"}}},)"
                         R"("consumed":[],"time_us":9,"error":"ConditionalCheckFailedException"}]})");
  EXPECT_NE(traced.headers.find("Trestle-Trace: requests\r\n"), std::string::npos);
  const HttpReply refused = post("/designs/shop/thing", "{", trace);
  EXPECT_EQ(refused.status, 400);
  EXPECT_TRUE(refused.body.starts_with(R"({"answer":{"type":)")) << refused.body;
  EXPECT_TRUE(refused.body.ends_with(R"("requests":[]})")) << refused.body;
  EXPECT_EQ(get("/designs/shop/thing", "id=a", {{"Trestle-Trace", "plan"}}).status, 400);
}

TEST_F(DesignApiTest, a_trace_ends_at_a_size) {
  echo_.sends = [](const runtime::RequestObserver& observer) {
    const GetItemRequest request{.table_name = "t",
                                 .key = Item{{"PK", Value::string(std::string(size_t{400} << 10, 'k'))}}};
    for (int i = 0; i < 5; ++i) observer({.request = &request});
  };
  const HttpReply traced = get("/designs/shop/thing", "id=a", {{"Trestle-Trace", "requests"}});
  EXPECT_LT(traced.body.size(), size_t{2} << 20);
  EXPECT_TRUE(traced.body.ends_with(R"(],"omitted":3})"));
}

TEST_F(DesignApiTest, where_callers_sign_in_only_operators_may_trace) {
  const ScratchFolder folder;
  const std::string file = folder.path() + "/api-keys";
  std::string ann, bob;
  append_hex(ann, sha256("ann's"));
  append_hex(bob, sha256("bob's"));
  std::ofstream(file) << "ann " << ann << " ops\nbob " << bob << " admin\n";
  auto keys = WatchedFile<ApiKeys>::open(file);
  ASSERT_TRUE(keys.has_value()) << keys.error();
  callers_ = Callers({.api_keys = std::move(*keys)});
  open({.operator_group = "ops"});
  const auto ask = [&](std::string_view key) {
    return get("/designs/shop/thing", "id=a", {{"Trestle-Trace", "requests"}, {"X-Api-Key", key}});
  };
  EXPECT_EQ(ask("bob's").status, 403);
  EXPECT_EQ(get("/designs/shop/thing", "id=a", {{"Trestle-Trace", "requests"}}).status, 403);
  EXPECT_EQ(echo_.calls, 0) << "a refused trace calls nothing";
  EXPECT_EQ(ask("ann's").status, 200);
}

TEST_F(DesignApiTest, pages_of_other_origins_and_rebound_names_are_refused) {
  EXPECT_EQ(get("/designs", {}, {{"Host", "evil.example:8000"}}).status, 403);
  EXPECT_EQ(get("/designs", {}, {{"Host", "127.0.0.1:8000"}, {"Origin", "https://a.example"}}).status, 403);
  EXPECT_EQ(get("/designs", {}, {{"Host", "127.0.0.1:8000"}, {"Origin", "http://127.0.0.1:8000"}}).status, 200);
  open({.browsers = {.origins = {"https://a.example"}}});
  const HttpReply listed = get("/designs", {}, {{"Host", "127.0.0.1:8000"}, {"Origin", "https://a.example"}});
  EXPECT_EQ(listed.status, 200);
  EXPECT_NE(listed.headers.find("Access-Control-Allow-Origin: https://a.example\r\n"), std::string::npos);
}

TEST_F(DesignApiTest, a_full_queue_is_503_and_what_was_taken_is_finished) {
  open({.workers = 1, .queue_max = 1});
  std::mutex gate;
  std::unique_lock hold(gate);
  echo_.wait = [&] { const std::lock_guard lock(gate); };
  std::vector<std::shared_ptr<Mailbox>> boxes;
  const std::vector<HttpHeader> json = {{"Content-Type", "application/json"}};
  boxes.push_back(send({.method = "POST", .path = "/designs/shop/save", .body = "{}"}, json));
  while (echo_.calls == 0) std::this_thread::yield();  // the only thread is busy with it
  boxes.push_back(send({.method = "POST", .path = "/designs/shop/save", .body = "{}"}, json));
  const HttpReply refused = send({.method = "POST", .path = "/designs/shop/save", .body = "{}"}, json)->take();
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.headers.find("Retry-After: 1"), std::string::npos);
  hold.unlock();
  for (const auto& box : boxes) EXPECT_EQ(box->take().status, 200);
}

TEST_F(DesignApiTest, a_call_that_would_wait_on_the_event_loop_is_repeated_by_the_pool) {
  EXPECT_EQ(get("/designs/shop/thing", "id=a").status, 200);
  EXPECT_EQ(echo_.calls_on_loop, 1);
  EXPECT_EQ(echo_.calls_on_pool, 0);
  echo_.misses = true;
  const HttpReply reply = get("/designs/shop/things", "size=7&limit=3");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, R"({"operation":"things","inputs":{"size":7},"limit":3})");
  EXPECT_EQ(echo_.calls_on_loop, 2);
  EXPECT_EQ(echo_.calls_on_pool, 1);
}

TEST_F(DesignApiTest, long_pages_long_bodies_and_traces_run_on_the_pool) {
  EXPECT_EQ(get("/designs/shop/things", "limit=101").status, 200);
  EXPECT_EQ(post("/designs/shop/thing", R"({"id":"a"})" + std::string(100'000, ' ')).status, 200);
  EXPECT_EQ(get("/designs/shop/thing", "id=a", {{"Trestle-Trace", "requests"}}).status, 200);
  EXPECT_EQ(echo_.calls_on_loop, 0);
  EXPECT_EQ(echo_.calls_on_pool, 3);
}

TEST_F(DesignApiTest, requests_that_wait_for_the_pool_count_against_the_buffers) {
  open({.workers = 1});
  std::mutex gate;
  std::unique_lock hold(gate);
  echo_.wait = [&] { const std::lock_guard lock(gate); };
  const std::vector<HttpHeader> json = {{"Content-Type", "application/json"}};
  const std::string body = "{" + std::string(10'000, ' ') + "}";
  const auto waiting = send({.method = "POST", .path = "/designs/shop/save", .body = body, .body_as_sent = body}, json);
  EXPECT_GE(waiting->waiting, body.size());
  const auto refused =
      send({.method = "POST", .path = "/designs/shop/save", .body = body, .body_as_sent = body}, json, body.size() - 1);
  EXPECT_EQ(refused->take().status, 503);
  hold.unlock();
  EXPECT_EQ(waiting->take().status, 200);
  EXPECT_EQ(waiting->waiting, 0U);
}

}  // namespace
}  // namespace trestle::api
