// A design served by one event loop: calls that take long do not delay the loop's other requests.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <future>

#include "api/design_api.h"
#include "design/language/reader.h"
#include "engine/quiet_engine.h"
#include "runtime/items/memory_blobs.h"
#include "runtime/tables.h"
#include "server/http/listener.h"
#include "server/http/test_client.h"

namespace trestle::api {
namespace {

constexpr std::string_view kNotes = R"y(design: notes
tables: {t: {key: [PK, SK]}}
entities:
  Note:
    key: ["BOARD#{board}", "NOTE#{id}"]
    fields: {board: "string([a-z], 1..9)", id: "string([a-z0-9], 1..9)", done: bool = false, stars: counter}
  Page:
    key: ["PAGE#{id}", X]
    fields: {id: "string([a-z], 1..9)", body: text}
    spill: {body: {over: 100B}}
reads:
  note: {get: Note}
  notes: {query: Note, by: [board]}
  doneNotes: {query: Note, by: [board], filter: done = true}
  everyNote: {query: Note, by: [board], all: true}
  allNotes: {scan: Note}
  page: {get: Page}
writes:
  save: {put: Note}
  star: {update: Note, add: {stars: 1}}
  rate:
    takes: {board: "string([a-z], 1..9)", id: "string([a-z0-9], 1..9)", stars: int(1..5)}
    bad: {stars: {status: 400, also: [{update: Note, by: {board: $board, id: $id}, add: {stars: 1}}]}}
    steps: [{update: Note, by: {board: $board, id: $id}, add: {stars: $stars}}]
  rateTwice:
    takes: {board: "string([a-z], 1..9)", id: "string([a-z0-9], 1..9)", stars: int(1..5), more: int(1..5)}
    bad:
      stars: {status: 400, also: [{update: Note, by: {board: $board, id: $id}, add: {stars: 1}}]}
      more: {status: 400, also: [{update: Note, by: {board: $board, id: $id}, add: {stars: 1}}]}
    steps: [{update: Note, by: {board: $board, id: $id}, add: {stars: $stars}}]
  savePage: {put: Page}
  saveTwo:
    takes: {board: "string([a-z], 1..9)", id: "string([a-z0-9], 1..9)", other: "string([a-z0-9], 1..9)"}
    steps:
      - {put: Note, set: {id: $id}}
      - {put: Note, set: {id: $other}}
)y";

// Forwards every request; a Query with a filter waits until it is released.
class SlowFilters final : public Database {
 public:
  explicit SlowFilters(Database& to) : to_(to) {}
  Result<void> wait_durable(const Call& call) override { return to_.wait_durable(call); }
  void when_durable(const Call& call, std::move_only_function<void(Result<void>)> then) override {
    to_.when_durable(call, std::move(then));
  }
#define TRESTLE_FORWARD(Name, name)                                                \
  Result<Name##Response> name(const Name##Request& request, Call& call) override { \
    wait_for_release(request);                                                     \
    return to_.name(request, call);                                                \
  }                                                                                \
  using Database::name;
  TRESTLE_OPERATIONS(TRESTLE_FORWARD)
#undef TRESTLE_FORWARD

  std::promise<void> release;

 private:
  void wait_for_release(const QueryRequest& request) const {
    if (request.filter_expression) released_.wait();
  }
  template <class Request>
  void wait_for_release(const Request&) const {}

  Database& to_;
  const std::shared_future<void> released_{release.get_future()};
};

// Blobs whose reads and writes wait until they are released.
class SlowBlobs final : public runtime::BlobStore {
 public:
  runtime::Outcome<void> put(std::string_view name, std::string_view bytes) override {
    released_.wait();
    return inner_.put(name, bytes);
  }
  runtime::Outcome<std::string> get(std::string_view name) override {
    released_.wait();
    return inner_.get(name);
  }
  runtime::Outcome<void> erase(std::string_view name) override { return inner_.erase(name); }
  runtime::Outcome<void> each(std::string_view prefix,
                              const std::function<void(std::string_view, int64_t)>& visit) override {
    return inner_.each(prefix, visit);
  }
  std::promise<void> release;

 private:
  runtime::MemoryBlobs inner_;
  const std::shared_future<void> released_{release.get_future()};
};

class NoOther final : public HttpHandler {
 public:
  void handle(const HttpRequest&, ReplyHandle reply) override { reply.send({.status = 404}); }
};

class DesignLoop : public ::testing::Test {
 protected:
  DesignLoop() : reading_(design::read_design(kNotes)) {
    EXPECT_TRUE(reading_.mistakes.empty()) << reading_.mistakes[0].message;
    engine_.open(engine_.options());
    slow_ = std::make_unique<SlowFilters>(*engine_.engine);
    EXPECT_TRUE(runtime::create_tables(reading_.design, *engine_.engine).has_value());
    runtime_ = std::move(*runtime::DesignRuntime::open(reading_.design, *slow_, {.keys = nullptr, .blobs = &blobs_}));
    api_ = std::make_unique<DesignApi>(DesignApi::Parts{.designs = {runtime_.get()},
                                                        .database = *slow_,
                                                        .callers = callers_,
                                                        .tokens = tokens_,
                                                        .clock = clock_,
                                                        .next = next_},
                                       DesignApiOptions{.workers = 2});
    listener_ = std::move(*Listener::start(*api_, {.loops = 1}));
  }
  ~DesignLoop() override {
    listener_->stop();
    api_->stop();
    engine_->wait_for_callbacks();
  }

  std::unique_ptr<TestClient> send(std::string_view operation, std::string_view body) const {
    auto client = std::make_unique<TestClient>(listener_->port());
    client->send(
        fmt::format("POST /designs/notes/{} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    "Content-Length: {}\r\n\r\n{}",
                    operation, body.size(), body));
    return client;
  }
  TestReply call(std::string_view operation, std::string_view body) const {
    return send(operation, body)->read_reply();
  }
  bool is_brief(std::string_view operation) const {
    return runtime_->is_brief(*reading_.design.operation(std::string(operation)));
  }

  design::Reading reading_;
  QuietEngine engine_{{}};
  std::unique_ptr<SlowFilters> slow_;
  SlowBlobs blobs_;
  std::unique_ptr<runtime::DesignRuntime> runtime_;
  Callers callers_;
  PageTokens tokens_{{"secret"}};
  SystemClock clock_;
  NoOther next_;
  std::unique_ptr<DesignApi> api_;
  std::unique_ptr<Listener> listener_;
};

TEST_F(DesignLoop, only_short_operations_run_on_it) {
  for (const char* name : {"note", "notes", "save", "star", "rate"}) EXPECT_TRUE(is_brief(name)) << name;
  for (const char* name : {"doneNotes", "everyNote", "allNotes", "page", "savePage", "saveTwo", "rateTwice"})
    EXPECT_FALSE(is_brief(name)) << name;
}

TEST_F(DesignLoop, slow_blobs_and_filters_do_not_delay_other_requests) {
  ASSERT_EQ(call("save", R"({"board":"b","id":"a"})").status, 200);
  const auto page = send("savePage", fmt::format(R"({{"id":"p","body":"{}"}})", std::string(500, 'b')));
  const auto done = send("doneNotes", R"({"board":"b"})");
  EXPECT_EQ(call("note", R"({"board":"b","id":"a"})").status, 200);
  EXPECT_EQ(call("save", R"({"board":"b","id":"b"})").status, 200);
  blobs_.release.set_value();
  slow_->release.set_value();
  EXPECT_EQ(page->read_reply().status, 200);
  EXPECT_EQ(done->read_reply().status, 200);
  EXPECT_EQ(call("page", R"({"id":"p"})").status, 200);
}

}  // namespace
}  // namespace trestle::api
